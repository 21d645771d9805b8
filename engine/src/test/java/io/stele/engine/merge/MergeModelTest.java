package io.stele.engine.merge;

import static io.stele.engine.fragment.RandomCells.drain;
import static io.stele.engine.fragment.RandomCells.drainFrom;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random histories, read through the cursors and by the definition of what is visible. */
class MergeModelTest {
  private long first;
  private int seeds = 120;

  @Test
  void aMergeHasEveryCellOnceInOrder() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);

      List<Cell> expected = List.copyOf(new TreeSet<>(history.all));
      assertThat(drain(history.merged())).as("seed %d", seed).isEqualTo(expected);

      CellCursor cursor = history.merged();
      for (int i = 0; i < 5; i++) {
        CellView target = history.target();
        assertThat(drainFrom(cursor, target))
            .as("seed %d, from %s", seed, target)
            .isEqualTo(expected.stream().filter(c -> c.view().compareTo(target) >= 0).toList());
      }
    }
  }

  @Test
  void readersSeeWhatTheDefinitionSays() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      VisibilityModel model = new VisibilityModel(history.all);
      for (int i = 0; i < 4; i++) {
        ReadPredicate predicate = history.predicate();
        PurgePolicy purge = history.purge();
        long txn = history.readTxn();
        long now = history.cells.time() + 2;

        VisibleCursor cursor =
            new VisibleCursor(history.merged(), history.wide, txn, predicate, purge, now);

        assertThat(drain(cursor))
            .as("seed %d, txn %d, %s, %s, now %d", seed, txn, predicate, purge, now)
            .isEqualTo(model.visible(txn, predicate, purge, now));
        assertThat(cursor.next()).as("at the end it stays there").isFalse();
      }
    }
  }

  @Test
  void aReaderThatSeeksSeesTheSameCellsFromThereOn() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      VisibilityModel model = new VisibilityModel(history.all);
      ReadPredicate predicate = history.predicate();
      PurgePolicy purge = history.purge();
      long txn = history.readTxn();
      List<Cell> visible = model.visible(txn, predicate, purge, 3);
      VisibleCursor cursor =
          new VisibleCursor(history.merged(), history.wide, txn, predicate, purge, 3);
      for (int i = 0; i < 5; i++) {
        CellView target = history.target();
        assertThat(drainFrom(cursor, target))
            .as("seed %d, txn %d, %s, %s, from %s", seed, txn, predicate, purge, target)
            .isEqualTo(visible.stream().filter(c -> c.view().compareTo(target) >= 0).toList());
      }
    }
  }

  @Test
  void readersOfOneRowSeeTheSameThroughAMergeOfThatRow() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      VisibilityModel model = new VisibilityModel(history.all);
      for (int i = 0; i < 4; i++) {
        ReadPredicate predicate =
            history.predicate().withRows(List.of(RowRange.row(history.cells.row())));
        PurgePolicy purge = history.purge();
        long txn = history.readTxn();
        List<Cell> visible = model.visible(txn, predicate, purge, 3);

        VisibleCursor cursor =
            new VisibleCursor(history.mergedRow(), history.wide, txn, predicate, purge, 3);

        assertThat(drain(cursor))
            .as("seed %d, txn %d, %s, %s", seed, txn, predicate, purge)
            .isEqualTo(visible);
        CellView target = history.target();
        assertThat(drainFrom(cursor, target))
            .as("seed %d, txn %d, %s, %s, from %s", seed, txn, predicate, purge, target)
            .isEqualTo(visible.stream().filter(c -> c.view().compareTo(target) >= 0).toList());
      }
    }
  }

  @Test
  void theNewestVersionOfAColumnIsTheFirstThatAReaderWouldSee() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      VisibilityModel model = new VisibilityModel(history.all);
      PurgePolicy purge = history.purge();
      Bytes row = history.cells.row();
      Bytes family = history.cells.family();
      Bytes qualifier = history.cells.qualifier();
      long txn = history.readTxn();
      ReadPredicate predicate =
          ReadPredicate.rows(RowRange.row(row))
              .withColumns(ColumnRange.column(family, qualifier))
              .withHistory(1);

      ColumnReader reader = new ColumnReader(history.merged(), txn, purge, 3);

      assertThat(
              reader.newest(CellView.beforeColumn(row, family, qualifier), history.wide).stream()
                  .map(CellView::toCell))
          .as("seed %d, txn %d, %s/%s:%s, %s", seed, txn, row, family, qualifier, purge)
          .isEqualTo(model.visible(txn, predicate, purge, 3));
    }
  }

  /** Rewriting any part of the chain changes nothing for any open snapshot, nor for the newest. */
  @Test
  void whatARewriteKeepsIsWhatAllReadersNeed() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      List<Long> txns = new ArrayList<>();
      SnapshotSet snapshots = history.snapshots(txns);
      int from = history.random.nextInt(history.chain.size());
      int to = history.random.nextInt(from, history.chain.size()) + 1;

      List<Cell> rewritten = new ArrayList<>();
      RetainCursor kept =
          new RetainCursor(
              history.merged(history.chain.subList(from, to)),
              snapshots,
              history.older(from),
              PurgePolicy.NONE,
              0);
      while (kept.next()) {
        rewritten.add(kept.cell().toCell());
      }
      List<Cell> after = new ArrayList<>(rewritten);
      history.chain.subList(0, from).forEach(after::addAll);
      history.chain.subList(to, history.chain.size()).forEach(after::addAll);

      assertThat(rewritten).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
      txns.add(history.lastTxn);
      for (long txn : txns) {
        assertThat(new VisibilityModel(after).visible(txn, ReadPredicate.ALL, PurgePolicy.NONE, 0))
            .as("seed %d, snapshots %s, fragments [%d, %d), at %d", seed, txns, from, to, txn)
            .isEqualTo(
                new VisibilityModel(history.all)
                    .visible(txn, ReadPredicate.ALL, PurgePolicy.NONE, 0));
      }
    }
  }

  /** The same under a purge policy, for the newest fragments of a chain. */
  @Test
  void whatARewritePurgesNoReaderWouldSee() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      PurgePolicy purge = history.purge();
      List<Long> txns = new ArrayList<>();
      SnapshotSet snapshots = history.snapshots(txns);
      int from = history.random.nextInt(history.chain.size());

      RetainCursor kept =
          new RetainCursor(
              history.merged(history.chain.subList(from, history.chain.size())),
              snapshots,
              history.older(from),
              purge,
              3);
      List<Cell> after = new ArrayList<>();
      while (kept.next()) {
        after.add(kept.cell().toCell());
      }
      history.chain.subList(0, from).forEach(after::addAll);

      txns.add(history.lastTxn);
      for (long txn : txns) {
        for (long now = 3; now < 6; now++) {
          assertThat(new VisibilityModel(after).visible(txn, ReadPredicate.ALL, purge, now))
              .as(
                  "seed %d, %s, snapshots %s, from %d, at %d, now %d",
                  seed, purge, txns, from, txn, now)
              .isEqualTo(
                  new VisibilityModel(history.all).visible(txn, ReadPredicate.ALL, purge, now));
        }
      }
    }
  }

  /** Whatever the policy says later: what was overwritten or erased stays so after a rewrite. */
  @Test
  void whatARewritePurgesBringsNothingBackUnderAnotherPolicy() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      PurgePolicy purge = history.purge();
      int from = history.random.nextInt(history.chain.size());

      RetainCursor kept =
          new RetainCursor(
              history.merged(history.chain.subList(from, history.chain.size())),
              SnapshotSet.NONE,
              history.older(from),
              purge,
              3);
      List<Cell> after = new ArrayList<>();
      while (kept.next()) {
        after.add(kept.cell().toCell());
      }
      history.chain.subList(0, from).forEach(after::addAll);

      assertThat(
              new VisibilityModel(history.all)
                  .visible(history.lastTxn, ReadPredicate.ALL, PurgePolicy.NONE, 3))
          .as("seed %d, %s, from %d", seed, purge, from)
          .containsAll(
              new VisibilityModel(after)
                  .visible(history.lastTxn, ReadPredicate.ALL, PurgePolicy.NONE, 3));
    }
  }

  /** Without snapshots a rooted rewrite leaves the visible cells and nothing else. */
  @Test
  void aRootedRewriteLeavesNoGarbage() {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomChain history = new RandomChain(seed);
      PurgePolicy purge = history.purge();

      RetainCursor kept =
          new RetainCursor(history.merged(), SnapshotSet.NONE, Older.NONE, purge, 3);
      List<Cell> left = new ArrayList<>();
      while (kept.next()) {
        left.add(kept.cell().toCell());
      }

      assertThat(left)
          .as("seed %d, %s", seed, purge)
          .isEqualTo(
              new VisibilityModel(history.all)
                  .visible(history.lastTxn, ReadPredicate.ALL, purge, 3));
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        MergeModelTest.class,
        1,
        seed -> {
          first = seed * seeds;
          aMergeHasEveryCellOnceInOrder();
          readersSeeWhatTheDefinitionSays();
          aReaderThatSeeksSeesTheSameCellsFromThereOn();
          readersOfOneRowSeeTheSameThroughAMergeOfThatRow();
          theNewestVersionOfAColumnIsTheFirstThatAReaderWouldSee();
          whatARewriteKeepsIsWhatAllReadersNeed();
          whatARewritePurgesNoReaderWouldSee();
          whatARewritePurgesBringsNothingBackUnderAnotherPolicy();
          aRootedRewriteLeavesNoGarbage();
          return 9 * seeds;
        });
  }
}
