package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.memory.MemFragment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The two cursors that leave out cells of a mem fragment, against plain filters. */
class MemoryCursorsTest {
  private final MemFragment mem = new MemFragment();
  private final List<Cell> cells = new ArrayList<>();

  private void fill(RandomGenerator random) {
    for (long txn = 1; txn <= 60; txn++) {
      CellBatchBuilder batch = new CellBatchBuilder();
      String row = Integer.toString(random.nextInt(26), 26);
      Cell cell =
          Cell.put(Bytes.utf8(row), Bytes.utf8("f"), Bytes.utf8("q" + txn % 3), 5, Bytes.EMPTY);
      mem.add(batch.add(cell).build().committed(txn));
      cells.add(cell.withTxn(txn));
    }
    Collections.sort(cells);
  }

  private static TabletView tablet(String first, String last, long fromTxn) {
    return new TabletView(
        new Tablet("t"),
        Bytes.utf8(first),
        last.equals("!") ? Optional.empty() : Optional.of(Bytes.utf8(last)),
        TabletState.ACTIVE,
        fromTxn,
        0,
        Collections.emptySortedMap(),
        Optional.empty(),
        List.of(),
        1);
  }

  private void assertSame(
      UnaryOperator<CellCursor> gate, Predicate<Cell> belongs, RandomGenerator random) {
    List<Cell> wanted = cells.stream().filter(belongs).toList();
    try (CellCursor cursor = gate.apply(mem.cursor(TimeBounds.ALL))) {
      List<Cell> found = new ArrayList<>();
      while (cursor.next()) {
        found.add(cursor.cell().toCell());
      }
      assertThat(found).isEqualTo(wanted);
      assertThat(cursor.next()).isFalse();
      for (int i = 0; i < 20; i++) { // forward and back
        Bytes row = Bytes.utf8(Integer.toString(random.nextInt(26), 26));
        List<Cell> rest = wanted.stream().filter(cell -> cell.row().compareTo(row) >= 0).toList();
        found.clear();
        boolean more = cursor.seek(CellView.beforeRow(row));
        while (more) {
          found.add(cursor.cell().toCell());
          more = cursor.next();
        }
        assertThat(found).as("from row %s", row).isEqualTo(rest);
      }
    }
  }

  @Test
  void aFloorLeavesOutWhatWasCommittedAtOrBelowIt() {
    RandomGenerator random = RandomSource.seeded(1);
    fill(random);
    for (long floor : new long[] {0, 1, 17, 30, 59, 60, 99}) {
      assertSame(cells -> new FloorCursor(cells, floor), cell -> cell.txn() > floor, random);
    }
  }

  @Test
  void aGateLetsThroughWhatBelongsToItsTablets() {
    RandomGenerator random = RandomSource.seeded(2);
    fill(random);
    List<List<TabletView>> cases =
        List.of(
            List.of(),
            List.of(tablet("", "!", 0)),
            List.of(tablet("", "!", 30)),
            List.of(tablet("5", "a", 0)),
            List.of(tablet("", "3", 10), tablet("7", "c", 40), tablet("c", "d", 0)),
            List.of(tablet("", "3", 50), tablet("3", "7", 0), tablet("k", "!", 20)));
    for (List<TabletView> tablets : cases) {
      assertSame(
          cells -> new TabletGate(cells, tablets),
          cell ->
              tablets.stream()
                  .anyMatch(each -> each.contains(cell.row()) && cell.txn() > each.fromTxn()),
          random);
    }
  }
}
