package io.stele.metastore.state;

import io.stele.base.cell.CellView;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.Fragment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Consumer;

/** What a state looks like from far away: to compare members, and to show how large it is. */
final class Fingerprint {
  private Fingerprint() {}

  /** A digest of all {@link ReadableCells}. */
  static String of(Store store) {
    try (Snapshot snapshot = store.snapshot()) {
      return of(store, snapshot);
    }
  }

  static String of(Store store, Snapshot at) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    forEach(store, at, cell -> add(digest, cell));
    return HexFormat.of().formatHex(digest.digest());
  }

  static long cells(Store store) {
    long[] count = {0};
    try (Snapshot snapshot = store.snapshot()) {
      forEach(store, snapshot, _ -> count[0]++);
    }
    return count[0];
  }

  private static void forEach(Store store, Snapshot at, Consumer<CellView> each) {
    try (ReadableCells cells = new ReadableCells(store, at)) {
      while (cells.next()) {
        each.accept(cells.cell());
      }
    }
  }

  private static void add(MessageDigest digest, CellView cell) {
    ByteBuffer lengths = ByteBuffer.allocate(24);
    lengths.putInt(cell.rowLength).putInt(cell.familyLength).putInt(cell.qualifierLength);
    lengths.putLong(cell.timestamp).putInt(cell.valueLength);
    digest.update(lengths.array());
    digest.update(cell.rowArray, cell.rowOffset, cell.rowLength);
    digest.update(cell.familyArray, cell.familyOffset, cell.familyLength);
    digest.update(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength);
    digest.update(cell.valueArray, cell.valueOffset, cell.valueLength);
  }

  static long bytes(Store store) {
    long bytes = 0;
    for (Fragment fragment : store.chain().fragments()) {
      bytes += fragment.bytes();
    }
    return bytes;
  }

  /** Without what the engine has still to drop of the history, about. */
  static long bytesInUse(Store store) {
    return bytes(store) - store.garbageBytes();
  }

  static long diskBytes(Store store) {
    long bytes = 0;
    for (Fragment fragment : store.chain().fragments()) {
      if (fragment instanceof DiskFragment disk) {
        bytes += disk.bytes();
      }
    }
    return bytes;
  }
}
