package io.stele.testkit.table;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TabletInfo;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What every {@link io.stele.base.table.TableAdmin} does, beside {@link TableRowsContract}. */
public abstract class TableAdminContract extends TableRowsContract {

  private List<Optional<Bytes>> lastRows(TableFixture table) {
    return admin().tablets(table.name()).stream().map(TabletInfo::last).toList();
  }

  @Test
  void tablesAreListedByName() {
    TableFixture first = table();
    TableFixture second = table();
    assertThat(admin().list(false))
        .contains(first.name(), second.name())
        .doesNotContain("META0", "META1")
        .isSorted();
    assertThat(admin().list(true)).contains("META0", "META1", first.name());
  }

  @Test
  void aTableIsMadeOnce() {
    TableFixture table = table();
    TableSchema schema = TableSchema.ofFamilies("f");
    assertThatThrownBy(() -> admin().create(table.name(), schema, List.of()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining(table.name());
  }

  @Test
  void schemasComeBackAsTheyWere() {
    TableSchema schema =
        TableSchema.of(
            GroupSchema.of("packed", "a", "b")
                .withCompression(Compression.ZSTD)
                .withPurge(PurgePolicy.parse("max-history=3 or max-age=1000000"))
                .withBlockSize(16 << 10),
            GroupSchema.of("rest", "*").withInMemory(true));
    assertThat(admin().schema(table(schema).name())).isEqualTo(schema);
  }

  @Test
  void tabletsMeetWithoutGaps() {
    TableFixture table = table(TableSchema.ofFamilies("f"), "g", "p");
    List<TabletInfo> tablets = admin().tablets(table.name());
    assertThat(tablets)
        .extracting(TabletInfo::first)
        .containsExactly(Bytes.EMPTY, bytes("g"), bytes("p"));
    assertThat(tablets)
        .extracting(TabletInfo::last)
        .containsExactly(Optional.of(bytes("g")), Optional.of(bytes("p")), Optional.empty());
    assertThat(tablets).extracting(TabletInfo::table).containsOnly(table.name());
  }

  @Test
  void splitsMustAscend() {
    assertThatThrownBy(() -> table(TableSchema.ofFamilies("f"), "p", "g"))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void tabletsAreSplitAndJoined() {
    TableFixture table = table();
    for (String row : List.of("a", "b", "c", "d")) {
      table.apply(put(row, "f:x", 1, row));
    }
    List<String> before = table.all();
    assertThat(admin().split(table.name(), bytes("a"), bytes("b"))).isEqualTo(bytes("b"));
    assertThat(lastRows(table)).containsExactly(Optional.of(bytes("b")), Optional.empty());
    assertThat(table.all()).isEqualTo(before);
    table.apply(put("a", "f:y", 1, "low"), put("d", "f:y", 1, "high"));
    admin().join(table.name(), bytes("a"));
    assertThat(lastRows(table)).containsExactly(Optional.empty());
    assertThat(table.all()).hasSize(6).contains("a/f:y@1=low", "d/f:y@1=high");
    assertThatThrownBy(() -> admin().join(table.name(), bytes("a")))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void anEmptyTabletHasNoRowToSplitAt() {
    TableFixture table = table();
    assertThatThrownBy(() -> admin().split(table.name(), bytes("a"), Bytes.EMPTY))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void flushesAndCompactionsChangeNothingForReaders() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "1"), put("b", "h:x", 1, "1"));
    admin().flush(table.name());
    table.apply(put("a", "f:x", 2, "2"));
    admin().flush(table.name());
    List<String> before = table.all();
    admin().compact(table.name());
    assertThat(table.all())
        .isEqualTo(before)
        .containsExactly("a/f:x@2=2", "a/f:x@1=1", "b/h:x@1=1");
  }

  @Test
  void aSchemaIsChangedWhileTheTableIsInUse() {
    TableFixture table = table(TableSchema.ofFamilies("f", "old"));
    table.apply(put("a", "f:x", 1, "1"), put("a", "old:x", 1, "1"));
    admin()
        .alter(
            table.name(),
            TableSchema.of(GroupSchema.of("default", "f"), GroupSchema.of("more", "new")));
    table.apply(put("a", "new:x", 1, "1"));
    assertThat(table.row("a")).containsExactly("a/f:x@1=1", "a/new:x@1=1");
    assertThatThrownBy(() -> table.apply(put("a", "old:x", 2, "2")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("old");
  }

  @Test
  void aDroppedTableIsGone() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "1"));
    admin().drop(table.name());
    assertThat(admin().list(false)).doesNotContain(table.name());
    assertThatThrownBy(() -> table.row("a")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> admin().schema(table.name())).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> admin().drop(table.name())).isInstanceOf(NotFoundException.class);
    admin().create(table.name(), TableSchema.ofFamilies("f"), List.of());
    assertThat(table.all()).isEmpty();
  }

  @Test
  void anUnloadedTableIsNotServedUntilItIsLoaded() {
    TableFixture table = table();
    table.apply(put("a", "f:x", 1, "1"));
    admin().unloadTable(table.name());
    TableFixture unloaded = new TableFixture(impatient(), table.name());
    assertNotServed(() -> unloaded.row("a"));
    assertNotServed(() -> unloaded.apply(put("a", "f:x", 2, "2")));
    assertNotServed(() -> unloaded.scan(ReadPredicate.ALL, ScanOptions.DEFAULT, 1000));
    admin().loadTable(table.name());
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
  }

  /**
   * A client that retries until its time is over may lose patience while an attempt is under way.
   * It then fails in another way, so this tries again.
   */
  private static void assertNotServed(ThrowingCallable request) {
    await()
        .untilAsserted(() -> assertThatThrownBy(request).isInstanceOf(NotServingException.class));
  }

  @Test
  void samplesAscend() {
    TableFixture table = table(TableSchema.ofFamilies("f"), "g", "p");
    for (String row : List.of("a", "h", "q")) {
      table.apply(put(row, "f:x", 1, row));
    }
    List<RowSample> samples = tables().sampleRows(table.name());
    assertThat(samples).isNotEmpty();
    assertThat(samples).extracting(RowSample::offset).isSorted();
    assertThat(samples.subList(0, samples.size() - 1)).extracting(RowSample::row).isSorted();
  }

  @Test
  void metaOfASoundStoreVerifies() {
    TableFixture table = table(TableSchema.ofFamilies("f"), "g", "p");
    assertThat(admin().verifyMeta(table.name())).isEmpty();
    // Other tests may be creating tables meanwhile.
    assertThat(admin().verifyMeta("")).noneMatch(problem -> problem.table().equals(table.name()));
    assertThat(admin().repairMeta(table.name(), true)).isEmpty();
  }

  @Test
  void whatIsToldOfAnUnknownTableIsNotFound() {
    for (Runnable question :
        List.<Runnable>of(
            () -> admin().schema("nope"),
            () -> admin().tablets("nope"),
            () -> admin().alter("nope", TableSchema.ofFamilies("f")),
            () -> admin().drop("nope"),
            () -> admin().flush("nope"),
            () -> admin().compact("nope"),
            () -> admin().split("nope", bytes("a"), bytes("b")),
            () -> admin().join("nope", bytes("a")),
            () -> admin().unloadTable("nope"),
            () -> admin().loadTable("nope"))) {
      assertThatThrownBy(question::run)
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("nope");
    }
  }

  /** Two add a family each to what they read: the second must not drop the first one's. */
  @Test
  void aSchemaThatWasChangedMeanwhileIsNotReplaced() {
    TableSchema before = TableSchema.ofFamilies("a");
    admin().create("expected", before, List.of());
    admin().alter("expected", Optional.of(before), TableSchema.ofFamilies("a", "b"));
    assertThatThrownBy(
            () -> admin().alter("expected", Optional.of(before), TableSchema.ofFamilies("a", "c")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("expected");
    assertThat(admin().schema("expected")).isEqualTo(TableSchema.ofFamilies("a", "b"));
    admin().drop("expected");
  }
}
