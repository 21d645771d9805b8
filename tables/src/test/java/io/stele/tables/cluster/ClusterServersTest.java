package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TabletLocation;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** How tablets come to the servers of a cluster, move between them, and outlive them. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class ClusterServersTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");
  private static final TabletKey META0 = new TabletKey(TableNames.META0, Optional.empty());
  private static final TabletKey META1 = new TabletKey(TableNames.META1, Optional.empty());

  private final SmallCluster cluster = new SmallCluster();
  private final Node a = cluster.start("a:1");
  private final Node b = cluster.start("b:1");

  ClusterServersTest() {
    cluster.bootstrap(a);
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private void write(Node node, String... rows) {
    for (String row : rows) {
      node.table("t").apply(put(row, "f:", 1, "of " + row));
    }
  }

  private static String cell(String row) {
    return row + "/f:@1=of " + row;
  }

  @Test
  void aServerOfAClusterServesWhatItIsToldToAndNothingElse() {
    cluster.create("t", SCHEMA, "m");
    List<TabletKey> keys = cluster.keys("t");
    assertThatThrownBy(() -> a.table("t").row("x")).isInstanceOf(NotServingException.class);
    cluster.load(a, keys.subList(0, 1));
    cluster.load(b, keys.subList(1, 2));
    write(a, "a", "k");
    write(b, "n", "z");
    assertThatThrownBy(() -> write(a, "n"))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("\"n\"");
    assertThatThrownBy(() -> b.table("t").row("a")).isInstanceOf(NotServingException.class);
    assertThat(cluster.all("t")).containsExactly(cell("a"), cell("k"), cell("n"), cell("z"));
    assertThatThrownBy(() -> a.server().loadFixedTable("fixed", "fixed.config"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("alone");
    assertThatThrownBy(() -> a.server().create("u", SCHEMA, List.of()))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("master");
  }

  @Test
  void aTabletMovesWithItsDataAndIsWrittenOnBothSides() {
    cluster.create("t", SCHEMA);
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(a, keys);
    write(a, "1");
    cluster.move(a, b, keys);
    assertThatThrownBy(() -> write(a, "2")).isInstanceOf(NotServingException.class);
    write(b, "2");
    cluster.move(b, a, keys);
    write(a, "3");
    assertThat(cluster.all("t")).containsExactly(cell("1"), cell("2"), cell("3"));
    cluster.load(a, keys); // once more: it is here
    cluster.unload(b, keys); // it is not there
    assertThat(cluster.owner(keys.getFirst())).isSameAs(a);
  }

  @Test
  void aTabletThatALiveServerHasIsNotLoadedElsewhere() {
    cluster.create("t", SCHEMA);
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(a, keys);
    assertThatThrownBy(() -> cluster.load(b, keys))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("a:1");
    write(a, "1");
    assertThat(cluster.all("t")).containsExactly(cell("1"));
  }

  @Test
  void aDeadServersTabletsAreLoadedWithAllThatWasAcknowledged() {
    cluster.create("t", SCHEMA, "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(b, keys);
    write(b, "a", "n");
    b.server().flush("t");
    write(b, "b", "o"); // in the log alone
    b.kill();
    cluster.load(a, keys);
    assertThat(cluster.all("t")).containsExactly(cell("a"), cell("b"), cell("n"), cell("o"));
    Node c = cluster.start("b:1"); // the same address, another run
    cluster.move(a, c, keys.subList(0, 1));
    write(c, "c");
    c.kill();
    cluster.load(a, keys);
    assertThat(cluster.all("t"))
        .containsExactly(cell("a"), cell("b"), cell("c"), cell("n"), cell("o"));
  }

  @Test
  void metaMovesAndItsServerDies() {
    cluster.create("t", SCHEMA, "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(b, keys);
    write(b, "a", "n");
    cluster.move(a, b, List.of(META1));
    b.server().flush("t"); // saved where META1 is now
    cluster.move(a, b, List.of(META0));
    assertThat(cluster.owner(META0)).isSameAs(b);
    write(b, "b");
    Node c = cluster.start("c:1");
    cluster.create("u", SCHEMA);
    cluster.load(c, cluster.keys("u"));
    b.kill();
    cluster.load(c, List.of(META0));
    cluster.load(a, List.of(META1));
    cluster.load(a, keys.subList(0, 1));
    cluster.load(c, keys.subList(1, 2));
    assertThat(cluster.all("t")).containsExactly(cell("a"), cell("b"), cell("n"));
    assertThat(cluster.owner(cluster.keys("u").getFirst())).isSameAs(c);
    assertThat(c.server().verifyMeta("t")).allMatch(problem -> !problem.toString().isEmpty());
  }

  /** A server that hosts META1 and a user table loads both after a crash, whatever the order. */
  @Test
  void aLoadThatWaitsForMetaDoesNotKeepMetaAway() throws Exception {
    cluster.create("t", SCHEMA);
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(a, keys);
    write(a, "1");
    a.kill();
    cluster.load(b, List.of(META0));
    Thread waiting = Thread.ofVirtual().start(() -> cluster.load(b, keys));
    cluster.load(b, List.of(META1));
    waiting.join();
    assertThat(cluster.all("t")).containsExactly(cell("1"));
  }

  @Test
  void oneTabletThatCannotBeLoadedDoesNotKeepTheOthers() {
    cluster.create("t", SCHEMA, "g", "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(b, keys.subList(1, 2));
    TabletKey unknown = new TabletKey("t", Optional.of(bytes("q")));
    List<TabletOutcome> outcomes =
        a.control().load(7, List.of(keys.get(2), keys.get(1), unknown, keys.get(0)));
    assertThat(outcomes).extracting(TabletOutcome::tablet).hasSize(4);
    assertThat(outcomes.get(0).problem()).isEmpty();
    assertThat(outcomes.get(1).problem()).containsInstanceOf(ConflictException.class);
    assertThat(outcomes.get(2).problem()).containsInstanceOf(NotFoundException.class);
    assertThat(outcomes.get(3).problem()).isEmpty();
    write(a, "a", "z");
    write(b, "h");
    assertThat(cluster.all("t")).hasSize(3);
    assertThatThrownBy(() -> a.control().unload(6, keys))
        .as("a master that was replaced")
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("7");
  }

  @Test
  void splitsAndJoinsAreMadeWhereTheTabletIs() {
    cluster.create("t", SCHEMA);
    cluster.load(b, cluster.keys("t"));
    write(b, "a", "b", "c", "d");
    Bytes at = b.control().split(1, cluster.keys("t").getFirst(), Optional.of(bytes("b")));
    assertThat(at).isEqualTo(bytes("b"));
    List<TabletKey> halves = cluster.keys("t");
    assertThat(halves)
        .extracting(TabletKey::last)
        .containsExactly(Optional.of(at), Optional.empty());
    cluster.move(b, a, halves.subList(0, 1));
    write(a, "a2");
    assertThat(cluster.all("t")).hasSize(5);
    assertThatThrownBy(() -> b.control().join(1, halves.get(0)))
        .isInstanceOf(NotServingException.class);
    cluster.move(b, a, halves.subList(1, 2));
    a.server().compact("t");
    a.control().join(1, halves.get(0));
    assertThat(cluster.keys("t")).hasSize(1);
    assertThat(cluster.all("t")).hasSize(5);
  }

  @Test
  void schemasAreReloadedAndTabletsEmptied() {
    cluster.create("t", SCHEMA, "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(a, keys.subList(0, 1));
    cluster.load(b, keys.subList(1, 2));
    write(a, "a");
    write(b, "n");
    var known = cluster.meta().schema("t");
    answer(cluster.meta().saveSchema("t", TableSchema.ofFamilies("f", "g"), known));
    for (Node node : List.of(a, b)) {
      node.control().reloadSchema(2, "t");
      node.control().reloadSchema(2, "not here");
    }
    b.table("t").apply(put("o", "g:", 1, "in the new family"));
    a.control().truncate(2, "t");
    assertThat(cluster.all("t")).hasSize(2);
    b.control().truncate(2, "t");
    assertThat(cluster.all("t")).isEmpty();
  }

  @Test
  void tabletsAreLocatedByAnyServer() {
    cluster.create("t", SCHEMA, "g", "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(a, keys.subList(0, 1));
    cluster.load(b, keys.subList(1, 2));
    assertThat(b.server().locator().locate("t", bytes("h"), 10))
        .containsExactly(
            new TabletLocation(bytes("g"), Optional.of(bytes("m")), "b:1"),
            new TabletLocation(bytes("m"), Optional.empty(), ""));
    assertThat(a.server().locator().locate("t", Bytes.EMPTY, 1))
        .containsExactly(new TabletLocation(Bytes.EMPTY, Optional.of(bytes("g")), "a:1"));
    assertThat(b.server().locator().locate(TableNames.META1, bytes("x"), 1))
        .extracting(TabletLocation::address)
        .containsExactly("a:1");
    assertThat(b.server().locator().locate(TableNames.META0, bytes("x"), 1))
        .extracting(TabletLocation::address)
        .containsExactly("a:1");
    assertThatThrownBy(() -> b.server().locator().locate("tt", bytes("h"), 1))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("did you mean \"t\"");
  }

  @Test
  void aReportNamesWhatMustStay() {
    cluster.create("t", SCHEMA, "m");
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(b, keys);
    write(b, "a", "b", "n");
    b.table("t").row("a");
    b.server().flush("t");
    ServerReport report = b.control().report();
    assertThat(report.server()).isEqualTo(b.self());
    assertThat(report.tablets()).extracting(ServerReport.TabletReport::tablet).isEqualTo(keys);
    assertThat(report.tablets().getFirst().reads()).isEqualTo(1);
    assertThat(report.tablets().getFirst().writes()).isEqualTo(2);
    assertThat(report.tablets().getFirst().fileBytes()).isPositive();
    assertThat(report.nextFile().toString()).startsWith("fragments/" + b.self().run() + "/");
    await() // saved some time after the flush
        .untilAsserted(
            () ->
                assertThat(cluster.meta().tablet(keys.getFirst()).orElseThrow().fragments())
                    .isNotEmpty());
    cluster
        .meta()
        .tablet(keys.getFirst())
        .orElseThrow()
        .fragments()
        .values()
        .forEach(chain -> chain.forEach(file -> assertThat(report.inUse()).contains(file.path())));
  }

  @Test
  void aServerThatIsStoppedGivesItsTabletsUp() {
    cluster.create("t", SCHEMA);
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(b, keys);
    write(b, "1");
    b.stop();
    TabletConfig config = cluster.meta().tablet(keys.getFirst()).orElseThrow();
    assertThat(config.location()).isEmpty();
    assertThat(config.log()).isEmpty();
    cluster.load(a, keys);
    assertThat(cluster.all("t")).containsExactly(cell("1"));
  }

  @Test
  void metaIsNotForOtherTables() {
    cluster.create("t", SCHEMA);
    cluster.load(a, cluster.keys("t"));
    assertThatThrownBy(() -> a.control().applyMeta("t", batch(put("1", "f:", 1, "")), 0))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("META1");
    assertThatThrownBy(
            () -> b.control().applyMeta(TableNames.META1, batch(put("1", "first:", 1, "")), 0))
        .isInstanceOf(NotServingException.class);
  }

  /** Or it would be nobody's: META says that it is here, and it is not. */
  @Test
  void aTabletThatMayBeHereAccordingToMetaComesOrGoes() {
    cluster.create("t", SCHEMA);
    List<TabletKey> keys = cluster.keys("t");
    b.loseAnswerOfMeta();
    assertThatThrownBy(() -> cluster.load(b, keys)).isInstanceOf(OutcomeUnknownException.class);
    await().until(() -> !b.control().tablets("t").isEmpty());
    write(b, "1");
    b.loseAnswerOfMeta();
    assertThatThrownBy(() -> cluster.unload(b, keys)).isInstanceOf(OutcomeUnknownException.class);
    await().until(() -> b.control().tablets("t").isEmpty());
    cluster.load(a, keys);
    assertThat(cluster.all("t")).containsExactly(cell("1"));
  }
}
