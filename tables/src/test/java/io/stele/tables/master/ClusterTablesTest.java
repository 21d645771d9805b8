package io.stele.tables.master;

import static io.stele.tables.master.FakeCluster.key;
import static io.stele.tables.master.FakeCluster.settle;
import static io.stele.tables.master.FakeCluster.splits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TabletInfo;
import io.stele.tables.meta.TableNames;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClusterTablesTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");

  private final FakeCluster cluster = new FakeCluster();
  private final FakeServer a = cluster.start("a:1");
  private final FakeServer b = cluster.start("b:1");
  private final List<FakeServer> servers = List.of(a, b);
  private final Master master = cluster.master();
  private final ClusterTables tables = master.tables();

  @BeforeEach
  void tableOfFourTablets() {
    tables.create("t", SCHEMA, splits(3));
    settle(master);
    servers.forEach(server -> server.orders.clear());
  }

  @AfterEach
  void close() {
    master.close();
  }

  private FakeServer owner(String last) {
    return cluster.owner(key("t", last));
  }

  private FakeServer other(FakeServer server) {
    return server == a ? b : a;
  }

  private static void assertRefused(
      Runnable request, Class<? extends SteleException> kind, String... says) {
    assertThatThrownBy(request::run).isInstanceOf(kind).hasMessageContainingAll(says);
  }

  @Test
  void aTableIsServedWhenItsCreationReturns() {
    tables.create("u", SCHEMA, List.of());
    assertThat(cluster.assignments()).containsKey(key("u", ""));
    assertThat(tables.list(false)).containsExactly("t", "u");
    assertThat(tables.schema("u")).isEqualTo(SCHEMA);
  }

  @Test
  void whatCannotBeIsAnsweredAndChangesNothing() {
    assertRefused(() -> tables.create("t", SCHEMA, List.of()), ConflictException.class, "exists");
    assertRefused(
        () -> tables.create("META1", SCHEMA, List.of()), InvalidRequestException.class, "reserved");
    assertRefused(
        () -> tables.create("u", SCHEMA, List.of(Bytes.utf8("b"), Bytes.utf8("a"))),
        InvalidRequestException.class,
        "\"a\"",
        "must be above");
    assertRefused(() -> tables.schema("u"), NotFoundException.class, "\"u\"");
    assertRefused(() -> tables.tablets("u"), NotFoundException.class, "\"u\"");
    assertRefused(() -> tables.drop("u"), NotFoundException.class, "\"u\"");
    assertRefused(() -> tables.alter("u", SCHEMA), NotFoundException.class, "\"u\"");
    assertRefused(() -> tables.flush("u"), NotFoundException.class, "\"u\"");
    assertRefused(() -> tables.join("u", Bytes.EMPTY), NotFoundException.class, "\"u\"");
    assertRefused(
        () -> tables.join("t", Bytes.utf8("9")), InvalidRequestException.class, "last one");
    assertRefused(() -> tables.drop("META1"), InvalidRequestException.class, "by hand");
    assertRefused(
        () -> tables.loadFixedTable("x", "file"), InvalidRequestException.class, "fixed", "file");
    assertRefused(() -> tables.unloadTable("t"), InvalidRequestException.class, "always served");
    assertThat(tables.list(false)).containsExactly("t");
    assertThat(cluster.assignments()).hasSize(4);
  }

  @Test
  void aTableIsUnloadedEverywhereBeforeMetaForgetsIt() {
    tables.drop("t");
    assertThat(tables.list(false)).isEmpty();
    assertThat(servers)
        .allSatisfy(
            server -> assertThat(server.orders).singleElement().asString().startsWith("unload "));
    tables.create("t", SCHEMA, List.of());
    assertThat(cluster.assignments()).hasSize(1);
  }

  @Test
  void aTableOfALostServerIsDropped() {
    cluster.kill(owner("0002"));
    boolean _ = master.settle(Picture::whole, FakeCluster.SETTINGS.patience());
    tables.drop("t");
    assertThat(tables.list(false)).isEmpty();
  }

  /** The server may have unloaded some, or none: nobody knows, and the next round looks. */
  @Test
  void aTableWhoseDropFailsIsServedAgain() {
    FakeServer hung = other(servers.stream().filter(FakeServer::hasMeta).findFirst().orElseThrow());
    hung.hangs = new CountDownLatch(1);
    Master hasty =
        cluster.master(
            FakeCluster.SETTINGS.withPatience(Duration.ofMillis(300), Duration.ofMillis(300)));
    assertThatThrownBy(() -> hasty.tables().drop("t")).isInstanceOf(OutcomeUnknownException.class);
    hung.hangs.countDown();
    hung.hangs = new CountDownLatch(0);
    settle(hasty);
    assertThat(cluster.assignments()).hasSize(4);
    hasty.close();
  }

  @Test
  void aSchemaIsPutIntoForceOnAllServersAfterMetaHasIt() {
    TableSchema other = TableSchema.ofFamilies("f", "g");
    tables.alter("t", other);
    assertThat(tables.schema("t")).isEqualTo(other);
    assertThat(servers).allSatisfy(server -> assertThat(server.orders).containsExactly("schema t"));
  }

  /** Two nodes add a family each: the second must not drop the first's, with its data. */
  @Test
  void aSchemaThatWasChangedSinceItWasReadIsNotReplaced() {
    TableSchema first = TableSchema.ofFamilies("f", "g");
    TableSchema second = TableSchema.ofFamilies("f", "h");
    tables.alter("t", Optional.of(SCHEMA), first);
    assertRefused(
        () -> tables.alter("t", Optional.of(SCHEMA), second),
        ConflictException.class,
        "was changed since it was read");
    assertThat(tables.schema("t")).isEqualTo(first);
  }

  /** The other change comes when this one has looked, and before it is saved. */
  @Test
  void noChangeComesBetweenTheLookAtASchemaAndItsReplacement() {
    TableSchema first = TableSchema.ofFamilies("f", "g");
    TableSchema second = TableSchema.ofFamilies("f", "h");
    cluster.beforeApply.set(() -> tables.alter("t", Optional.of(SCHEMA), first));
    assertRefused(
        () -> tables.alter("t", Optional.of(SCHEMA), second),
        ConflictException.class,
        "was changed since it was read");
    assertThat(tables.schema("t")).isEqualTo(first);
  }

  @Test
  void whatConcernsATableIsToldToAllThatHaveSomeOfIt() {
    tables.flush("t");
    tables.compact("t");
    tables.truncate("t");
    assertThat(servers)
        .allSatisfy(
            server ->
                assertThat(server.orders).containsExactly("flush t", "compact t", "truncate t"));
  }

  @Test
  void tabletsAreListedAlsoIfNobodyServesThem() {
    assertThat(tables.tablets("t")).extracting(TabletInfo::stateName).containsOnly("active");
    FakeServer lost = other(servers.stream().filter(FakeServer::hasMeta).findFirst().orElseThrow());
    cluster.kill(lost);
    assertThat(tables.tablets("t"))
        .hasSize(4)
        .filteredOn(tablet -> tablet.stateName().equals("unknown"))
        .hasSameSizeAs(lost.tablets);
    assertThat(tables.tablets("t"))
        .filteredOn(tablet -> tablet.state() == 0)
        .allSatisfy(tablet -> assertThat(tablet.location()).isEmpty());
  }

  @Test
  void tabletsOfTwoServersAreJoinedOnThatOfTheLowerOne() {
    FakeServer lower = owner("0001");
    master.move("t", Bytes.utf8("0002"), other(lower).name.address());
    tables.join("t", Bytes.utf8("0001"));
    assertThat(cluster.assignments()).hasSize(3).doesNotContainKey(key("t", "0001"));
    assertThat(owner("0002")).isEqualTo(lower);
    assertThat(tables.verifyMeta("t")).isEmpty();
  }

  @Test
  void aTabletIsSplitWhereItIs() {
    FakeServer owner = owner("0002");
    Bytes at = Bytes.utf8("00015");
    assertThat(tables.split("t", Bytes.EMPTY, at)).isEqualTo(at);
    assertThat(owner.tablets).contains(key("t", "00015"), key("t", "0002"));
    assertThat(tables.verifyMeta("t")).isEmpty();
  }

  @Test
  void aTabletThatHasGoneElsewhereIsFoundThere() {
    FakeServer before = owner("0002");
    before.fault = FakeCluster.none();
    before.tablets.remove(key("t", "0002"));
    cluster.kill(before);
    Bytes at = Bytes.utf8("00015");
    assertThat(tables.split("t", Bytes.EMPTY, at)).isEqualTo(at);
    assertThat(owner("00015")).isNotEqualTo(before);
  }

  @Test
  void tabletsOfServersThatAreGoneAreToldByVerify() {
    FakeServer lost = other(servers.stream().filter(FakeServer::hasMeta).findFirst().orElseThrow());
    cluster.kill(lost);
    assertThat(tables.verifyMeta(""))
        .hasSameSizeAs(lost.tablets)
        .isNotEmpty()
        .allSatisfy(
            problem -> {
              assertThat(problem.kind()).isEqualTo(MetaProblem.Kind.UNKNOWN_LOCATION);
              assertThat(problem.explanation()).contains(lost.name.address());
            });
    tables.loadTable("t");
    assertThat(tables.repairMeta("", true)).isEmpty();
    assertThat(tables.list(true)).containsExactly(TableNames.META0, TableNames.META1, "t");
  }
}
