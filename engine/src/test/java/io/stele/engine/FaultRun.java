package io.stele.engine;

import static io.stele.engine.TestCells.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.model.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A short history that goes on after errors, on files of which some call fails. Each transaction
 * writes a row of its own, so that the rows tell which transactions are there.
 */
final class FaultRun {
  final MemoryFileStore files = new MemoryFileStore();
  private final StoreSettings settings;
  private final String about;
  private long acknowledged;
  private long assigned;
  private boolean inDoubt;

  FaultRun(StoreSettings settings, String about) {
    this.settings = settings;
    this.about = about;
  }

  void play() {
    Optional<Store> opened = tryOpen();
    if (opened.isEmpty()) {
      opened = tryOpen(); // only one call fails, or all of a kind do
    }
    if (opened.isEmpty()) {
      return;
    }
    try (Store store = opened.get()) {
      for (int round = 0; round < 3; round++) {
        write(store, true);
        write(store, false);
        write(store, true);
        attempt(store::flush);
        read(store);
        write(store, true);
        attempt(store::flush);
        attempt(store::compact);
        read(store);
      }
      write(store, true);
    }
  }

  private Optional<Store> tryOpen() {
    try {
      return Optional.of(new Store.Builder(files).settings(settings).open());
    } catch (SteleException e) {
      assertThat(e).as(about).isInstanceOf(UnavailableException.class);
      return Optional.empty();
    }
  }

  private void write(Store store, boolean wait) {
    long before = store.assignedTxn();
    try {
      long txn = store.apply(put("%04d".formatted(before + 1), 1, "value"), wait);
      assertThat(txn).as(about).isEqualTo(before + 1);
      assertThat(inDoubt).as("%s: a log in doubt acknowledges nothing", about).isFalse();
      acknowledged = wait ? txn : acknowledged;
    } catch (OutcomeUnknownException e) {
      inDoubt = true;
    } catch (UnavailableException e) {
      assertThat(store.assignedTxn())
          .as("%s: a refused write changes nothing", about)
          .isEqualTo(before);
    }
    assigned = store.assignedTxn();
  }

  private void attempt(Runnable upkeep) {
    try {
      upkeep.run();
    } catch (SteleException e) {
      assertThat(e).as(about).isInstanceOf(UnavailableException.class);
    }
  }

  /** Readers see all that was acknowledged, whatever has failed; one that fails is tried again. */
  private void read(Store store) {
    List<Version> found;
    try {
      found = readLatest(store);
    } catch (UnavailableException e) {
      found = readLatest(store);
    }
    checkRows(found, assigned);
    assertThat(store.durableTxn()).as(about).isBetween(acknowledged, assigned);
  }

  private static List<Version> readLatest(Store store) {
    try (Scan scan = store.scan(ReadPredicate.ALL, Store.Read.LATEST)) {
      return TestCells.rest(scan);
    }
  }

  /** Opens again what was left, without faults, uses it, and crashes it. */
  void recover() {
    files.clearFailures();
    MemoryFileStore crashed;
    long txn;
    try (Store store = new Store.Builder(files).settings(settings).open()) {
      txn = store.assignedTxn();
      assertThat(txn).as(about).isBetween(acknowledged, assigned);
      checkRows(TestCells.readAll(store), txn);
      txn = store.apply(put("%04d".formatted(txn + 1), 1, "value"));
      crashed = files.crash(CrashMode.dropUnsynced());
    }
    try (Store store = new Store.Builder(crashed).settings(settings).open()) {
      assertThat(store.assignedTxn()).as(about).isEqualTo(txn);
      checkRows(TestCells.readAll(store), txn);
      store.flush();
      store.compact();
      checkRows(TestCells.readAll(store), txn);
    }
  }

  private void checkRows(List<Version> found, long last) {
    List<Bytes> expected = new ArrayList<>();
    for (long txn = 1; txn <= last; txn++) {
      expected.add(Bytes.utf8("%04d".formatted(txn)));
    }
    assertThat(found.stream().map(Version::row)).as(about).containsExactlyElementsOf(expected);
  }
}
