package io.stele.engine.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CellTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("family");
  private static final Bytes COLUMN = Bytes.utf8("column");

  private static Bytes bytes(int length) {
    return Bytes.wrap(new byte[length]);
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(InvalidRequestException.class).hasMessage(message);
  }

  @Test
  void everyPartMayBeAsLongAsItsLimit() {
    Cell longest =
        Cell.put(
            bytes(Cell.MAX_ROW),
            bytes(Cell.MAX_FAMILY),
            bytes(Cell.MAX_QUALIFIER),
            0,
            bytes(70_000));
    assertThat(longest.row()).isEqualTo(bytes(Cell.MAX_ROW));
    assertThat(longest.family()).isEqualTo(bytes(Cell.MAX_FAMILY));
    assertThat(longest.qualifier()).isEqualTo(bytes(Cell.MAX_QUALIFIER));
    assertThat(longest.value()).isEqualTo(bytes(70_000));
    for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE - 1}) {
      assertThat(Cell.put(bytes(1), bytes(1), Bytes.EMPTY, time, Bytes.EMPTY).timestamp())
          .isEqualTo(time);
    }
    assertThat(Cell.eraseRow(bytes(1)).kind()).isEqualTo(CellKind.ERASE_ROW);
  }

  @Test
  void partsThatAreTooLongOrMissingAreNamed() {
    assertRefused(
        () -> Cell.eraseRow(Bytes.EMPTY), "row key of 0 bytes in a ERASE_ROW: must be 1 to 65535");
    assertRefused(
        () -> Cell.eraseRow(bytes(65_536)),
        "row key of 65536 bytes in a ERASE_ROW: must be 1 to 65535");
    assertRefused(
        () -> Cell.eraseFamily(ROW, Bytes.EMPTY),
        "family of 0 bytes in a ERASE_FAMILY: must be 1 to 255");
    assertRefused(
        () -> Cell.eraseCell(ROW, bytes(256), COLUMN, 1),
        "family of 256 bytes in a ERASE_CELL: must be 1 to 255");
    assertRefused(
        () -> Cell.eraseColumn(ROW, FAMILY, bytes(65_536)),
        "qualifier of 65536 bytes in a ERASE_COLUMN: must be 0 to 65535");
    Bytes large = bytes(Cell.MAX_VALUE + 1);
    assertRefused(
        () -> Cell.put(ROW, FAMILY, COLUMN, 1, large),
        "value of 67108865 bytes in a PUT: must be 0 to 67108864");
  }

  @Test
  void partsThatAKindDoesNotHaveAreRefused() {
    assertRefused(
        () -> new Cell(ROW, FAMILY, Bytes.EMPTY, CellView.WIDE, 1, CellKind.ERASE_ROW, Bytes.EMPTY),
        "family of 6 bytes in a ERASE_ROW: must be 0");
    assertRefused(
        () -> new Cell(ROW, FAMILY, COLUMN, CellView.WIDE, 1, CellKind.ERASE_FAMILY, Bytes.EMPTY),
        "qualifier of 6 bytes in a ERASE_FAMILY: must be 0");
    assertRefused(
        () -> new Cell(ROW, FAMILY, COLUMN, 5, 1, CellKind.ERASE_CELL, COLUMN),
        "value of 6 bytes in a ERASE_CELL: must be 0");
    assertRefused(
        () -> new Cell(ROW, FAMILY, COLUMN, CellView.WIDE, 1, CellKind.ERASE_COLUMN, COLUMN),
        "time range of 6 bytes in a ERASE_COLUMN: must be 16");
  }

  @Test
  void timestampsAndRangesThatMakeNoSenseAreRefused() {
    assertRefused(
        () -> Cell.put(ROW, FAMILY, COLUMN, Long.MAX_VALUE, Bytes.EMPTY),
        "timestamp 9223372036854775807 of a PUT: the largest is 9223372036854775806");
    assertRefused(
        () -> Cell.eraseColumn(ROW, FAMILY, COLUMN, 5, 5),
        "time range [5, 5) to erase is empty: from must be below to");
    assertRefused(
        () -> Cell.eraseColumn(ROW, FAMILY, COLUMN, 1, -1),
        "time range [1, -1) to erase is empty: from must be below to");
  }

  @Test
  void isReadByPeople() {
    assertThat(Cell.put(ROW, FAMILY, COLUMN, 7, Bytes.of((byte) 1)).withTxn(3))
        .hasToString("row/family:column@7#3=\\x01");
    assertThat(Cell.eraseCell(ROW, FAMILY, COLUMN, 7)).hasToString("-row/family:column@7#0");
    assertThat(Cell.eraseColumn(ROW, FAMILY, COLUMN, -2, 9))
        .hasToString("-row/family:column@[-2,9)#0");
    assertThat(Cell.eraseFamily(ROW, FAMILY)).hasToString("-row/family#0");
    assertThat(Cell.eraseRow(ROW)).hasToString("-row#0");
    assertThat(CellView.beforeColumn(Bytes.EMPTY, FAMILY, COLUMN))
        .as("a place to seek to is no cell, but has a name")
        .hasToString("-/family:column@[)#9223372036854775807");
  }

  @Test
  void viewsAndCellsHaveOneOrder() {
    List<Cell> cells = differentCells();
    RandomGenerator random = RandomSource.seeded(1);
    for (int i = 0; i < 300_000; i++) {
      Cell a = cells.get(random.nextInt(cells.size()));
      Cell b = cells.get(random.nextInt(cells.size()));
      int expected = Integer.signum(a.compareTo(b));
      assertThat(Integer.signum(a.view().compareTo(b.view())))
          .as("%s, %s", a, b)
          .isEqualTo(expected);
      assertThat(Integer.signum(b.view().compareTo(a.view()))).isEqualTo(-expected);
      if (a.row().equals(b.row())) {
        assertThat(Integer.signum(a.view().compareWithinRow(b.view()))).isEqualTo(expected);
      }
    }
  }

  /** Row ↑, family ↑, qualifier ↑, timestamp ↓, txn ↓, by unsigned bytes. */
  @Test
  void theOrderIsTheDocumentedOne() {
    Bytes low = Bytes.of((byte) 0x7f);
    Bytes high = Bytes.of((byte) 0x80);
    List<Cell> ascending =
        List.of(
            Cell.eraseRow(low).withTxn(9),
            Cell.eraseRow(low).withTxn(8),
            Cell.eraseFamily(low, FAMILY).withTxn(9),
            Cell.eraseFamily(low, FAMILY).withTxn(1),
            Cell.eraseColumn(low, FAMILY, Bytes.EMPTY).withTxn(2),
            Cell.put(low, FAMILY, Bytes.EMPTY, 1, Bytes.EMPTY).withTxn(2),
            Cell.eraseColumn(low, FAMILY, low, -5, 3).withTxn(7),
            Cell.eraseColumn(low, FAMILY, low, 2, 3).withTxn(7),
            Cell.eraseColumn(low, FAMILY, low, 2, 4).withTxn(7),
            Cell.eraseColumn(low, FAMILY, low, -5, 3).withTxn(6),
            Cell.put(low, FAMILY, low, 6, Bytes.EMPTY).withTxn(1),
            Cell.eraseCell(low, FAMILY, low, 5).withTxn(4),
            Cell.put(low, FAMILY, low, 5, Bytes.EMPTY).withTxn(3),
            Cell.put(low, FAMILY, low, -5, Bytes.EMPTY).withTxn(3),
            Cell.put(low, FAMILY, low.successor(), 5, Bytes.EMPTY).withTxn(3),
            Cell.put(low, FAMILY, high, 5, Bytes.EMPTY).withTxn(3),
            Cell.put(low, FAMILY.successor(), low, 5, Bytes.EMPTY).withTxn(3),
            Cell.eraseRow(low.successor()).withTxn(1),
            Cell.eraseRow(high).withTxn(10));
    for (int i = 0; i < ascending.size(); i++) {
      for (int k = 0; k < ascending.size(); k++) {
        assertThat(Integer.signum(ascending.get(i).compareTo(ascending.get(k))))
            .as("%s, %s", ascending.get(i), ascending.get(k))
            .isEqualTo(Integer.signum(i - k));
      }
    }
  }

  /** A place to seek to stands before all that it names, and behind all that comes before that. */
  @Test
  void placesToSeekToStandBeforeWhatTheyName() {
    for (Cell cell : differentCells()) {
      Cell kept = cell.withTxn(Math.max(1, cell.txn()));
      CellView view = kept.view();
      assertThat(CellView.beforeRow(kept.row()).compareTo(view)).isNegative();
      if (kept.kind() != CellKind.ERASE_ROW) {
        assertThat(CellView.beforeFamily(kept.row(), kept.family()).compareTo(view)).isNegative();
        assertThat(CellView.beforeRow(kept.row().successor()).compareTo(view)).isPositive();
      }
      if (kept.kind() != CellKind.ERASE_ROW && kept.kind() != CellKind.ERASE_FAMILY) {
        CellView column = CellView.beforeColumn(kept.row(), kept.family(), kept.qualifier());
        assertThat(column.compareTo(view)).isNegative();
        CellView next =
            CellView.beforeColumn(kept.row(), kept.family(), kept.qualifier().successor());
        assertThat(next.compareTo(view)).isPositive();
      }
    }
  }

  @Test
  void aViewIsCopiedWhole() {
    for (Cell cell : differentCells()) {
      CellView view = new CellView();
      view.pointTo(cell.view());

      assertThat(view.toCell()).isEqualTo(cell);
      assertThat(view.size())
          .isEqualTo(
              cell.row().length()
                  + cell.family().length()
                  + cell.qualifier().length()
                  + cell.value().length());
    }
  }

  private static List<Cell> differentCells() {
    List<Cell> cells = new ArrayList<>();
    for (long seed = 0; seed < 20; seed++) {
      cells.addAll(new RandomCells(seed, true).commits(1, 12));
    }
    return cells;
  }
}
