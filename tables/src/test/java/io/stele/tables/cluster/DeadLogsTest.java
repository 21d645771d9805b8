package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.TabletKey;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The logs of servers that are held for dead, and of tablets that come from them. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class DeadLogsTest {
  private static final TableSchema BOTH = TableSchema.ofFamilies("f", "h");
  private static final TableSchema ONE = TableSchema.ofFamilies("f");

  private final SmallCluster cluster = new SmallCluster();
  private final Node meta = cluster.start("m:1");

  @AfterEach
  void end() {
    cluster.close();
  }

  private List<TabletKey> load(Node node, TableSchema schema) {
    cluster.create("t", schema);
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(node, keys);
    return keys;
  }

  /**
   * A server dies between a write and its sync. Who reads its log serves that write; after a power
   * failure it must not be gone, while later writes that were synced are there.
   */
  @Test
  void whatIsServedFromADeadLogIsDurable() throws IOException {
    cluster.bootstrap(meta);
    Node dead = cluster.start("a:1");
    List<TabletKey> keys = load(dead, ONE);
    dead.table("t").apply(put("1", "f:", 1, "x"));
    cluster.files().failNth(StoreCall.SYNC, 1, () -> new IOException("not synced"));
    assertThatThrownBy(() -> dead.table("t").apply(put("2", "f:", 1, "x")))
        .isInstanceOf(OutcomeUnknownException.class);
    FilePath directory = FilePath.of("log/" + dead.self().run());
    dead.loseSession();
    Node next = cluster.start("b:1");
    cluster.loadAgain(next, keys);
    int served = cluster.all("t").size();
    assertThat(served).isEqualTo(2);
    List<Long> before = lengths(cluster.files(), directory);
    try (MemoryFileStore crashed = cluster.files().crash(CrashMode.dropUnsynced())) {
      assertThat(lengths(crashed, directory)).isEqualTo(before);
    }
  }

  private static List<Long> lengths(MemoryFileStore files, FilePath directory) throws IOException {
    return files.list(directory).stream()
        .filter(file -> file.path().name().endsWith(".log"))
        .map(FileInfo::length)
        .toList();
  }

  /** A family that was removed while a tablet was on its way does not come back with its cells. */
  @Test
  void aRemovedFamilyStaysRemovedInATabletThatWasOnItsWay() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    Node b = cluster.start("b:1");
    List<TabletKey> keys = load(a, BOTH);
    a.table("t").apply(put("row", "f:", 1, "stays"), put("row", "h:", 1, "goes"));
    cluster.unload(a, keys);
    save(ONE);
    cluster.load(b, keys); // not read before the family comes back: that would restrict its files
    save(BOTH);
    b.server().reloadSchema("t");
    assertThat(cluster.all("t")).containsExactly("row/f:@1=stays");
  }

  /** The same, if the family is back before a server has the tablet again. */
  @Test
  void aFamilyThatCameBackWhileATabletHadNoServerIsAnotherOne() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    Node b = cluster.start("b:1");
    List<TabletKey> keys = load(a, BOTH);
    a.table("t").apply(put("row", "f:", 1, "stays"), put("row", "h:", 1, "goes"));
    cluster.unload(a, keys);
    save(ONE);
    save(BOTH);
    cluster.load(b, keys);
    b.table("t").apply(put("row", "h:", 2, "comes"));
    assertThat(cluster.all("t")).containsExactly("row/f:@1=stays", "row/h:@2=comes");
  }

  /** The same, if its cells are in the log of a server that died, and in that of the next one. */
  @Test
  void aFamilyThatCameBackIsAnotherOneInLogsToo() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    List<TabletKey> keys = load(a, BOTH);
    a.table("t").apply(put("row", "f:", 1, "stays"), put("row", "h:", 1, "goes"));
    a.kill();
    save(ONE);
    save(BOTH);
    Node b = cluster.start("b:1");
    cluster.load(b, keys);
    b.table("t").apply(put("row", "h:", 2, "comes"));
    b.kill();
    cluster.load(cluster.start("c:1"), keys);
    assertThat(cluster.all("t")).containsExactly("row/f:@1=stays", "row/h:@2=comes");
  }

  /** A server that hears of the removal when the family is back finds the same schema. */
  @Test
  void aServerThatHearsOfARemovalTooLateForgetsTheFamilysCells() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    List<TabletKey> keys = load(a, BOTH);
    a.table("t").apply(put("row", "f:", 1, "stays"), put("row", "h:", 1, "goes"));
    save(ONE);
    save(BOTH);
    a.server().reloadSchema("t");
    a.table("t").apply(put("row", "h:", 2, "comes"));
    assertThat(cluster.all("t")).containsExactly("row/f:@1=stays", "row/h:@2=comes");
    a.kill();
    cluster.load(cluster.start("b:1"), keys);
    assertThat(cluster.all("t")).containsExactly("row/f:@1=stays", "row/h:@2=comes");
  }

  private void save(TableSchema schema) {
    answer(cluster.meta().saveSchema("t", schema, cluster.meta().schema("t")));
  }
}
