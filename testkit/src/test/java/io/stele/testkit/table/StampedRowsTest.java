package io.stele.testkit.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Violation;
import io.stele.testkit.table.StampedRows.Change;
import io.stele.testkit.table.StampedRows.Deed;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** It finds nothing in a table that works, and every fault that was put in. */
class StampedRowsTest {
  private static final String ROW = "r";

  private final TreeMap<Long, Change> changes = new TreeMap<>();
  private final TreeMap<Long, String> found = new TreeMap<>();

  private void change(long time, Deed deed, Attempt attempt) {
    changes.put(time, new Change(deed, attempt));
  }

  private void has(long... times) {
    found.clear();
    for (long time : times) {
      found.put(time, StampedRows.value(ROW, time));
    }
  }

  private List<Anomaly> wrong() {
    return StampedRows.compare(ROW, changes, found).stream().map(Violation::anomaly).toList();
  }

  @Test
  void aTableThatWorksIsValidAndOneThatLostACellIsNot() {
    MemoryTables tables = new MemoryTables();
    tables.create("t", TableSchema.ofFamilies("f"), List.of());
    StampedRows rows = new StampedRows(new ManualClock());
    RandomGenerator random = RandomSource.seeded(7);
    for (int i = 0; i < 400; i++) {
      String row = "row" + i % 5;
      assertThat(rows.write(tables, "t", row, random)).isTrue();
      rows.read(tables, "t", row);
    }
    List<Cell> cells = all(tables);
    rows.check(cells).requireValid();
    assertThat(rows.verdict().checked()).isEqualTo(405);
    assertThat(rows.acknowledgedCount()).isEqualTo(400);
    assertThat(cells).hasSizeBetween(5, 350);

    assertThat(rows.check(cells.subList(1, cells.size())).anomalies())
        .containsExactly(Anomaly.WRITE_LOST);
  }

  private static List<Cell> all(MemoryTables tables) {
    List<Cell> cells = new ArrayList<>();
    try (TableScan scan = tables.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(1 << 16);
        cells.addAll(TableFixture.cells(page));
      } while (page.more());
    }
    return cells;
  }

  @Test
  void whatWasAcknowledgedIsThereAndWhatWasNotMayBe() {
    change(1, new Deed.Put(), Attempt.DONE);
    change(2, new Deed.Put(), Attempt.UNKNOWN);
    change(3, new Deed.Put(), Attempt.DONE);
    has(1, 3);
    assertThat(wrong()).isEmpty();
    has(1, 2, 3);
    assertThat(wrong()).isEmpty();
    has(2, 3);
    assertThat(wrong()).containsExactly(Anomaly.WRITE_LOST);
  }

  @Test
  void aValueThatNobodyPutIsFound() {
    change(1, new Deed.Put(), Attempt.DONE);
    change(2, new Deed.EraseOne(7), Attempt.UNKNOWN);
    has(1, 4);
    assertThat(wrong()).containsExactly(Anomaly.WRITE_UNEXPLAINED);
    has(1, 2);
    assertThat(wrong()).as("an erasure's time").containsExactly(Anomaly.WRITE_UNEXPLAINED);
    has(1);
    found.put(1L, StampedRows.value(ROW, 2));
    assertThat(wrong()).containsExactly(Anomaly.WRITE_DIFFERS);
  }

  @Test
  void whatWasErasedWithAnAcknowledgementStaysAway() {
    change(1, new Deed.Put(), Attempt.DONE);
    change(2, new Deed.Put(), Attempt.DONE);
    change(3, new Deed.EraseOne(1), Attempt.DONE);
    has(2);
    assertThat(wrong()).isEmpty();
    has(1, 2);
    assertThat(wrong()).containsExactly(Anomaly.WRITE_LOST);
    change(4, new Deed.EraseOlder(), Attempt.DONE);
    has();
    assertThat(wrong()).isEmpty();
    has(2);
    assertThat(wrong()).containsExactly(Anomaly.WRITE_LOST);
  }

  @Test
  void anErasureOfUnknownOutcomeTookEffectWhollyOrNot() {
    change(1, new Deed.Put(), Attempt.DONE);
    change(2, new Deed.Put(), Attempt.DONE);
    change(3, new Deed.EraseOlder(), Attempt.UNKNOWN);
    change(4, new Deed.Put(), Attempt.DONE);
    has(1, 2, 4);
    assertThat(wrong()).isEmpty();
    has(4);
    assertThat(wrong()).isEmpty();
    has(2, 4);
    assertThat(wrong()).as("half of it").containsExactly(Anomaly.WRITE_LOST);
    has();
    assertThat(wrong()).containsExactly(Anomaly.WRITE_LOST);
  }
}
