package io.stele.tables.compact;

import static io.stele.tables.compact.TestTable.bytes;
import static io.stele.tables.compact.TestTable.eraseRow;
import static io.stele.tables.compact.TestTable.put;
import static io.stele.tables.compact.TestTable.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.file.FilePath;
import io.stele.base.time.RandomSource;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SplitPointTest {
  private final TestTable t = new TestTable();

  @AfterEach
  void close() {
    t.close();
  }

  private Optional<Bytes> find(Tablet tablet) {
    try (Borrowed borrowed = t.table.borrow()) {
      return new SplitPoint(
              "t",
              borrowed.view(),
              borrowed.view().find(tablet).orElseThrow(),
              1_000,
              t.clock.micros())
          .find();
    }
  }

  private static int number(Optional<Bytes> row) {
    return Integer.parseInt(row.orElseThrow().toUtf8());
  }

  @Test
  void itIsNearTheMedianByBytes() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 1_000, 1)));
    assertThat(number(find(tablet))).isBetween(470, 530);
  }

  @Test
  void itIsTheMedianOfAllFilesTogether() {
    // 600 rows behind 000999, in files of their own, and 400 before.
    Tablet tablet =
        t.add(
            "",
            "!",
            t.write(rows(600, 1_000, 1)),
            t.write(rows(1_000, 1_300, 2)),
            t.write(rows(1_300, 1_600, 3)));
    assertThat(number(find(tablet))).isBetween(1_060, 1_140);
  }

  @Test
  void ofASharedFileOnlyTheTabletsRowsCount() {
    Tablet tablet = t.add("000700", "000900", t.write(rows(0, 1_000, 1)));
    assertThat(number(find(tablet))).isBetween(770, 830);
  }

  @Test
  void aTabletWithoutTwoRowsHasNone() {
    assertThat(find(t.add("", "b"))).isEmpty();
    assertThat(find(t.add("b", "d", t.write(put("c", "1", 1))))).isEmpty();
    FilePath neighbours = t.write(put("d", "1", 1), put("e", "1", 1), put("x", "1", 1));
    assertThat(find(t.add("d", "f", neighbours))).as("one row in its range").isEmpty();
    Tablet erased =
        t.add("f", "i", t.write(put("g", "1", 1), put("h", "1", 1)), t.write(eraseRow("h", 2)));
    assertThat(find(erased)).as("the other is erased").isEmpty();
    Tablet two = t.add("i", "!", t.write(put("j", "1", 1), put("k", "1", 1)));
    assertThat(find(two)).contains(bytes("j"));
  }

  @Test
  void anErasureInMemoryCountsToo() {
    Tablet tablet = t.add("", "!", t.write(put("j", "1", 1), put("k", "1", 1)));
    t.commit(5, eraseRow("k", 5));
    assertThat(find(tablet)).isEmpty();
  }

  @Test
  void whereTheUpperHalfIsErasedItGoesBack() {
    List<Cell> erasures = new ArrayList<>();
    for (int i = 300; i < 1_000; i++) {
      erasures.add(eraseRow("%06d".formatted(i), 2));
    }
    Tablet tablet =
        t.add("", "!", t.write(rows(0, 1_000, 1)), t.write(erasures.toArray(Cell[]::new)));
    assertThat(number(find(tablet))).isBetween(280, 298);
  }

  @Test
  void oneHugeRowIsNotSplitButWhatStandsBeforeItIs() {
    Tablet tablet =
        t.add(
            "",
            "!",
            t.write(
                put("a", "1", 1),
                put("b", "1", 1),
                put("huge", "f", "x".repeat(100_000), 1),
                put("huge", "g", "x".repeat(100_000), 1)));
    assertThat(find(tablet)).hasValueSatisfying(row -> assertThat(row).isLessThan(bytes("huge")));
  }

  @Test
  void rowsTooLongToEndATabletArePassedOver() {
    String longRow = "m" + "x".repeat(65_300);
    Tablet tablet =
        t.add(
            "",
            "!",
            t.write(put("a", "1", 1), put(longRow, "1", 1), put("p", "1", 1), put("q", "1", 1)));
    assertThat(find(tablet)).contains(bytes("p"));
  }

  /** Whatever is in the files: the row exists, and both halves have rows. */
  @Test
  void theRowAlwaysExistsAndBothHalvesHaveRows() {
    RandomGenerator random = RandomSource.seeded(7);
    for (int run = 0; run < 60; run++) {
      try (TestTable own = new TestTable()) {
        FilePath[] files = new FilePath[1 + random.nextInt(4)];
        for (int f = 0; f < files.length; f++) {
          Cell[] cells = new Cell[1 + random.nextInt(40)];
          for (int c = 0; c < cells.length; c++) {
            String row = Integer.toString(random.nextInt(60), 36).repeat(1 + random.nextInt(3));
            cells[c] =
                random.nextInt(4) == 0
                    ? eraseRow(row, 1 + f)
                    : put(row, "v".repeat(random.nextInt(300)), 1 + f);
          }
          files[f] = own.write(cells);
        }
        Tablet tablet =
            own.add(random.nextBoolean() ? "" : "5", random.nextBoolean() ? "!" : "t", files);
        List<String> rows =
            own.read(tablet).stream()
                .map(cell -> cell.substring(0, cell.indexOf('=')))
                .distinct()
                .toList();
        Optional<Bytes> found;
        try (Borrowed borrowed = own.table.borrow()) {
          found =
              new SplitPoint(
                      "t",
                      borrowed.view(),
                      borrowed.view().find(tablet).orElseThrow(),
                      1_000,
                      own.clock.micros())
                  .find();
        }
        if (rows.size() < 2) {
          assertThat(found).as("run %d", run).isEmpty();
        } else {
          assertThat(rows.subList(0, rows.size() - 1))
              .as("run %d", run)
              .contains(found.orElseThrow().toUtf8());
        }
      }
    }
  }
}
