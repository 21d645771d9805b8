package io.stele.engine.disk;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.engine.cache.BlockCache;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** Cells to fill disk fragments with, and files made of them. */
final class FragmentFiles {
  static final FilePath PATH = FilePath.of("fragments/000001.frag");
  static final long FILE_ID = 0x0123_4567_89ab_cdefL;

  private FragmentFiles() {}

  static FragmentProperties write(
      FileStore files, FilePath path, List<Cell> cells, Codec codec, int blockSize)
      throws IOException {
    try (FragmentWriter writer =
        new FragmentWriter(files, path, new FragmentSettings(codec, blockSize), FILE_ID)) {
      for (Cell cell : cells) {
        writer.add(cell.view());
      }
      return writer.finish();
    }
  }

  static MemoryFileStore store(List<Cell> cells, Codec codec, int blockSize) throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    write(files, PATH, cells, codec, blockSize);
    return files;
  }

  static DiskFragment open(FileStore files) throws IOException {
    return DiskFragment.open(files, PATH, new BlockCache(64 << 20));
  }

  static byte[] content(FileStore files, FilePath path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      byte[] bytes = new byte[(int) file.length()];
      file.read(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  /** Sorted cells of all kinds: many rows of a few cells and some of many, values of all sizes. */
  static List<Cell> cells(RandomGenerator random, int count) {
    TreeSet<Cell> cells = new TreeSet<>();
    int rows = Math.max(1, count / random.nextInt(1, 6));
    while (cells.size() < count) {
      cells.add(cell(random, row(random, rows)));
    }
    return List.copyOf(cells);
  }

  /** Sorted cells of all kinds of a single row. */
  static List<Cell> wideRow(RandomGenerator random, int count) {
    TreeSet<Cell> cells = new TreeSet<>();
    while (cells.size() < count) {
      cells.add(cell(random, Bytes.utf8("wide")));
    }
    return List.copyOf(cells);
  }

  private static Bytes row(RandomGenerator random, int rows) {
    String name = "tenant/" + Integer.toString(random.nextInt(rows) * 7919, 36);
    return switch (random.nextInt(12)) {
      case 0 -> Bytes.utf8(name + "/" + "x".repeat(random.nextInt(200)));
      case 1 -> Bytes.of((byte) random.nextInt(256));
      case 2 -> Bytes.utf8(name).concat(Bytes.of((byte) 0xff, (byte) 0, (byte) random.nextInt(3)));
      default -> Bytes.utf8(name);
    };
  }

  private static Cell cell(RandomGenerator random, Bytes row) {
    Bytes family = Bytes.utf8("family" + random.nextInt(3));
    Bytes qualifier = Bytes.utf8(random.nextInt(9) == 0 ? "" : "q" + random.nextInt(600));
    long time = time(random);
    long txn = 1 + random.nextLong(random.nextBoolean() ? 200 : 1_000_000_000);
    Cell cell =
        switch (random.nextInt(18)) {
          case 0, 1 -> Cell.eraseCell(row, family, qualifier, time);
          case 2 -> Cell.eraseColumn(row, family, qualifier);
          case 3 -> Cell.eraseColumn(row, family, qualifier, time, time + 1 + random.nextInt(9));
          case 4 -> Cell.eraseFamily(row, family);
          case 5 -> Cell.eraseRow(row);
          case 6 -> Cell.eraseFamily(row, family, time, time + 1 + random.nextInt(9));
          case 7 -> Cell.eraseRow(row, time, time + 1 + random.nextInt(9));
          default -> Cell.put(row, family, qualifier, time, value(random));
        };
    return cell.withTxn(txn);
  }

  private static long time(RandomGenerator random) {
    return switch (random.nextInt(40)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE - 20;
      case 2 -> -random.nextLong(1_000_000);
      default -> 1_700_000_000_000_000L + random.nextInt(1_000_000);
    };
  }

  private static Bytes value(RandomGenerator random) {
    byte[] value = new byte[random.nextInt(20) == 0 ? random.nextInt(3000) : random.nextInt(40)];
    if (random.nextInt(3) == 0) {
      random.nextBytes(value);
    }
    return Bytes.wrap(value);
  }
}
