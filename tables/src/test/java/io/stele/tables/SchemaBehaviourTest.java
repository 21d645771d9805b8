package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.engine.cache.BlockCache;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.TableNames;
import io.stele.tables.tablet.TabletView;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Schemas that change while the table is in use, with its files; sentences are of the seed. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class SchemaBehaviourTest {
  private MemoryFileStore files = new MemoryFileStore();
  private TestServer opened = TestServer.open(files);

  @AfterEach
  void end() {
    opened.abandon();
  }

  private void crashAndOpen() {
    files = files.crash(CrashMode.dropUnsynced());
    opened.abandon();
    opened = TestServer.open(files);
  }

  private static TableSchema groups(String x, String y) {
    return TableSchema.of(
        GroupSchema.of("X", List.of(x.split(" "))), GroupSchema.of("Y", List.of(y.split(" "))));
  }

  /** One fragment for each group that the columns are in. */
  private void insert(int number, String... columns) {
    Cell[] cells = new Cell[columns.length];
    for (int i = 0; i < columns.length; i++) {
      String family = columns[i];
      cells[i] =
          family.startsWith("-")
              ? Cell.eraseFamily(bytes("row"), bytes(family.substring(1)))
              : put("row", family + ":", number, "" + number);
    }
    opened.table("t").apply(cells);
    opened.server.flush("t");
  }

  private List<String> row() {
    return opened.table("t").row("row");
  }

  /** "X:3 Y:2,1,3 <-- broken: 1[c] after 2[c]", or its like: the newest stays the newest. */
  @Test
  void columnsThatShiftBetweenGroupsKeepTheirOrder() {
    opened.server.create("t", groups("a b", "c d"), List.of());
    for (int round = 0; round < 2; round++) {
      int base = round * 10;
      opened.server.alter("t", groups("a b", "c d"));
      insert(base + 1, "a", "c");
      insert(base + 2, "a", "b");
      insert(base + 3, "c", "d");
      opened.server.alter("t", groups("a b c", "d"));
      insert(base + 4, "c");
      opened.table("t").apply(put("row", "c:", base + 3, "rewritten"));
      opened.server.flush("t");
      opened.server.alter("t", groups("a", "b c d"));
      assertThat(row())
          .startsWith(
              "row/a:@%d=%d".formatted(base + 2, base + 2),
              "row/a:@%d=%d".formatted(base + 1, base + 1))
          .contains("row/c:@%d=rewritten".formatted(base + 3))
          .contains("row/c:@%d=%d".formatted(base + 4, base + 4));
      List<String> before = row();
      opened.server.compact("t");
      assertThat(row()).isEqualTo(before);
      crashAndOpen();
      assertThat(row()).as("after a crash").isEqualTo(before);
    }
  }

  /** "X:5 Y:3,5 <-- broken: 3[c] is back". */
  @Test
  void whatWasErasedDoesNotComeBackWithAShiftOfColumns() {
    opened.server.create("t", groups("a b", "c d"), List.of());
    insert(1, "a", "c");
    insert(2, "a", "b");
    insert(3, "c", "d");
    insert(4, "-c");
    List<String> expected = List.of("row/a:@2=2", "row/a:@1=1", "row/b:@2=2", "row/d:@3=3");
    assertThat(row()).isEqualTo(expected);
    opened.server.alter("t", groups("a b c", "d"));
    assertThat(row()).isEqualTo(expected);
    opened.server.compact("t");
    assertThat(row()).isEqualTo(expected);
    opened.server.alter("t", groups("a", "b c d"));
    assertThat(row()).isEqualTo(expected);
    crashAndOpen();
    assertThat(row()).isEqualTo(expected);
    opened.server.compact("t");
    assertThat(row()).isEqualTo(expected);
  }

  /** "Removed family hidden, later purged." */
  @Test
  void aRemovedFamilyIsHiddenAtOnceAndStaysSoWhenItIsAddedAgain() {
    opened.server.create("t", groups("a b", "c"), List.of());
    insert(1, "a", "b", "c");
    opened.table("t").apply(put("row", "b:", 2, "in memory"));
    opened.server.alter("t", groups("a", "c"));
    assertThat(row()).containsExactly("row/a:@1=1", "row/c:@1=1");
    assertThatThrownBy(() -> opened.table("t").apply(put("row", "b:", 3, "3")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"b\"");
    opened.server.alter("t", groups("a b", "c"));
    assertThat(row()).as("added again").containsExactly("row/a:@1=1", "row/c:@1=1");
    crashAndOpen();
    assertThat(row()).as("after a crash").containsExactly("row/a:@1=1", "row/c:@1=1");
    opened.table("t").apply(put("row", "b:", 4, "new"));
    assertThat(row()).containsExactly("row/a:@1=1", "row/b:@4=new", "row/c:@1=1");
    opened.server.flush("t");
    opened.server.compact("t");
    assertThat(row()).containsExactly("row/a:@1=1", "row/b:@4=new", "row/c:@1=1");
  }

  @Test
  void aRemovedFamilyLeavesTheDiskWithACompaction() {
    opened.server.create("t", groups("a b", "c"), List.of());
    opened.table("t").apply(put("row", "a:", 1, "small"), put("row", "b:", 1, "x".repeat(50_000)));
    opened.server.flush("t");
    long before = bytesOnDisk();
    opened.server.alter("t", groups("a", "c"));
    opened.server.compact("t");
    assertThat(before).isGreaterThan(1000);
    assertThat(bytesOnDisk()).isLessThan(before);
    assertThat(row()).containsExactly("row/a:@1=small");
  }

  private long bytesOnDisk() {
    return opened.server.tablets("t").stream().mapToLong(TabletInfo::fileBytes).sum();
  }

  /** "Wildcard ≤1; none → reject family." */
  @Test
  void aWildcardGroupTakesFamiliesThatNoOtherHas() {
    opened.server.create(
        "t", TableSchema.of(GroupSchema.of("X", "a"), GroupSchema.of("rest", "*")), List.of());
    insert(1, "a", "whatever", "z");
    assertThat(row()).containsExactly("row/a:@1=1", "row/whatever:@1=1", "row/z:@1=1");
    assertThat(opened.server.tablets("t").getFirst().files())
        .extracting(TabletInfo.FileInfo::group)
        .containsExactly("X", "rest");
    opened.server.alter("t", groups("a", "z"));
    assertThat(row()).containsExactly("row/a:@1=1", "row/z:@1=1");
  }

  // ---- schemas in META that are not valid

  private void spoilSchema() {
    CellBatchBuilder batch = new CellBatchBuilder();
    batch.put(MetaRows.schema("t"), bytes("schema"), bytes("X:blocksize"), 1L << 60, bytes("many"));
    answer(
        opened
            .server
            .machinery()
            .writes()
            .apply(
                opened.server.machinery().tables().get(TableNames.META1),
                batch.build(),
                Tables.ANY_TXN,
                true));
  }

  /** "Invalid schema: periodic: keep last; reload: error + keep; load: abort." */
  @Test
  void anInvalidSchemaIsIgnoredWhenFoundRefusedWhenAskedForAndNotLoaded() {
    opened.server.create("t", groups("a", "b"), List.of());
    opened.server.create("other", groups("a", "b"), List.of());
    insert(1, "a");
    spoilSchema();
    opened.server.runUpkeep();
    assertThat(opened.events(TableEvent.SchemaIgnored.class))
        .singleElement()
        .satisfies(event -> assertThat(event.problem()).contains("\"t\"", "blocksize", "many"));
    assertThat(opened.server.schema("t")).isEqualTo(groups("a", "b"));

    assertThatThrownBy(() -> opened.server.reloadSchema("t"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("blocksize");
    assertThat(opened.server.schema("t")).isEqualTo(groups("a", "b"));
    insert(2, "a");
    assertThat(row()).hasSize(2);

    crashAndOpen();
    assertThatThrownBy(this::row)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("\"t\"")
        .hasMessageContaining("blocksize");
    opened.table("other").apply(put("r", "a:", 1, "others are served"));
    opened.server.runUpkeep();

    CellBatchBuilder right = new CellBatchBuilder();
    right.add(
        Cell.eraseCell(MetaRows.schema("t"), bytes("schema"), bytes("X:blocksize"), 1L << 60));
    answer(
        opened
            .server
            .machinery()
            .writes()
            .apply(
                opened.server.machinery().tables().get(TableNames.META1),
                right.build(),
                Tables.ANY_TXN,
                true));
    opened.server.loadTable("t");
    assertThat(row()).as("nothing was deleted meanwhile").hasSize(2);
  }

  /** A schema that somebody else wrote to META is found by upkeep. */
  @Test
  void aSchemaThatChangedInMetaIsDiscovered() {
    opened.server.create("t", groups("a", "b"), List.of());
    insert(1, "a", "b");
    CellBatchBuilder batch = new CellBatchBuilder();
    batch.put(MetaRows.schema("t"), bytes("schema"), bytes("Y:columns"), 1L << 60, bytes("b c"));
    answer(
        opened
            .server
            .machinery()
            .writes()
            .apply(
                opened.server.machinery().tables().get(TableNames.META1),
                batch.build(),
                Tables.ANY_TXN,
                true));
    opened.server.runUpkeep();
    assertThat(opened.server.schema("t").groupOf("c")).isPresent();
    insert(2, "c");
    assertThat(row()).containsExactly("row/a:@1=1", "row/b:@1=1", "row/c:@2=2");
  }

  /** "In-memory priority 1–3 preload": what is read first was read from disk before. */
  @Test
  void groupsInMemoryAreReadWithoutADiskOnceTheyAreOpen() {
    BlockCache first = new BlockCache(16 << 20);
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS, builder -> builder.cache(first));
    opened.server.create(
        "t",
        TableSchema.of(GroupSchema.of("X", "a").withInMemory(true), GroupSchema.of("Y", "b")),
        List.of());
    await()
        .until(
            () ->
                opened.server.machinery().tables().get("t").view().tablets().stream()
                    .allMatch(TabletView::isWarm));
    for (int i = 0; i < 50; i++) {
      String row = "row%02d".formatted(i);
      opened.table("t").apply(put(row, "a:", 1, "x".repeat(1000)), put(row, "b:", 1, "y"));
    }
    opened.server.flush("t");
    long all = first.stats().residentWeight();
    opened.close();
    BlockCache cache = new BlockCache(16 << 20);
    opened = TestServer.open(files, TestServer.SETTINGS, builder -> builder.cache(cache));
    assertThat(opened.table("t").row("row00")).hasSize(2); // opens the files
    await("the end of the preload, which may be another thread's")
        .until(() -> cache.stats().residentWeight() >= all);
    long misses = cache.stats().misses();
    for (int i = 0; i < 50; i++) {
      opened
          .table("t")
          .read(
              ReadPredicate.rows(RowRange.row(bytes("row%02d".formatted(i))))
                  .withColumns(ColumnRange.family(bytes("a"))));
    }
    assertThat(cache.stats().misses()).isEqualTo(misses);
    assertThat(cache.stats().residentWeight()).isGreaterThan(50_000);
  }
}
