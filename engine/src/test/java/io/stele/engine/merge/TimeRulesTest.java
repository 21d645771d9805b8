package io.stele.engine.merge;

import static io.stele.engine.TestCells.COLUMN;
import static io.stele.engine.TestCells.FAMILY;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.cell;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.ListCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is believed by time, rule by rule; each in both orders of arrival. */
class TimeRulesTest {
  private static final Bytes ROW = bytes("r");

  /** What is seen of cells that came in this order, as {@code timestamp=value}. */
  private static List<String> seen(Cell... cells) {
    List<String> found = read(cells);
    Cell[] reversed = new Cell[cells.length];
    for (int i = 0; i < cells.length; i++) {
      reversed[i] = cells[cells.length - 1 - i];
    }
    assertThat(read(reversed)).as("in the other order").isEqualTo(found);
    return found;
  }

  private static List<String> read(Cell... cells) {
    VisibleCursor cursor =
        new VisibleCursor(
            new ListCursor(committed(cells)),
            new Resolution.ByTime(0),
            true,
            Long.MAX_VALUE,
            ReadPredicate.ALL,
            PurgePolicy.NONE,
            0);
    List<String> found = new ArrayList<>();
    while (cursor.next()) {
      found.add(cursor.cell().timestamp + "=" + cursor.cell().value().toUtf8());
    }
    return found;
  }

  private static List<Cell> committed(Cell... cells) {
    List<Cell> committed = new ArrayList<>();
    for (Cell cell : cells) {
      committed.add(cell.withTxn(committed.size() + 1));
    }
    return committed;
  }

  private static List<String> kept(SnapshotSet snapshots, ErasureExpiry expiry, Cell... cells) {
    TimeRetainCursor kept =
        new TimeRetainCursor(
            new ListCursor(committed(cells)), snapshots, Older.NONE, expiry, PurgePolicy.NONE, 0);
    List<String> found = new ArrayList<>();
    while (kept.next()) {
      found.add(kept.cell().toString());
    }
    return found;
  }

  private static Cell eraseColumn(long from, long to) {
    return Cell.eraseColumn(ROW, FAMILY, COLUMN, from, to);
  }

  @Test
  void ofPutsWithOneTimestampTheGreaterValueWins() {
    assertThat(seen(cell("r", 5, "a"), cell("r", 5, "b"))).containsExactly("5=b");
    assertThat(seen(cell("r", 5, "b"), cell("r", 5, "ba"))).containsExactly("5=ba");
    Cell high = Cell.put(ROW, FAMILY, COLUMN, 5, Bytes.of((byte) 0xc3, (byte) 0xa9));
    assertThat(seen(cell("r", 5, "z"), high)).as("unsigned").containsExactly("5=é");
  }

  @Test
  void anErasureOfACellWinsOverItsPuts() {
    assertThat(seen(Cell.eraseCell(ROW, FAMILY, COLUMN, 5), cell("r", 5, "a"))).isEmpty();
    assertThat(seen(Cell.eraseCell(ROW, FAMILY, COLUMN, 5), cell("r", 6, "a"), cell("r", 4, "b")))
        .containsExactly("6=a", "4=b");
  }

  @Test
  void aWideErasureHidesItsTimesAndNoOthers() {
    Cell[] puts = {cell("r", 4, "a"), cell("r", 5, "b"), cell("r", 6, "c"), cell("r", 7, "d")};
    for (Cell erasure :
        List.of(eraseColumn(5, 7), Cell.eraseFamily(ROW, FAMILY, 5, 7), Cell.eraseRow(ROW, 5, 7))) {
      Cell[] all = Arrays.copyOf(puts, 5);
      all[4] = erasure;
      assertThat(seen(all)).as(erasure.toString()).containsExactly("7=d", "4=a");
    }
  }

  @Test
  void erasuresOfAFamilyAndAColumnLeaveTheOthers() {
    Bytes other = bytes("other");
    assertThat(
            seen(
                cell("r", 5, "a"),
                Cell.put(ROW, other, COLUMN, 5, bytes("b")),
                Cell.eraseFamily(ROW, FAMILY, 0, 9)))
        .containsExactly("5=b");
    assertThat(
            seen(
                cell("r", 5, "a"),
                Cell.put(ROW, FAMILY, other, 5, bytes("b")),
                eraseColumn(0, 9),
                cell("s", 5, "c")))
        .containsExactly("5=b", "5=c");
  }

  @Test
  void aRewriteKeepsTheWinnerAlone() {
    assertThat(
            kept(
                SnapshotSet.NONE,
                ErasureExpiry.NEVER,
                cell("r", 5, "b"),
                cell("r", 5, "a"),
                cell("r", 5, "c"),
                cell("r", 5, "c")))
        .as("as it came first")
        .containsExactly("r/f:c@5#3=c");
  }

  @Test
  void aRewriteKeepsWhatASnapshotSees() {
    assertThat(
            kept(
                new SnapshotSet(1, 2),
                ErasureExpiry.NEVER,
                cell("r", 5, "b"),
                cell("r", 5, "a"),
                cell("r", 5, "c")))
        .as("b until c came; a never")
        .containsExactly("r/f:c@5#3=c", "r/f:c@5#1=b");
  }

  @Test
  void cellsGoWithAnErasureThatStays() {
    assertThat(kept(SnapshotSet.NONE, ErasureExpiry.NEVER, eraseColumn(0, 9), cell("r", 5, "late")))
        .containsExactly("-r/f:c@[0,9)#1");
  }

  @Test
  void anErasureGoesOnceItHasBeenHereLongEnoughAndEndsEarlyEnough() {
    Cell erasure = eraseColumn(0, 9);
    assertThat(kept(SnapshotSet.NONE, new ErasureExpiry(1, 9), erasure)).isEmpty();
    assertThat(kept(SnapshotSet.NONE, new ErasureExpiry(0, 9), erasure)).as("new").hasSize(1);
    assertThat(kept(SnapshotSet.NONE, new ErasureExpiry(1, 8), erasure)).as("to 8").hasSize(1);
    assertThat(kept(new SnapshotSet(0), new ErasureExpiry(1, 9), erasure)).as("open").hasSize(1);
    Cell ofCell = Cell.eraseCell(ROW, FAMILY, COLUMN, 5);
    assertThat(kept(SnapshotSet.NONE, new ErasureExpiry(1, 6), ofCell)).isEmpty();
    assertThat(kept(SnapshotSet.NONE, new ErasureExpiry(1, 5), ofCell)).as("to 5").hasSize(1);
  }

  @Test
  void ofErasuresTheWiderOneIsKept() {
    assertThat(
            kept(
                SnapshotSet.NONE,
                ErasureExpiry.NEVER,
                eraseColumn(2, 5),
                eraseColumn(0, 9),
                eraseColumn(3, 4),
                eraseColumn(5, 12)))
        .containsExactly("-r/f:c@[5,12)#4", "-r/f:c@[0,9)#2");
    assertThat(
            kept(
                SnapshotSet.NONE,
                ErasureExpiry.NEVER,
                eraseColumn(2, 5),
                Cell.eraseFamily(ROW, FAMILY, 2, 6),
                Cell.eraseRow(ROW, 0, 6)))
        .containsExactly("-r@[0,6)#3");
  }
}
