package io.stele.engine.fragment;

import static io.stele.engine.fragment.RandomCells.cells;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How changes become a batch, and what the order in which they are made means. */
class CellBatchTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes COLUMN = Bytes.utf8("c");

  private static Cell put(String row, String column, long time, String value) {
    return Cell.put(Bytes.utf8(row), FAMILY, Bytes.utf8(column), time, Bytes.utf8(value));
  }

  private static CellBatch batch(Cell... changes) {
    CellBatchBuilder builder = new CellBatchBuilder();
    for (Cell change : changes) {
      builder.add(change);
    }
    return builder.build();
  }

  @Test
  void cellsStandInOrderWhateverTheOrderOfTheChanges() {
    List<Cell> changes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      changes.add(put("row" + i % 7, "c" + i % 5, i, "v" + i));
    }
    List<Cell> sorted = changes.stream().sorted().toList();
    assertThat(cells(batch(sorted.toArray(Cell[]::new)))).isEqualTo(sorted);
    for (int i = 0; i < 20; i++) {
      Collections.shuffle(changes, new Random(i));
      assertThat(cells(batch(changes.toArray(Cell[]::new)))).isEqualTo(sorted);
    }
  }

  @Test
  void aLaterChangeOfOneCellReplacesTheEarlierOne() {
    Cell erase = Cell.eraseCell(ROW, FAMILY, COLUMN, 5);
    assertThat(cells(batch(put("row", "c", 5, "old"), put("row", "c", 5, "new"))))
        .containsExactly(put("row", "c", 5, "new"));
    assertThat(cells(batch(put("row", "c", 5, "old"), erase))).containsExactly(erase);
    assertThat(cells(batch(erase, put("row", "c", 5, "new"))))
        .containsExactly(put("row", "c", 5, "new"));
  }

  @Test
  void anErasureRemovesTheEarlierPutsThatItCovers() {
    Cell eraseColumn = Cell.eraseColumn(ROW, FAMILY, COLUMN, 5, 7);
    assertThat(
            cells(
                batch(
                    put("row", "c", 4, "a"),
                    put("row", "c", 5, "b"),
                    put("row", "c", 6, "c"),
                    put("row", "c", 7, "d"),
                    put("row", "d", 5, "e"),
                    eraseColumn)))
        .containsExactly(
            eraseColumn, put("row", "c", 7, "d"), put("row", "c", 4, "a"), put("row", "d", 5, "e"));

    Cell eraseRow = Cell.eraseRow(ROW);
    assertThat(
            cells(
                batch(
                    put("row", "c", 4, "a"),
                    Cell.eraseFamily(ROW, FAMILY),
                    put("rox", "c", 5, "b"),
                    eraseRow)))
        .containsExactly(eraseRow, put("rox", "c", 5, "b"));
  }

  @Test
  void aPutBehindAnErasureStays() {
    Cell eraseRow = Cell.eraseRow(ROW);
    Cell eraseFamily = Cell.eraseFamily(ROW, FAMILY);
    Cell kept = put("row", "c", 5, "new");

    assertThat(cells(batch(put("row", "c", 5, "old"), eraseRow, kept)))
        .containsExactly(eraseRow, kept);
    assertThat(cells(batch(eraseRow, eraseFamily, kept)))
        .containsExactly(eraseRow, eraseFamily, kept);
  }

  @Test
  void noChangesAreNoBatch() {
    assertThatThrownBy(() -> new CellBatchBuilder().build())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("a batch of no changes: at least one is needed");
    byte[] empty = Arrays.copyOf(batch(Cell.eraseRow(ROW)).toArray(), CellBatch.HEADER);
    empty[4] = 0;
    assertThatThrownBy(() -> CellBatch.parse(empty))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("a count of 0 cells");
  }

  @Test
  void aCommittedBatchCarriesItsTransaction() {
    CellBatch batch = batch(put("row", "c", 5, "v"), Cell.eraseRow(Bytes.utf8("s")).withTxn(77));
    assertThat(batch.txn()).isZero();
    assertThat(cells(batch)).extracting(Cell::txn).containsOnly(0L);

    CellBatch committed = batch.committed(9);

    assertThat(committed.txn()).isEqualTo(9);
    assertThat(cells(committed)).extracting(Cell::txn).containsOnly(9L);
    CellBatch again = committed.committed(10);
    assertThat(again.txn()).isEqualTo(10);
    assertThat(committed.txn()).as("a batch that was committed stays as it is").isEqualTo(9);
    assertThat(cells(again)).hasSameSizeAs(cells(committed));
  }

  @Test
  void aCommittedBatchIsNotAcceptedFromOutside() {
    byte[] bytes = batch(put("row", "c", 5, "v")).committed(9).toArray();

    assertThatThrownBy(() -> CellBatch.parse(bytes))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("transaction 9 before it is committed: must be 0");
    assertThat(cells(CellBatch.trusted(bytes, 0, bytes.length))).hasSize(1);
  }

  @Test
  void aSliceOutsideOfItsArrayIsRefused() {
    byte[] bytes = batch(put("row", "c", 5, "v")).toArray();
    for (int[] slice :
        new int[][] {
          {-1, 4},
          {0, -1},
          {0, bytes.length + 1},
          {1, bytes.length},
          {bytes.length + 1, 0},
          {Integer.MAX_VALUE, Integer.MAX_VALUE},
          {8, Integer.MAX_VALUE}
        }) {
      assertThatThrownBy(() -> CellBatch.parse(bytes, slice[0], slice[1]))
          .as("%d+%d", slice[0], slice[1])
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("of an array of " + bytes.length + " bytes");
    }
  }

  @Test
  void aFaultIsNamedWithItsByte() {
    byte[] bytes = batch(put("row", "c", 5, "v"), put("row", "d", 5, "w")).toArray();
    bytes[CellBatch.HEADER] |= (byte) 0x80;

    assertThatThrownBy(() -> CellBatch.parse(bytes))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("cell batch: cell flags 0x80 at byte 17");
  }

  @Test
  void aValueAboveTheLimitIsRefused() {
    byte[] start = batch(Cell.put(ROW, FAMILY, COLUMN, 1, Bytes.EMPTY)).toArray();
    byte[] bytes = Arrays.copyOf(start, start.length + 4 + Cell.MAX_VALUE + 1);
    Binary.putVarint(bytes, start.length - 1, Cell.MAX_VALUE + 1L);

    assertThatThrownBy(() -> CellBatch.parse(bytes))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("value length of 67108865, at most 67108864");
  }

  @Test
  void longKeysAndLargeValuesTravel() {
    Cell large =
        Cell.put(
            Bytes.wrap(new byte[Cell.MAX_ROW]),
            Bytes.wrap(new byte[Cell.MAX_FAMILY]),
            Bytes.wrap(new byte[Cell.MAX_QUALIFIER]),
            Long.MIN_VALUE,
            Bytes.wrap(new byte[3 << 20]));
    byte[] bytes = batch(large, Cell.eraseRow(Bytes.utf8("z"))).toArray();

    assertThat(cells(CellBatch.parse(bytes)))
        .containsExactly(large, Cell.eraseRow(Bytes.utf8("z")));
  }

  @Test
  void erasuresOfRowsAndFamiliesMayHaveATimeRange() {
    List<Cell> cells =
        List.of(
            Cell.eraseRow(ROW),
            Cell.eraseRow(ROW, -5, 7),
            Cell.eraseRow(ROW, 1, 2),
            Cell.eraseFamily(ROW, FAMILY),
            Cell.eraseFamily(ROW, FAMILY, Long.MIN_VALUE, 9),
            Cell.eraseColumn(ROW, FAMILY, COLUMN, 3, 4),
            put("row", "c", 5, "value"));
    CellBatch batch = batch(cells.toArray(Cell[]::new));
    assertThat(cells(batch)).isEqualTo(cells);
    assertThat(cells(CellBatch.parse(batch.toArray()))).isEqualTo(cells);
    assertThat(cells.get(1).toString()).isEqualTo("-row@[-5,7)#0");
    assertThatThrownBy(() -> Cell.eraseRow(ROW, 5, 5)).isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void aTimeRangeInTheFlagsOfAnotherKindIsRefused() {
    byte[] bytes = batch(put("row", "c", 5, "value")).toArray();
    bytes[CellBatch.HEADER] |= 0x20;
    assertThatThrownBy(() -> CellBatch.parse(bytes))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("a time range in the flags of a PUT");
  }
}
