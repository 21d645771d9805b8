package io.stele.engine.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.RequestMark;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.ListCursor;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How reads and rewrites treat the marks of requests. */
class RequestMarkRulesTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes ID = Bytes.utf8("request 1");
  private static final long SECOND = 1_000_000;

  /** A mark that lives for ten seconds from a time on. */
  private static Cell mark(Bytes id, long micros, long txn) {
    Cell cell = new RequestMark(id, 10).cell(ROW, Bytes.utf8("answer"));
    return new Cell(ROW, cell.family(), cell.qualifier(), micros, txn, CellKind.PUT, cell.value());
  }

  private static Cell put(long txn) {
    return Cell.put(ROW, FAMILY, FAMILY, 1, Bytes.utf8("v")).withTxn(txn);
  }

  private static List<Cell> read(List<Cell> cells, ReadPredicate predicate) {
    return RandomCells.drain(
        new VisibleCursor(
            new ListCursor(cells),
            true,
            Long.MAX_VALUE,
            predicate,
            new PurgePolicy.MaxHistory(1),
            0));
  }

  private static List<Cell> rewrite(List<Cell> cells, long now) {
    RetainCursor cursor =
        new RetainCursor(
            new ListCursor(cells),
            SnapshotSet.NONE,
            Older.NONE,
            new PurgePolicy.MaxHistory(1),
            now);
    List<Cell> kept = new ArrayList<>();
    while (cursor.next()) {
      kept.add(cursor.cell().toCell());
    }
    return kept;
  }

  @Test
  void readsPassThemOver() {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      cells.add(mark(Bytes.utf8("request %03d".formatted(i)), 1, 1));
    }
    cells.add(put(2));
    assertThat(read(cells, ReadPredicate.ALL)).containsExactly(put(2));
    assertThat(read(cells, ReadPredicate.ALL.withColumns(ColumnRange.family(FAMILY))))
        .containsExactly(put(2));
    assertThat(read(List.of(mark(ID, 1, 1)), ReadPredicate.ALL)).isEmpty();
  }

  @Test
  void oneThatIsAskedForIsFoundThoughItsRowWasErased() {
    ReadPredicate asked = ReadPredicate.ALL.withColumns(ColumnRange.column(RequestMark.FAMILY, ID));
    List<Cell> cells =
        List.of(
            mark(ID, 1, 1),
            mark(Bytes.utf8("request 2"), 1, 1),
            put(1),
            Cell.eraseRow(ROW).withTxn(2));
    assertThat(read(cells, asked)).containsExactly(mark(ID, 1, 1));
    assertThat(read(cells, ReadPredicate.ALL)).isEmpty();
  }

  @Test
  void rewritesKeepThemUntilTheirTimeIsOver() {
    List<Cell> cells =
        List.of(
            mark(ID, 0, 1),
            mark(Bytes.utf8("request 2"), 5 * SECOND, 3),
            put(1),
            Cell.eraseRow(ROW).withTxn(2),
            put(4));
    assertThat(rewrite(cells, 9 * SECOND))
        .containsExactly(cells.get(0), cells.get(1), cells.get(4));
    assertThat(rewrite(cells, 12 * SECOND)).containsExactly(cells.get(1), cells.get(4));
    assertThat(rewrite(cells, 20 * SECOND)).containsExactly(cells.get(4));
  }

  @Test
  void theyBelongToNoFamily() {
    FamilyFilterCursor other =
        new FamilyFilterCursor(
            new ListCursor(List.of(mark(ID, 1, 1), put(2))), Set.of(Bytes.utf8("g")));
    assertThat(RandomCells.drain(other)).containsExactly(mark(ID, 1, 1));
  }
}
