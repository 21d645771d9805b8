package io.stele.engine.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.ListCursor;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of reading and rewriting, one by one; {@link MergeModelTest} tries them together. */
class MergeRulesTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes COLUMN = Bytes.utf8("c");

  private static Cell put(long time, long txn) {
    return Cell.put(ROW, FAMILY, COLUMN, time, Bytes.utf8("v" + txn)).withTxn(txn);
  }

  private static List<Cell> erasures(long txn) {
    return List.of(
        Cell.eraseCell(ROW, FAMILY, COLUMN, 50).withTxn(txn),
        Cell.eraseColumn(ROW, FAMILY, COLUMN).withTxn(txn),
        Cell.eraseColumn(ROW, FAMILY, COLUMN, 50, 51).withTxn(txn),
        Cell.eraseFamily(ROW, FAMILY).withTxn(txn),
        Cell.eraseRow(ROW).withTxn(txn));
  }

  static List<Cell> erasuresAtFive() {
    return erasures(5);
  }

  private static List<Cell> read(List<Cell> cells, long txn) {
    return RandomCells.drain(
        new VisibleCursor(
            new ListCursor(cells), true, txn, ReadPredicate.ALL, PurgePolicy.NONE, 0));
  }

  private static List<Cell> rewrite(List<Cell> cells, boolean rooted, long... snapshots) {
    RetainCursor cursor =
        new RetainCursor(
            new ListCursor(cells),
            new SnapshotSet(snapshots),
            rooted ? Older.NONE : Older.UNKNOWN,
            PurgePolicy.NONE,
            0);
    List<Cell> kept = new ArrayList<>();
    while (cursor.next()) {
      kept.add(cursor.cell().toCell());
    }
    return kept;
  }

  @ParameterizedTest
  @MethodSource("erasuresAtFive")
  void anErasureHidesWhatWasCommittedBeforeItAndNeverWhatComesLater(Cell erasure) {
    assertThat(read(List.of(put(50, 4), erasure), 9)).isEmpty();
    assertThat(read(List.of(put(50, 4), erasure), 4)).as("not yet").hasSize(1);
    assertThat(read(List.of(put(50, 6), erasure), 9)).containsExactly(put(50, 6));
  }

  /** Whatever the timestamps: a later write with an older timestamp is seen. */
  @Test
  void aWideErasureDoesNotHideLaterWritesWithOlderTimestamps() {
    List<Cell> cells =
        List.of(put(50, 4), Cell.eraseColumn(ROW, FAMILY, COLUMN).withTxn(5), put(10, 6));

    assertThat(read(cells, 9)).containsExactly(put(10, 6));
  }

  @Test
  void aColumnErasureHidesExactlyItsHalfOpenRange() {
    List<Cell> cells =
        List.of(
            put(9, 1),
            put(10, 1),
            put(19, 1),
            put(20, 1),
            Cell.eraseColumn(ROW, FAMILY, COLUMN, 10, 20).withTxn(2));

    assertThat(read(cells, 9)).containsExactly(put(20, 1), put(9, 1));
  }

  /** Rows after the range that are newer than the snapshot are not walked through. */
  @Test
  void aReadEndsWithItsRangeThoughNewerCellsFollow() {
    List<Cell> cells = new ArrayList<>();
    cells.add(put(50, 4));
    for (int i = 0; i < 1_000; i++) {
      Bytes row = Bytes.utf8("s%04d".formatted(i));
      cells.add(Cell.put(row, FAMILY, COLUMN, 1, Bytes.EMPTY).withTxn(10));
    }
    cells.add(Cell.put(Bytes.utf8("z"), FAMILY, COLUMN, 1, Bytes.EMPTY).withTxn(5));
    int[] steps = {0};
    ListCursor list = new ListCursor(cells);
    CellCursor counting =
        new CellCursor() {
          @Override
          public boolean seek(CellView target) {
            steps[0]++;
            return list.seek(target);
          }

          @Override
          public boolean next() {
            steps[0]++;
            return list.next();
          }

          @Override
          public CellView cell() {
            return list.cell();
          }
        };
    ReadPredicate two =
        ReadPredicate.ALL.withRows(List.of(RowRange.row(ROW), RowRange.row(Bytes.utf8("z"))));
    assertThat(RandomCells.drain(new VisibleCursor(counting, true, 9, two, PurgePolicy.NONE, 0)))
        .hasSize(2);
    assertThat(steps[0]).isLessThan(10);
  }

  @Test
  void ofOneCellTheLatestTransactionCounts() {
    assertThat(read(List.of(put(50, 4), put(50, 7)), 9)).containsExactly(put(50, 7));
    assertThat(read(List.of(put(50, 4), put(50, 7)), 6)).containsExactly(put(50, 4));
  }

  @ParameterizedTest
  @MethodSource("erasuresAtFive")
  void onlyARootedRewriteDropsErasures(Cell erasure) {
    assertThat(rewrite(List.of(put(50, 4), erasure), false)).containsExactly(erasure);
    assertThat(rewrite(List.of(put(50, 4), erasure), true)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("erasuresAtFive")
  void aRootedRewriteKeepsErasuresThatAnOlderSnapshotNeeds(Cell erasure) {
    List<Cell> kept = rewrite(List.of(put(50, 4), erasure), true, 4);

    assertThat(kept).containsExactlyInAnyOrder(put(50, 4), erasure);
    assertThat(read(kept, 4)).containsExactly(put(50, 4));
    assertThat(read(kept, 9)).isEmpty();
    assertThat(rewrite(kept, true, 5)).as("a snapshot that sees it needs neither").isEmpty();
  }

  @Test
  void versionsBetweenWhichNoSnapshotReadsGo() {
    List<Cell> cells = List.of(put(50, 1), put(50, 3), put(50, 5), put(50, 7));

    assertThat(rewrite(cells, false, 4)).containsExactly(put(50, 7), put(50, 3));
    assertThat(rewrite(cells, false)).containsExactly(put(50, 7));
  }

  /** Found by the model: an erasure between two puts of one cell, and a snapshot in each gap. */
  @Test
  void aVersionThatASnapshotFindsErasedDoesNotCountAsHistoryForIt() {
    Cell erased = Cell.eraseCell(ROW, FAMILY, COLUMN, 50).withTxn(5);
    List<Cell> cells = List.of(put(40, 1), put(50, 2), erased, put(50, 9));
    RetainCursor rewrite =
        new RetainCursor(
            new ListCursor(cells),
            new SnapshotSet(3, 6),
            Older.NONE,
            PurgePolicy.parse("max-history=1"),
            0);
    List<Cell> kept = new ArrayList<>();
    while (rewrite.next()) {
      kept.add(rewrite.cell().toCell());
    }

    assertThat(read(kept, 6)).containsExactly(put(40, 1));
  }

  private static List<Cell> purged(Older older, Cell... cells) {
    RetainCursor rewrite =
        new RetainCursor(
            new ListCursor(List.of(cells)),
            SnapshotSet.NONE,
            older,
            PurgePolicy.parse("max-history=1"),
            0);
    List<Cell> kept = new ArrayList<>();
    while (rewrite.next()) {
      kept.add(rewrite.cell().toCell());
    }
    return kept;
  }

  /** Without it, the overwritten one would be read once t=10 is erased or more history allowed. */
  @Test
  void aVersionThatOverwroteOneInAnOlderFragmentIsNotPurgedWithoutIt() {
    Older withFive = new Older(true, 5);

    assertThat(purged(withFive, put(10, 3), put(5, 2))).containsExactly(put(10, 3), put(5, 2));
    assertThat(purged(Older.UNKNOWN, put(10, 3), put(5, 2))).hasSize(2);
    assertThat(purged(Older.NONE, put(10, 3), put(5, 2))).containsExactly(put(10, 3));
    assertThat(purged(withFive, put(10, 3), put(6, 2)))
        .as("older fragments have nothing at t=6 that could return")
        .containsExactly(put(10, 3));
  }

  /** Found by the model: a reader that is behind walked in circles over what it may not see. */
  @Test
  void cellsAboveTheReadTransactionDoNotLeadAReaderAstray() {
    List<Cell> cells = new ArrayList<>();
    cells.add(Cell.put(Bytes.utf8("a"), FAMILY, COLUMN, 1, Bytes.EMPTY).withTxn(1));
    cells.add(Cell.put(Bytes.utf8("z"), FAMILY, COLUMN, 1, Bytes.EMPTY).withTxn(1));
    for (int i = 0; i < 50; i++) {
      cells.add(Cell.put(Bytes.utf8("m" + i), FAMILY, COLUMN, 1, Bytes.EMPTY).withTxn(2));
    }

    assertThat(
            RandomCells.drain(
                new VisibleCursor(
                    new ListCursor(cells),
                    false,
                    1,
                    ReadPredicate.ALL.withHistory(1),
                    PurgePolicy.NONE,
                    0)))
        .extracting(c -> c.row().toUtf8())
        .containsExactly("a", "z");
  }

  @Test
  void aFamilyFilterLetsRowErasuresAndItsFamiliesPass() {
    Cell other = Cell.put(ROW, Bytes.utf8("g"), COLUMN, 1, Bytes.EMPTY).withTxn(1);
    Cell rowErasure = Cell.eraseRow(ROW).withTxn(2);
    Cell familyErasure = Cell.eraseFamily(ROW, Bytes.utf8("g")).withTxn(3);
    List<Cell> cells = List.of(put(50, 4), other, rowErasure, familyErasure);

    CellCursor filtered = new FamilyFilterCursor(new ListCursor(cells), Set.of(FAMILY));

    assertThat(RandomCells.drain(filtered)).containsExactly(rowErasure, put(50, 4));
    assertThat(RandomCells.drainFrom(filtered, other.view())).isEmpty();
    assertThat(RandomCells.drainFrom(filtered, put(50, 9).view())).containsExactly(put(50, 4));
    assertThat(
            RandomCells.drain(
                new FamilyFilterCursor(new ListCursor(cells), Set.of(Bytes.utf8("g")))))
        .containsExactly(rowErasure, familyErasure, other);
  }

  @Test
  void aPredicateSortsAndJoinsItsRanges() {
    ReadPredicate predicate =
        ReadPredicate.rows(range("m", "p"), range("a", "c"), range("b", "d"), range("d", "e"))
            .withColumns(
                ColumnRange.column(FAMILY, Bytes.utf8("x")),
                ColumnRange.family(Bytes.utf8("g")),
                ColumnRange.of(FAMILY, Bytes.utf8("a"), Bytes.utf8("m")),
                ColumnRange.of(FAMILY, Bytes.utf8("k"), Bytes.utf8("n")));

    assertThat(predicate.rows()).containsExactly(range("a", "e"), range("m", "p"));
    assertThat(predicate.columns())
        .containsExactly(
            ColumnRange.of(FAMILY, Bytes.utf8("a"), Bytes.utf8("n")),
            ColumnRange.column(FAMILY, Bytes.utf8("x")),
            ColumnRange.family(Bytes.utf8("g")));
    assertThat(ReadPredicate.rows(RowRange.row(ROW), RowRange.ALL).rows())
        .containsExactly(RowRange.ALL);
  }

  @Test
  void predicatesThatCanMatchNothingAreRefused() {
    assertThatThrownBy(() -> ReadPredicate.ALL.withRows(List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("without rows");
    assertThatThrownBy(() -> ReadPredicate.ALL.withTime(5, 5))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("[5, 5) is empty");
    assertThatThrownBy(() -> ReadPredicate.ALL.withHistory(0))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("history of 0");
    assertThatThrownBy(() -> range("b", "a"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("from b to a is upside down");
    assertThatThrownBy(() -> ColumnRange.family(Bytes.EMPTY))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("without a family");
  }

  private static RowRange range(String from, String to) {
    return new RowRange(Bytes.utf8(from), Bytes.utf8(to));
  }
}
