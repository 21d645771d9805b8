package io.stele.testkit.table;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.cells;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Tables} does with rows: in memory, by a tablet server, over a network.
 *
 * <pre>{@code
 * class MemoryTablesTest extends TableRowsContract {
 *   private final MemoryTables tables = new MemoryTables();
 *
 *   protected Tables tables() {
 *     return tables;
 *   }
 *
 *   protected TableAdmin admin() {
 *     return tables;
 *   }
 * }
 * }</pre>
 */
public abstract class TableRowsContract {
  private int made;

  protected abstract Tables tables();

  protected abstract TableAdmin admin();

  /** The same tables, asked by one who gives up soon where others wait for better times. */
  protected Tables impatient() {
    return tables();
  }

  /** A new table with the families f, g and h, of which h has a group of its own. */
  protected TableFixture table() {
    return table(TableSchema.of(GroupSchema.of("main", "f", "g"), GroupSchema.of("other", "h")));
  }

  protected TableFixture table(TableSchema schema, String... splits) {
    String name = getClass().getSimpleName().toLowerCase(Locale.ROOT) + "-" + made++;
    List<Bytes> rows = new ArrayList<>();
    for (String split : splits) {
      rows.add(bytes(split));
    }
    admin().create(name, schema, rows);
    return new TableFixture(tables(), name);
  }

  // ---- writing

  @Test
  void cellsOfOneBatchComeBackInTheirOrder() {
    TableFixture table = table();
    long txn =
        table.apply(put("b", "f:x", 1, "1"), put("a", "h:y", 2, "2"), put("a", "f:z", 3, "3"));
    assertThat(txn).isPositive();
    assertThat(table.all()).containsExactly("a/f:z@3=3", "a/h:y@2=2", "b/f:x@1=1");
    assertThat(table.row("a")).containsExactly("a/f:z@3=3", "a/h:y@2=2");
  }

  @Test
  void transactionsAscend() {
    TableFixture table = table();
    long first = table.apply(put("a", "f:x", 1, "1"));
    assertThat(table.apply(put("b", "f:x", 1, "1"))).isGreaterThan(first);
  }

  @Test
  void putsWithoutTimeGetTheServers() {
    TableFixture table = table();
    table.apply(put("a", "f:x", Cell.SERVER_TIME, "1"));
    CellPage page =
        answer(tables().read(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT, 1000));
    assertThat(cells(page)).singleElement().satisfies(c -> assertThat(c.timestamp()).isPositive());
  }

  @Test
  void anyBytesAreARowKey() {
    TableFixture table = table();
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    Bytes key = Bytes.of(all);
    table.apply(Cell.put(key, bytes("f"), key, -1, key));
    CellPage page =
        answer(
            tables()
                .read(
                    table.name(),
                    ReadPredicate.rows(RowRange.row(key)),
                    ScanOptions.DEFAULT,
                    10_000));
    assertThat(cells(page))
        .singleElement()
        .satisfies(
            cell -> {
              assertThat(cell.row()).isEqualTo(key);
              assertThat(cell.qualifier()).isEqualTo(key);
              assertThat(cell.value()).isEqualTo(key);
              assertThat(cell.timestamp()).isEqualTo(-1);
            });
  }

  @Test
  void oneUnknownFamilySpoilsTheBatch() {
    TableFixture table = table();
    assertThatThrownBy(() -> table.apply(put("a", "f:x", 1, "1"), put("b", "nope:x", 1, "1")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("nope");
    assertThat(table.all()).isEmpty();
  }

  @Test
  void aRowThatIsNewerThanTheCallerKnowsIsAConflict() {
    TableFixture table = table();
    long seen = table.apply(put("a", "f:x", 1, "1"));
    long newer = table.apply(put("a", "f:x", 2, "2"));
    CellBatch change = batch(put("a", "f:x", 3, "3"), put("b", "f:x", 3, "3"));
    assertThatThrownBy(() -> answer(tables().apply(table.name(), change, seen, true)))
        .isInstanceOf(ConflictException.class);
    assertThat(table.row("b")).isEmpty();
    CellBatch again = batch(put("a", "f:x", 3, "3"), put("b", "f:x", 3, "3"));
    assertThat(answer(tables().apply(table.name(), again, newer, true))).isGreaterThan(newer);
    assertThat(table.row("b")).containsExactly("b/f:x@3=3");
  }

  @Test
  void whatIsNotSyncedIsReadByThoseWhoAskAndBecomesDurable() {
    TableFixture table = table();
    long txn =
        answer(tables().apply(table.name(), batch(put("a", "f:x", 1, "1")), Tables.ANY_TXN, false));
    assertThat(table.read(ReadPredicate.ALL, ScanOptions.DEFAULT.withLatest(true)))
        .containsExactly("a/f:x@1=1");
    assertThat(answer(tables().sync(txn))).isGreaterThanOrEqualTo(txn);
    assertThat(table.all()).containsExactly("a/f:x@1=1");
  }

  @Test
  void rowsOfABatchAreAnsweredEach() {
    TableFixture table = table();
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.add(batch(put("r%03d".formatted(i), i == 57 ? "nope:x" : "f:x", 1, "" + i)));
    }
    List<RowOutcome> outcomes = answer(tables().applyRows(table.name(), rows));
    assertThat(outcomes).hasSize(100);
    for (int i = 0; i < 100; i++) {
      if (i == 57) {
        assertThat(outcomes.get(i).failure()).get().isInstanceOf(InvalidRequestException.class);
      } else {
        assertThat(outcomes.get(i).failure()).isEmpty();
        assertThat(outcomes.get(i).txn()).isPositive();
      }
    }
    assertThat(table.all()).hasSize(99).doesNotContain("r057/nope:x@1=57");
  }

  @Test
  void erasuresHideWhatCameBeforeThem() {
    TableFixture table = table();
    Bytes a = bytes("a");
    table.apply(
        put("a", "f:x", 1, "1"),
        put("a", "f:x", 2, "2"),
        put("a", "f:x", 3, "3"),
        put("a", "f:y", 1, "1"),
        put("a", "g:z", 1, "1"),
        put("a", "h:z", 1, "1"));
    table.apply(Cell.eraseCell(a, bytes("f"), bytes("x"), 3));
    assertThat(table.row("a"))
        .containsExactly("a/f:x@2=2", "a/f:x@1=1", "a/f:y@1=1", "a/g:z@1=1", "a/h:z@1=1");
    table.apply(Cell.eraseColumn(a, bytes("f"), bytes("x"), 2, 3));
    assertThat(table.row("a")).containsExactly("a/f:x@1=1", "a/f:y@1=1", "a/g:z@1=1", "a/h:z@1=1");
    table.apply(Cell.eraseColumn(a, bytes("f"), bytes("x")));
    assertThat(table.row("a")).containsExactly("a/f:y@1=1", "a/g:z@1=1", "a/h:z@1=1");
    table.apply(Cell.eraseFamily(a, bytes("g")));
    assertThat(table.row("a")).containsExactly("a/f:y@1=1", "a/h:z@1=1");
    table.apply(Cell.eraseRow(a));
    assertThat(table.row("a")).isEmpty();
    table.apply(put("a", "f:x", 1, "again"));
    assertThat(table.row("a")).containsExactly("a/f:x@1=again");
  }

  @Test
  void anErasureAndAPutOfOneBatch() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "old"), put("a", "f:y", 1, "old"));
    table.apply(Cell.eraseRow(bytes("a")), put("a", "f:x", 1, "new"));
    assertThat(table.row("a")).containsExactly("a/f:x@1=new");
  }

  // ---- changes that depend on what there is

  private CheckOutcome check(
      TableFixture table, Optional<CheckAndMutate.ValueComparison> comparison) {
    return answer(
        tables()
            .checkAndMutate(
                table.name(),
                new CheckAndMutate(
                    bytes("a"),
                    ReadPredicate.ALL
                        .withColumns(ColumnRange.column(bytes("f"), bytes("x")))
                        .withHistory(1),
                    comparison,
                    Optional.of(batch(put("a", "f:met", 1, "yes"))),
                    Optional.of(batch(put("a", "f:otherwise", 1, "yes"))))));
  }

  @Test
  void aConditionChoosesTheChange() {
    TableFixture table = table();
    CheckOutcome outcome = check(table, Optional.empty());
    assertThat(outcome.met()).isFalse();
    assertThat(outcome.txn()).isPositive();
    assertThat(table.row("a")).containsExactly("a/f:otherwise@1=yes");
    table.apply(put("a", "f:x", 1, "m"));
    assertThat(check(table, Optional.empty()).met()).isTrue();
    assertThat(table.row("a")).containsExactly("a/f:met@1=yes", "a/f:otherwise@1=yes", "a/f:x@1=m");
  }

  @Test
  void valuesAreComparedAsUnsignedBytes() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "m"));
    for (CheckAndMutate.Operator operator : CheckAndMutate.Operator.values()) {
      for (String value : List.of("l", "m", "n", "", "mm", "\u00ff")) {
        boolean met =
            check(table, Optional.of(new CheckAndMutate.ValueComparison(operator, bytes(value))))
                .met();
        assertThat(met)
            .as("m %s %s", operator, value)
            .isEqualTo(operator.holds(bytes("m").compareTo(bytes(value))));
      }
    }
  }

  @Test
  void aConditionWithoutAChangeForItsOutcomeChangesNothing() {
    TableFixture table = table();
    CheckOutcome outcome =
        answer(
            tables()
                .checkAndMutate(
                    table.name(),
                    new CheckAndMutate(
                        bytes("a"),
                        ReadPredicate.ALL,
                        Optional.empty(),
                        Optional.of(batch(put("a", "f:met", 1, "yes"))),
                        Optional.empty())));
    assertThat(outcome).isEqualTo(new CheckOutcome(false, 0));
    assertThat(table.all()).isEmpty();
  }

  @Test
  void appendsAndIncrementsSeeEachOther() {
    TableFixture table = table();
    Bytes f = bytes("f");
    table.apply(put("a", "f:text", 1, "ab"));
    CellPage page =
        answer(
            tables()
                .readModifyWrite(
                    table.name(),
                    bytes("a"),
                    List.of(
                        new RowRule.Append(f, bytes("text"), bytes("cd")),
                        new RowRule.Append(f, bytes("text"), bytes("ef")),
                        new RowRule.Increment(f, bytes("sum"), 40),
                        new RowRule.Increment(f, bytes("sum"), 2))));
    assertThat(page.more()).isFalse();
    assertThat(newest(cells(page), "text").toUtf8()).isEqualTo("abcdef");
    assertThat(number(newest(cells(page), "sum"))).isEqualTo(42);
    CellPage stored =
        answer(
            tables()
                .read(table.name(), ReadPredicate.ALL.withHistory(1), ScanOptions.DEFAULT, 1000));
    assertThat(newest(cells(stored), "text").toUtf8()).isEqualTo("abcdef");
    assertThat(number(newest(cells(stored), "sum"))).isEqualTo(42);
  }

  private static Bytes newest(List<Cell> cells, String qualifier) {
    return cells.stream()
        .filter(cell -> cell.qualifier().equals(bytes(qualifier)))
        .findFirst()
        .orElseThrow()
        .value();
  }

  private static long number(Bytes value) {
    return Binary.getLongBigEndian(value.toArray(), 0);
  }

  @Test
  void onlyEightBytesCanBeAddedTo() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "seven.."));
    assertThatThrownBy(
            () ->
                answer(
                    tables()
                        .readModifyWrite(
                            table.name(),
                            bytes("a"),
                            List.of(new RowRule.Increment(bytes("f"), bytes("x"), 1)))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("7");
    assertThat(table.row("a")).containsExactly("a/f:x@1=seven..");
  }

  @Test
  void concurrentIncrementsAllCount() {
    TableFixture table = table();
    List<CompletableFuture<CellPage>> under = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      under.add(
          tables()
              .readModifyWrite(
                  table.name(),
                  bytes("a"),
                  List.of(new RowRule.Increment(bytes("f"), bytes("x"), 1))));
    }
    under.forEach(TableFixture::answer);
    CellPage page =
        answer(
            tables()
                .read(table.name(), ReadPredicate.ALL.withHistory(1), ScanOptions.DEFAULT, 1000));
    assertThat(number(cells(page).getFirst().value())).isEqualTo(200);
  }

  @Test
  void rowsAreDeletedByRange() {
    TableFixture table = table();
    table.apply(
        put("a", "f:x", 1, "1"),
        put("b", "f:x", 1, "1"),
        put("b", "h:x", 1, "1"),
        put("c", "f:x", 1, "1"));
    assertThat(tables().deleteRows(table.name(), new RowRange(bytes("b"), bytes("c"))))
        .isEqualTo(1);
    assertThat(table.all()).containsExactly("a/f:x@1=1", "c/f:x@1=1");
    assertThat(tables().deleteRows(table.name(), RowRange.ALL)).isEqualTo(2);
    assertThat(table.all()).isEmpty();
    assertThat(tables().deleteRows(table.name(), RowRange.ALL)).isZero();
  }

  @Test
  void aTruncatedTableIsEmptyAndTakesRowsAgain() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "1"));
    tables().truncate(table.name());
    assertThat(table.all()).isEmpty();
    table.apply(put("a", "f:x", 1, "2"));
    assertThat(table.all()).containsExactly("a/f:x@1=2");
  }

  // ---- reading

  @Test
  void predicatesChooseRowsColumnsTimesAndVersions() {
    TableFixture table = table();
    for (String row : List.of("a", "b", "c", "d")) {
      table.apply(
          put(row, "f:x", 1, "1"),
          put(row, "f:x", 2, "2"),
          put(row, "f:x", 3, "3"),
          put(row, "f:xy", 1, "1"),
          put(row, "h:z", 2, "2"));
    }
    ReadPredicate two =
        ReadPredicate.rows(RowRange.row(bytes("d")), new RowRange(bytes("a"), bytes("b")));
    assertThat(table.read(two.withColumns(ColumnRange.family(bytes("h")))))
        .containsExactly("a/h:z@2=2", "d/h:z@2=2");
    assertThat(
            table.read(two.withColumns(ColumnRange.column(bytes("f"), bytes("x"))).withHistory(1)))
        .containsExactly("a/f:x@3=3", "d/f:x@3=3");
    assertThat(table.read(ReadPredicate.rows(RowRange.row(bytes("b"))).withHistory(-1)))
        .containsExactly("b/f:x@2=2", "b/f:x@1=1");
    assertThat(
            table.read(
                ReadPredicate.rows(RowRange.row(bytes("b")))
                    .withTimes(new TimeRange(1, 2), new TimeRange(3, 4))))
        .containsExactly("b/f:x@3=3", "b/f:x@1=1", "b/f:xy@1=1");
    assertThat(
            table.read(ReadPredicate.rows(RowRange.row(bytes("b"))).withTime(1, 3).withHistory(1)))
        .containsExactly("b/f:x@2=2", "b/f:xy@1=1", "b/h:z@2=2");
    assertThat(
            table.read(
                ReadPredicate.rows(RowRange.prefix(bytes("c")))
                    .withColumns(ColumnRange.prefix(bytes("f"), bytes("xy")))))
        .containsExactly("c/f:xy@1=1");
  }

  @Test
  void readsHideWhatThePurgePolicyDoes() {
    TableFixture table =
        table(
            TableSchema.of(
                GroupSchema.of("main", "f").withPurge(PurgePolicy.parse("max-history=2"))));
    table.apply(put("a", "f:x", 1, "1"), put("a", "f:x", 2, "2"), put("a", "f:x", 3, "3"));
    assertThat(table.row("a")).containsExactly("a/f:x@3=3", "a/f:x@2=2");
  }

  @Test
  void anEmptyReadTellsItsTransaction() {
    TableFixture table = table();
    long txn = table.apply(put("a", "f:x", 1, "1"));
    CellPage page =
        answer(
            tables()
                .read(
                    table.name(),
                    ReadPredicate.rows(RowRange.row(bytes("z"))),
                    ScanOptions.DEFAULT,
                    1000));
    assertThat(page.cells()).isEmpty();
    assertThat(page.more()).isFalse();
    assertThat(page.txn()).isGreaterThanOrEqualTo(txn);
  }

  private TableFixture filled(int rows) {
    TableFixture table = table(TableSchema.ofFamilies("f"), "r0030", "r0060");
    List<CellBatch> batches = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      batches.add(
          batch(
              put("r%04d".formatted(i), "f:x", 1, "v" + i),
              put("r%04d".formatted(i), "f:y", 1, "")));
    }
    assertThat(answer(tables().applyRows(table.name(), batches)))
        .allSatisfy(outcome -> assertThat(outcome.failure()).isEmpty());
    return table;
  }

  private static List<String> expected(int from, int to) {
    List<String> cells = new ArrayList<>();
    for (int i = from; i < to; i++) {
      cells.add("r%04d/f:x@1=v%d".formatted(i, i));
      cells.add("r%04d/f:y@1=".formatted(i));
    }
    return cells;
  }

  @Test
  void scansGiveEveryCellOnceInPagesOfAnySize() {
    TableFixture table = filled(90);
    for (int pageBytes : new int[] {1, 100, 1_000, 1 << 20}) {
      assertThat(table.scan(ReadPredicate.ALL, ScanOptions.DEFAULT, pageBytes))
          .as("pages of %d bytes", pageBytes)
          .isEqualTo(expected(0, 90));
    }
  }

  @Test
  void pagesAreNotMuchLargerThanAskedFor() {
    TableFixture table = filled(90);
    try (TableScan scan = tables().scan(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      CellPage page = scan.next(200);
      assertThat(texts(page)).hasSizeBetween(1, 50);
      assertThat(page.more()).isTrue();
    }
  }

  @Test
  void aReadOfTooMuchSaysSo() {
    TableFixture table = filled(90);
    CellPage page =
        answer(tables().read(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT, 200));
    assertThat(page.more()).isTrue();
    assertThat(texts(page)).isNotEmpty().hasSizeLessThan(90);
  }

  @Test
  void scansBeginBehindACellAndEndAfterRows() {
    TableFixture table = filled(70);
    ScanOptions.Position position =
        new ScanOptions.Position(bytes("r0028"), bytes("f"), bytes("x"), 1);
    List<String> rest = expected(28, 70);
    assertThat(table.scan(ReadPredicate.ALL, ScanOptions.DEFAULT.withAfter(position), 1000))
        .isEqualTo(rest.subList(1, rest.size()));
    assertThat(table.scan(ReadPredicate.ALL, ScanOptions.DEFAULT.withMaxRows(5), 1000))
        .isEqualTo(expected(0, 5));
    assertThat(
            table.scan(
                ReadPredicate.rows(new RowRange(bytes("r0029"), null)),
                ScanOptions.DEFAULT.withMaxRows(3),
                40))
        .isEqualTo(expected(29, 32));
  }

  @Test
  void aScanSeesTheTableAsOfItsStart() {
    TableFixture table = filled(65);
    try (TableScan scan = tables().scan(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      List<String> seen = new ArrayList<>(texts(scan.next(300)));
      table.apply(put("r0001", "f:x", 9, "late"), put("r0050", "f:x", 9, "late"));
      table.apply(Cell.eraseRow(bytes("r0040")));
      table.apply(put("zzz", "f:x", 9, "late"));
      seen.addAll(TableFixture.rest(scan, 300));
      assertThat(seen).isEqualTo(expected(0, 65));
    }
    assertThat(table.all()).contains("r0050/f:x@9=late").doesNotContain("r0040/f:x@1=v40");
  }

  @Test
  void aScanGoesOnAcrossFlushSplitCompactionAndJoin() {
    TableFixture table = filled(90);
    try (TableScan scan = tables().scan(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      List<String> seen = new ArrayList<>(texts(scan.next(300)));
      admin().flush(table.name());
      seen.addAll(texts(scan.next(300)));
      admin().split(table.name(), bytes("r0010"), bytes("r0015"));
      seen.addAll(texts(scan.next(300)));
      table.apply(put("r0070", "f:x", 9, "late"));
      admin().compact(table.name());
      seen.addAll(texts(scan.next(300)));
      admin().join(table.name(), bytes("r0020"));
      seen.addAll(TableFixture.rest(scan, 4000));
      assertThat(seen).isEqualTo(expected(0, 90));
    }
  }

  @Test
  void largeValuesGoThroughWritesAndScans() {
    TableFixture table = table();
    byte[] large = new byte[6 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ((i * 31) >> 3);
    }
    table.apply(
        Cell.put(bytes("a"), bytes("f"), bytes("x"), 1, Bytes.of(large)), put("b", "f:x", 1, "1"));
    List<Cell> found = new ArrayList<>();
    try (TableScan scan = tables().scan(table.name(), ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      for (CellPage page = scan.next(1000); ; page = scan.next(1000)) {
        found.addAll(cells(page));
        if (!page.more()) {
          break;
        }
      }
    }
    assertThat(found).hasSize(2);
    assertThat(found.getFirst().value()).isEqualTo(Bytes.of(large));
  }

  // ---- what is not there

  @Test
  void anUnknownTableIsNotFound() {
    String name = "no-such-table";
    TableFixture table = new TableFixture(tables(), name);
    assertThatThrownBy(() -> table.apply(put("a", "f:x", 1, "1")))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining(name);
    assertThatThrownBy(() -> table.row("a")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(table::all).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(
            () -> answer(tables().applyRows(name, List.of(batch(put("a", "f:x", 1, "1"))))))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> check(table, Optional.empty())).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> tables().deleteRows(name, RowRange.ALL))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> tables().truncate(name)).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> tables().sampleRows(name)).isInstanceOf(NotFoundException.class);
  }
}
