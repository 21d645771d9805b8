package io.stele.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers beside a writer. Whoever starts to read when a transaction is published meets every cell
 * up to it, in order and once, whatever the writer does meanwhile.
 */
@Timeout(120)
class MemFragmentReadersTest {
  private static final int READERS = 2;

  /** The batches of a run, and what they come to. */
  private static final class Run {
    final List<CellBatch> batches = new ArrayList<>();
    final List<List<Cell>> cells = new ArrayList<>();
    final long[] counts; // cells of transactions up to the index
    final long[] sums; // of their fingerprints

    Run(int transactions, boolean ascending, long seed) {
      RandomGenerator random = RandomSource.seeded(seed);
      counts = new long[transactions + 1];
      sums = new long[transactions + 1];
      for (int txn = 1; txn <= transactions; txn++) {
        CellBatchBuilder builder = new CellBatchBuilder();
        for (int n = random.nextInt(1, 5); n > 0; n--) {
          long key = ascending ? txn * 10L + n : random.nextLong(1L << 40);
          Bytes value = Bytes.utf8("value " + txn);
          builder.put(Bytes.utf8("%013d".formatted(key)), Bytes.utf8("f"), Bytes.EMPTY, n, value);
        }
        CellBatch batch = builder.build().committed(txn);
        batches.add(batch);
        cells.add(RandomCells.cells(batch));
        counts[txn] = counts[txn - 1] + batch.cellCount();
        sums[txn] = sums[txn - 1] + cells.getLast().stream().mapToLong(Run::fingerprint).sum();
      }
    }

    static long fingerprint(Cell cell) {
      return cell.hashCode() * 0x9e3779b97f4a7c15L;
    }
  }

  private static final class Shared {
    final MemFragment fragment = new MemFragment();
    volatile int published;
    volatile boolean done;
    final CountDownLatch reading = new CountDownLatch(READERS);
  }

  @Test
  void readersMeetAllThatWasPublishedWhenTheyStarted() throws Exception {
    for (long seed = 0; seed < 6; seed++) {
      Run run = new Run(6_000, seed % 3 == 0, seed);
      Shared shared = new Shared();
      List<Callable<Long>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        RandomGenerator random = RandomSource.seeded(seed * 100 + i);
        readers.add(() -> read(run, shared, random));
      }
      assertThat(together(() -> write(run, shared), readers)).allMatch(scans -> scans > 1);
    }
  }

  /** Writes the second half when all readers are at work, however late they start. */
  private static void write(Run run, Shared shared) {
    for (int i = 0; i < run.batches.size(); i++) {
      if (i == run.batches.size() / 2) {
        awaitReaders(shared);
      }
      shared.fragment.add(run.batches.get(i));
      shared.published = i + 1;
    }
    shared.done = true;
  }

  private static void awaitReaders(Shared shared) {
    try {
      assertThat(shared.reading.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long read(Run run, Shared shared, RandomGenerator random) {
    long scans = 0;
    boolean last;
    do {
      last = shared.done;
      int published = shared.published;
      scan(run, shared.fragment.cursor(TimeBounds.ALL), published);
      for (int i = 0; i < 50 && published > 0; i++) {
        List<Cell> some = run.cells.get(random.nextInt(published));
        Cell cell = some.get(random.nextInt(some.size()));
        CellCursor cursor = shared.fragment.cursor(TimeBounds.ALL);
        if (!cursor.seek(cell.view()) || !cursor.cell().toCell().equals(cell)) {
          throw new AssertionError(cell + " is not found, published are " + published);
        }
      }
      if (scans++ == 0) {
        shared.reading.countDown();
      }
    } while (!last);
    return scans;
  }

  private static void scan(Run run, CellCursor cursor, int published) {
    long count = 0;
    long sum = 0;
    Cell before = null;
    while (cursor.next()) {
      CellView view = cursor.cell();
      Cell cell = view.toCell();
      if (before != null && before.compareTo(cell) >= 0) {
        throw new AssertionError(cell + " comes behind " + before);
      }
      before = cell;
      if (cell.txn() <= published) {
        count++;
        sum += Run.fingerprint(cell);
      }
    }
    if (count != run.counts[published] || sum != run.sums[published]) {
      throw new AssertionError(
          count + " cells up to transaction " + published + " instead of " + run.counts[published]);
    }
  }

  private static List<Long> together(Runnable writer, List<Callable<Long>> readers)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(readers.size() + 1);
    try {
      List<Future<Long>> reading = new ArrayList<>();
      for (Callable<Long> reader : readers) {
        reading.add(threads.submit(reader));
      }
      threads.submit(writer).get(60, TimeUnit.SECONDS);
      List<Long> answers = new ArrayList<>();
      for (Future<Long> reader : reading) {
        answers.add(reader.get(60, TimeUnit.SECONDS));
      }
      return answers;
    } finally {
      threads.shutdownNow();
    }
  }

  /** What the writer says of the fragment is never behind what a reader can find in it. */
  @Test
  void theMarksAreSetBeforeTheCellsAppear() throws Exception {
    for (int round = 0; round < 300; round++) {
      Shared shared = new Shared();
      CellBatch erasure =
          new CellBatchBuilder().add(Cell.eraseFamily(Bytes.utf8("r"), Bytes.utf8("f"))).build();
      Callable<Long> reader =
          () -> {
            while (!shared.fragment.cursor(TimeBounds.ALL).next()) {
              Thread.onSpinWait();
            }
            assertThat(shared.fragment.mayHoldWideErasures()).isTrue();
            assertThat(shared.fragment.families()).containsExactly(Bytes.utf8("f"));
            assertThat(shared.fragment.maxTxn()).isEqualTo(1);
            assertThat(shared.fragment.isEmpty()).isFalse();
            return 1L;
          };
      assertThat(together(() -> shared.fragment.add(erasure.committed(1)), List.of(reader)))
          .containsExactlyElementsOf(LongStream.of(1).boxed().toList());
    }
  }
}
