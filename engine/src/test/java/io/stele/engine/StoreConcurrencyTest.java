package io.stele.engine;

import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.model.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Promise 2: "rows are atomic: all changes of one row in one request apply together, across
 * families; no reader sees half of them". With writers, readers, flushes and compactions at once.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreConcurrencyTest {
  private static final int ROWS = 6;
  private static final int WRITES = 600;
  private static final List<Bytes> FAMILIES = List.of(bytes("a"), bytes("b"), bytes("c"));

  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withMemory(16_900, 100_000)
          .withCompaction(CompactionSettings.DEFAULT.withWidths(3, 6))
          .withFragments(new FragmentSettings(Codec.NONE, 64));

  private final MemoryFileStore files = new MemoryFileStore();
  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger compactions = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicInteger checked = new AtomicInteger();

  private static Bytes row(int number) {
    return bytes("row" + number);
  }

  /** The number in each family of a row; every other time the row is erased in the same batch. */
  private static Cell[] change(int row, int number) {
    List<Cell> cells = new ArrayList<>();
    if (number % 2 == 0) {
      cells.add(Cell.eraseRow(row(row)));
    }
    for (Bytes family : FAMILIES) {
      cells.add(Cell.put(row(row), family, Bytes.EMPTY, 1, bytes("" + number)));
    }
    return cells.toArray(Cell[]::new);
  }

  @Test
  void noReaderSeesHalfOfABatch() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(7);
    try (Store store = new Store.Builder(files).settings(SETTINGS).events(this::count).open()) {
      for (int row = 0; row < ROWS; row++) {
        store.apply(batch(change(row, 0)));
      }
      List<Future<?>> readers = new ArrayList<>();
      readers.add(threads.submit(() -> scan(store, Store.Read.DURABLE)));
      readers.add(threads.submit(() -> scan(store, Store.Read.LATEST)));
      readers.add(threads.submit(() -> readSnapshots(store)));
      readers.add(threads.submit(() -> get(store)));
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        int first = writer;
        writers.add(threads.submit(() -> write(store, first)));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      stop.set(true);
      for (Future<?> reader : readers) {
        reader.get();
      }
      store.flush();
      store.compact();
      assertThat(checkRows(TestCells.readAll(store), "at the end").values()).containsOnly(WRITES);
      assertThat(files.list(FilePath.of("fragments")).stream().map(FileInfo::path)).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
    assertThat(flushes).hasValueGreaterThan(10);
    assertThat(compactions).hasValueGreaterThan(2);
    assertThat(checked).hasValueGreaterThan(20);
  }

  private void count(StoreEvent event) {
    if (event instanceof StoreEvent.Flushed) {
      flushes.incrementAndGet();
    } else if (event instanceof StoreEvent.Compacted) {
      compactions.incrementAndGet();
    }
  }

  /** Three writers, each with rows of its own. */
  private static void write(Store store, int first) {
    for (int number = 1; number <= WRITES; number++) {
      for (int row = first; row < ROWS; row += 3) {
        store.apply(batch(change(row, number)), number % 50 == 0);
      }
    }
    store.sync(store.assignedTxn());
  }

  private void scan(Store store, Store.Read read) {
    Map<Bytes, Integer> before = new HashMap<>();
    while (!stop.get()) {
      try (Scan scan = store.scan(ReadPredicate.ALL, read)) {
        Map<Bytes, Integer> now = checkRows(TestCells.rest(scan), "scan of " + read);
        now.forEach(
            (row, number) ->
                assertThat(number)
                    .as("%s never goes back", row)
                    .isGreaterThanOrEqualTo(before.getOrDefault(row, 0)));
        before.putAll(now);
      }
    }
  }

  /** A snapshot gives the same answer each time, by scan and by get. */
  private void readSnapshots(Store store) {
    while (!stop.get()) {
      try (Snapshot snapshot = store.snapshot()) {
        Map<Bytes, Integer> first = null;
        for (int i = 0; i < 10; i++) {
          try (Scan scan = store.scan(ReadPredicate.ALL, snapshot)) {
            Map<Bytes, Integer> again = checkRows(TestCells.rest(scan), "snapshot");
            first = first == null ? again : first;
            assertThat(again).isEqualTo(first);
          }
          for (int row = 0; row < ROWS; row++) {
            assertThat(store.get(row(row), FAMILIES.get(i % 3), Bytes.EMPTY, snapshot))
                .contains(bytes("" + first.get(row(row))));
          }
        }
      }
    }
  }

  /** There is a value at any time, wherever flushes and compactions have put it. */
  private void get(Store store) {
    for (int i = 0; !stop.get(); i++) {
      Bytes row = row(i % ROWS);
      assertThat(store.get(row, FAMILIES.get(i % 3), Bytes.EMPTY)).as("%s", row).isPresent();
      try (Scan scan = store.scan(ReadPredicate.rows(RowRange.row(row)), Store.Read.LATEST)) {
        assertThat(TestCells.rest(scan)).as("%s", row).hasSize(3);
      }
    }
  }

  /** The number of each row, the same in all of its families. */
  private Map<Bytes, Integer> checkRows(List<Version> versions, String about) {
    Map<Bytes, Integer> numbers = new HashMap<>();
    for (Version version : versions) {
      int number = Integer.parseInt(version.value().toUtf8());
      Integer known = numbers.putIfAbsent(version.row(), number);
      assertThat(known == null ? number : known).as("%s: %s", about, versions).isEqualTo(number);
    }
    assertThat(versions).as(about).hasSize(ROWS * FAMILIES.size());
    checked.incrementAndGet();
    return numbers;
  }
}
