package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.files.RootCopies;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.files.Trash;
import io.stele.tables.load.MetaRebuild;
import io.stele.tables.meta.MemoryRoot;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The metastore is lost, and with it the root of META and the cluster's id. */
class MetaRebuildTest {
  private static final List<String> TABLES = List.of("a", "b", "c");

  private final MemoryFileStore files = new MemoryFileStore();

  private MetaRebuild rebuild(MemoryRoot root) {
    return new MetaRebuild(
        files,
        files,
        root,
        new RootCopies(files, new SplittableRandom(1)),
        new Trash(files, files, Clock.system(), Duration.ofDays(1)));
  }

  private static void eraseRow(Node node, String table, String row) {
    node.table(table).apply(Cell.eraseRow(Bytes.utf8(row)));
  }

  /**
   * Three tables on two servers; splits, a schema change, rows that were erased and compacted away,
   * files of compactions that nobody names any more, and writes that are in logs alone.
   */
  private Map<String, List<String>> fill(SmallCluster cluster) {
    Node first = cluster.start("a:1");
    Node second = cluster.start("b:1");
    cluster.bootstrap(first);
    for (String table : TABLES) {
      cluster.create(table, TableSchema.ofFamilies("f"), "m");
      List<TabletKey> keys = cluster.keys(table);
      cluster.load(first, keys.subList(0, 1));
      cluster.load(second, keys.subList(1, 2));
      for (int i = 0; i < 40; i++) {
        first.table(table).apply(put("a%02d".formatted(i), "f:", 1, "value " + i));
        second.table(table).apply(put("x%02d".formatted(i), "f:", 1, "value " + i));
      }
      first.server().flush(table);
      second.server().flush(table);
      first.server().split(table, Bytes.utf8("a10"), Bytes.utf8("a10"));
      eraseRow(first, table, "a05");
      eraseRow(second, table, "x05");
      first.server().flush(table);
      second.server().flush(table);
      first.server().compact(table); // the erased rows are gone, and the erasures with them
    }
    cluster.move(first, second, cluster.keys("b").subList(0, 1));
    TableSchema more = TableSchema.ofFamilies("f", "g");
    cluster.meta().saveSchema("c", more, cluster.meta().schema("c")).join();
    first.server().reloadSchema("c");
    second.server().reloadSchema("c");
    Map<String, List<String>> acknowledged = new LinkedHashMap<>();
    for (String table : TABLES) {
      second.table(table).apply(put("x99", "f:", 1, "in the log"));
    }
    first.table("c").apply(put("a99", "g:", 1, "in the log, of the new family"));
    eraseRow(first, "c", "a07");
    TABLES.forEach(table -> acknowledged.put(table, cluster.all(table)));
    first.kill();
    second.kill();
    return acknowledged;
  }

  @Test
  void allRowsAreFoundWithoutTheMetastoreAndNoErasedRowIsBack() throws IOException {
    Map<String, List<String>> acknowledged;
    try (SmallCluster lost = new SmallCluster(files, 0)) {
      acknowledged = fill(lost);
    }
    MemoryRoot empty = new MemoryRoot();
    MetaRebuild.Found dry = rebuild(empty).look();
    assertThat(dry.tables()).isEqualTo(TABLES);
    assertThat(dry.tablets()).isEqualTo(9);
    assertThat(dry.problems()).isEmpty();
    assertThat(dry.unnamed())
        .as("inputs of compactions")
        .isNotEmpty()
        .allMatch(line -> line.contains("table \"") && line.contains("flush"));
    assertThat(empty.load()).as("a look changes nothing").isEmpty();
    assertThat(empty.identity()).isEmpty();

    try (SmallCluster again = new SmallCluster(files, 2)) {
      long[] lastRun = {0};
      MetaRebuild.Found found = rebuild(again.root()).rebuild(run -> lastRun[0] = run);
      assertThat(lastRun[0]).isEqualTo(2);
      assertThat(found).isEqualTo(dry);
      Node node = again.start("c:1");
      again.load(node, List.of(new TabletKey(TableNames.META0, Optional.empty())));
      again.load(node, again.keys(TableNames.META1));
      assertThat(again.meta().tables()).isEqualTo(TABLES);
      assertThat(again.meta().schema("c").value().orElseThrow().schema())
          .isEqualTo(TableSchema.ofFamilies("f", "g"));
      for (String table : TABLES) {
        again.load(node, again.keys(table));
        assertThat(again.all(table)).as(table).isEqualTo(acknowledged.get(table));
      }
      assertThat(acknowledged.get("a")).noneMatch(cell -> cell.startsWith("a05"));
    }
  }

  @Test
  void aMetastoreThatHasMetaIsNotRebuilt() {
    try (SmallCluster cluster = new SmallCluster(files, 0)) {
      Node node = cluster.start("a:1");
      cluster.bootstrap(node);
      assertThatThrownBy(() -> rebuild(cluster.root()).rebuild(_ -> {}))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("nothing to rebuild");
      MemoryRoot foreign = new MemoryRoot();
      UUID other = foreign.identify(new UUID(1, 2));
      assertThatThrownBy(() -> rebuild(foreign).look())
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(other.toString())
          .hasMessageContaining(cluster.root().identity().orElseThrow().toString());
    }
  }

  @Test
  void aMetastoreThatIsOlderThanTheFilesIsNotUsedButRebuilt() throws IOException {
    MemoryRoot backup = new MemoryRoot();
    try (SmallCluster cluster = new SmallCluster(files, 0)) {
      Node node = cluster.start("a:1");
      cluster.bootstrap(node);
      backup.identify(cluster.root().identity().orElseThrow());
      backup.save(cluster.root().load().orElseThrow().config(), 0);
      cluster.create("t", TableSchema.ofFamilies("f"));
      cluster.load(node, cluster.keys("t"));
      node.table("t").apply(put("row", "f:", 1, "value"));
      node.stop();
    }
    StoreIdentity identity = new StoreIdentity(files, files, backup, new SplittableRandom(1));
    assertThatThrownBy(identity::settle)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("older than the files")
        .hasMessageContaining("stele meta rebuild");
    assertThat(rebuild(backup).rebuild(_ -> {}).tables()).containsExactly("t");
    assertThat(identity.settle()).isEqualTo(backup.identity().orElseThrow());
  }

  @Test
  void aFileThatOnlyTheTrashHasIsMovedBack() throws IOException {
    Trash trash = new Trash(files, files, Clock.system(), Duration.ofDays(1));
    FilePath trashed;
    try (SmallCluster lost = new SmallCluster(files, 0)) {
      Node node = lost.start("a:1");
      lost.bootstrap(node);
      lost.create("t", TableSchema.ofFamilies("f"));
      lost.load(node, lost.keys("t"));
      node.table("t").apply(put("row", "f:", 1, "value"));
      lost.unload(node, lost.keys("t"));
      TabletConfig tablet = lost.meta().tablets("t").getFirst();
      trashed = tablet.paths().getFirst();
      node.kill();
    }
    trash.add(files, List.of(trashed));
    MemoryRoot root = new MemoryRoot();
    assertThat(rebuild(root).look().restored()).containsExactly(trashed.value());
    assertThat(files.stat(trashed)).as("a look moves nothing").isEmpty();
    assertThat(rebuild(root).rebuild(_ -> {}).restored()).containsExactly(trashed.value());
    assertThat(files.stat(trashed)).isPresent();

    files.delete(trashed);
    assertThat(rebuild(new MemoryRoot()).look().problems())
        .singleElement()
        .asString()
        .contains(trashed.value());
  }

  @Test
  void theCopyIsThatOfTheLastOwnerOfMeta0() throws IOException {
    RootCopies copies = new RootCopies(files, new SplittableRandom(1));
    copies.add(Bytes.utf8("one"), 4);
    copies.add(Bytes.utf8("two"), 7);
    copies.add(Bytes.utf8("late, from the owner before"), 5);
    assertThat(copies.newest().orElseThrow().config()).isEqualTo(Bytes.utf8("two"));
    copies.begin(Bytes.utf8("two"));
    copies.add(Bytes.utf8("three"), 1); // the new metastore counts from the start
    assertThat(copies.newest().orElseThrow().config()).isEqualTo(Bytes.utf8("three"));
    for (int version = 2; version < 9; version++) {
      copies.add(Bytes.utf8("more"), version);
    }
    List<FileInfo> kept = files.list(FilePath.of("root"));
    assertThat(kept).hasSize(3);
    files.replace(
        kept.getLast().path(), new byte[] {'S', 'R', 'C', '1', 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
    assertThatThrownBy(copies::newest)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("root/");
  }
}
