package io.stele.engine.merge;

import static io.stele.engine.fragment.RandomCells.drain;
import static io.stele.engine.fragment.RandomCells.drainFrom;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.RandomCells;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random histories by time, read through the cursors and by the definition of what is visible. */
class TimeModelTest {
  private long first;
  private int seeds = 60;
  private static final Resolution BY_TIME = new Resolution.ByTime(0);
  private static final ErasureExpiry ALWAYS = new ErasureExpiry(Long.MAX_VALUE, Long.MAX_VALUE);

  private static List<Cell> visible(Collection<Cell> cells, long txn) {
    return visible(cells, txn, PurgePolicy.NONE, 0);
  }

  private static List<Cell> visible(Collection<Cell> cells, long txn, PurgePolicy purge, long now) {
    return VisibilityModel.byTime(cells).visible(txn, ReadPredicate.ALL, purge, now);
  }

  private static List<Cell> timeless(List<Cell> cells) {
    return cells.stream().map(cell -> cell.withTxn(0)).toList();
  }

  private static VisibleCursor reader(
      RandomChain history, long txn, ReadPredicate predicate, PurgePolicy purge, long now) {
    return new VisibleCursor(history.merged(), BY_TIME, history.wide, txn, predicate, purge, now);
  }

  private static List<Cell> rewrite(
      RandomChain history,
      int from,
      int to,
      SnapshotSet snapshots,
      ErasureExpiry expiry,
      PurgePolicy purge) {
    TimeRetainCursor kept =
        new TimeRetainCursor(
            history.merged(history.chain.subList(from, to)),
            snapshots,
            history.older(from),
            expiry,
            purge,
            3);
    List<Cell> cells = new ArrayList<>();
    while (kept.next()) {
      cells.add(kept.cell().toCell());
    }
    return cells;
  }

  @Test
  void readersSeeWhatTheDefinitionSays() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      for (int i = 0; i < 3; i++) {
        ReadPredicate predicate = history.predicate();
        PurgePolicy purge = history.purge();
        long txn = history.readTxn();
        long now = history.cells.time() + 2;

        assertThat(timeless(drain(reader(history, txn, predicate, purge, now))))
            .as("seed %d, txn %d, %s, %s, now %d", seed, txn, predicate, purge, now)
            .isEqualTo(VisibilityModel.byTime(history.all).visible(txn, predicate, purge, now));
      }
    }
  }

  @Test
  void aReaderThatSeeksSeesTheSameCellsFromThereOn() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      ReadPredicate predicate = history.predicate();
      PurgePolicy purge = history.purge();
      long txn = history.readTxn();
      VisibleCursor cursor = reader(history, txn, predicate, purge, 3);
      for (int i = 0; i < 5; i++) {
        CellView target = history.target();
        target.txn = target.txn == Long.MAX_VALUE ? target.txn : 0; // behind a whole version
        assertThat(timeless(drainFrom(cursor, target)))
            .as("seed %d, txn %d, %s, %s, from %s", seed, txn, predicate, purge, target)
            .isEqualTo(
                VisibilityModel.byTime(history.all).visible(txn, predicate, purge, 3).stream()
                    .filter(cell -> cell.withTxn(1).view().compareTo(target) >= 0)
                    .toList());
      }
    }
  }

  /** The order in which cells came plays no part in what is seen of them. */
  @Test
  void anyOrderGivesTheSame() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      List<Cell> shuffled = new ArrayList<>(history.all);
      Collections.shuffle(shuffled, new Random(seed));
      List<Cell> again = new ArrayList<>();
      for (int i = 0; i < shuffled.size(); i++) {
        again.add(shuffled.get(i).withTxn(i + 1));
      }
      VisibleCursor cursor =
          new VisibleCursor(
              history.merged(List.of(again)),
              BY_TIME,
              true,
              Long.MAX_VALUE,
              ReadPredicate.ALL,
              PurgePolicy.NONE,
              0);

      assertThat(timeless(drain(cursor)))
          .as("seed %d", seed)
          .isEqualTo(visible(history.all, Long.MAX_VALUE));
    }
  }

  /**
   * Rewriting any part of the chain changes nothing for any open snapshot, nor for the newest, also
   * if it drops all erasures that hide nothing of other fragments.
   */
  @Test
  void whatARewriteKeepsIsWhatAllReadersNeed() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      List<Long> txns = new ArrayList<>();
      SnapshotSet snapshots = history.snapshots(txns);
      int from = history.random.nextInt(history.chain.size());
      int to = history.random.nextInt(from, history.chain.size()) + 1;
      List<Cell> others = new ArrayList<>();
      history.chain.subList(0, from).forEach(others::addAll);
      history.chain.subList(to, history.chain.size()).forEach(others::addAll);

      List<Cell> rewritten =
          rewrite(history, from, to, snapshots, expiry(from, others), PurgePolicy.NONE);
      List<Cell> after = new ArrayList<>(rewritten);
      after.addAll(others);

      assertThat(rewritten).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
      txns.add(history.lastTxn);
      for (long txn : txns) {
        assertThat(visible(after, txn))
            .as("seed %d, snapshots %s, fragments [%d, %d), at %d", seed, txns, from, to, txn)
            .isEqualTo(visible(history.all, txn));
      }
    }
  }

  private static ErasureExpiry expiry(int from, List<Cell> others) {
    if (from > 0) {
      return ErasureExpiry.NEVER;
    }
    long time = Long.MAX_VALUE;
    for (Cell cell : others) {
      time = Math.min(time, cell.timestamp());
    }
    return new ErasureExpiry(Long.MAX_VALUE, time);
  }

  /** What came later, in whatever order, meets the same as if nothing had been rewritten. */
  @Test
  void whatComesAfterARewriteMeetsTheSame() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      List<Cell> kept =
          rewrite(
              history,
              0,
              history.chain.size(),
              SnapshotSet.NONE,
              ErasureExpiry.NEVER,
              PurgePolicy.NONE);
      List<Cell> later = history.cells.commits(history.lastTxn + 1, history.lastTxn + 20);
      List<Cell> after = new ArrayList<>(kept);
      after.addAll(later);
      List<Cell> all = new ArrayList<>(history.all);
      all.addAll(later);

      assertThat(visible(after, Long.MAX_VALUE))
          .as("seed %d", seed)
          .isEqualTo(visible(all, Long.MAX_VALUE));
    }
  }

  /** Under a purge policy, where erasures are of all up to some time. */
  @Test
  void whatARewritePurgesNoReaderWouldSee() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redeliveredPrefixErasures(seed);
      PurgePolicy purge = history.purge();
      List<Long> txns = new ArrayList<>();
      SnapshotSet snapshots = history.snapshots(txns);
      int from = history.random.nextInt(history.chain.size());
      int to = history.random.nextInt(from, history.chain.size()) + 1;
      List<Cell> others = new ArrayList<>();
      history.chain.subList(0, from).forEach(others::addAll);
      history.chain.subList(to, history.chain.size()).forEach(others::addAll);

      List<Cell> after = rewrite(history, from, to, snapshots, expiry(from, others), purge);
      after.addAll(others);

      txns.add(history.lastTxn);
      for (long txn : txns) {
        for (long now = 3; now < 6; now++) {
          assertThat(visible(after, txn, purge, now))
              .as(
                  "seed %d, %s, snapshots %s, [%d, %d), at %d, now %d",
                  seed, purge, txns, from, to, txn, now)
              .isEqualTo(visible(history.all, txn, purge, now));
        }
      }
    }
  }

  /**
   * Without snapshots a rewrite of all leaves what is visible, and erasures as long as asked to.
   */
  @Test
  void aRewriteOfAllLeavesNoGarbage() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      int size = history.chain.size();

      List<Cell> expired = rewrite(history, 0, size, SnapshotSet.NONE, ALWAYS, PurgePolicy.NONE);
      List<Cell> unexpired =
          rewrite(history, 0, size, SnapshotSet.NONE, ErasureExpiry.NEVER, PurgePolicy.NONE);

      // No version has the largest timestamp: an erasure of all never expires.
      assertThat(timeless(expired.stream().filter(cell -> cell.kind() == CellKind.PUT).toList()))
          .as("seed %d", seed)
          .isEqualTo(visible(history.all, history.lastTxn))
          .isEqualTo(
              timeless(unexpired.stream().filter(cell -> cell.kind() == CellKind.PUT).toList()));
      assertThat(expired).as("seed %d", seed).allMatch(cell -> cell.kind() == CellKind.PUT);
      for (Cell erasure : unexpired) {
        for (Cell other : unexpired) {
          if (other != erasure && tells(erasure, other)) {
            throw new AssertionError("seed " + seed + ": " + other + " is told by " + erasure);
          }
        }
      }
    }
  }

  private static boolean tells(Cell erasure, Cell other) {
    return erasure.kind().isWide() && erasure.covers(other);
  }

  /** Whoever has all, by its own account, is not changed by it, whatever else comes. */
  @Test
  void whoHasAllOfABatchIsNotChangedByIt() {
    int had = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = RandomChain.redelivered(seed);
      List<Cell> later = history.cells.commits(history.lastTxn + 2, history.lastTxn + 9);
      for (int i = 0; i < 6; i++) {
        List<Cell> offered =
            i < 4 ? history.cells.commit(history.lastTxn + 1) : redelivered(history);
        CellBatchBuilder builder = new CellBatchBuilder();
        offered.forEach(builder::add);
        CellBatch batch = builder.build();

        TimeHoldings holdings =
            new TimeHoldings(
                _ -> Optional.of(history.mergedRow()), Long.MAX_VALUE, PurgePolicy.NONE, 0);
        boolean hasAll = holdings.hasAll(batch);

        if (hasAll) {
          had++;
          List<Cell> with = new ArrayList<>(history.all);
          with.addAll(offered);
          with.addAll(later);
          List<Cell> without = new ArrayList<>(history.all);
          without.addAll(later);
          assertThat(visible(with, Long.MAX_VALUE))
              .as("seed %d, %s", seed, offered)
              .isEqualTo(visible(without, Long.MAX_VALUE));
        } else {
          assertThat(i).as("seed %d: all of %s is here", seed, offered).isLessThan(4);
        }
      }
    }
    assertThat(had).as("batches that were there").isGreaterThan(2 * seeds);
  }

  private static List<Cell> redelivered(RandomChain history) {
    List<Cell> shuffled = new ArrayList<>(history.all);
    Collections.shuffle(shuffled, new Random(history.lastTxn));
    CellBatchBuilder batch = new CellBatchBuilder();
    shuffled.stream().limit(4).forEach(batch::add);
    return RandomCells.cells(batch.build().committed(history.lastTxn + 1));
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        TimeModelTest.class,
        1,
        seed -> {
          first = seed * seeds;
          readersSeeWhatTheDefinitionSays();
          aReaderThatSeeksSeesTheSameCellsFromThereOn();
          anyOrderGivesTheSame();
          whatARewriteKeepsIsWhatAllReadersNeed();
          whatComesAfterARewriteMeetsTheSame();
          whatARewritePurgesNoReaderWouldSee();
          aRewriteOfAllLeavesNoGarbage();
          whoHasAllOfABatchIsNotChangedByIt();
          return 8 * seeds;
        });
  }
}
