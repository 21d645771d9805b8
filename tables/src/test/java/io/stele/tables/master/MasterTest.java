package io.stele.tables.master;

import static io.stele.tables.master.FakeCluster.SETTINGS;
import static io.stele.tables.master.FakeCluster.key;
import static io.stele.tables.master.FakeCluster.settle;
import static io.stele.tables.master.FakeCluster.splits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster.Move;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.table.Cluster.Status;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MasterTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");

  private final FakeCluster cluster = new FakeCluster();
  private final FakeServer a = cluster.start("a:1");
  private final FakeServer b = cluster.start("b:1");
  private final FakeServer c = cluster.start("c:1");
  private final Master master = cluster.master();

  @AfterEach
  void close() {
    master.close();
  }

  /** A table of ten tablets, all served. */
  private void table() {
    master.tables().create("t", SCHEMA, splits(9));
    settle(master);
  }

  // ---- always assigned

  @Test
  void metaIsMadeAndServedLevelByLevel() {
    settle(master);
    assertThat(cluster.meta.tablets(TableNames.META0)).hasSize(1);
    assertThat(cluster.meta.tablets(TableNames.META1)).hasSize(1);
    assertThat(a.tablets.size() + b.tablets.size() + c.tablets.size()).isEqualTo(2);
  }

  @Test
  void twoMastersBeginOneMeta() {
    Master other = cluster.master();
    master.start();
    other.start();
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(UnavailableException.class) // while nobody serves META
        .untilAsserted(() -> assertThat(cluster.meta.tablets(TableNames.META1)).hasSize(1));
    other.close();
  }

  @Test
  void tabletsOfANewTableAreSpread() {
    table();
    assertThat(cluster.assignments()).hasSize(10);
    assertThat(List.of(a, b, c)).allSatisfy(s -> assertThat(s.tablets).hasSize(4));
    assertThat(List.of(a, b, c))
        .as("one order per server and level")
        .allSatisfy(
            s -> assertThat(s.orders).filteredOn(o -> o.startsWith("load")).hasSizeLessThan(4));
  }

  @Test
  void tabletsOfALostServerGoToTheOthers() {
    table();
    cluster.kill(a);
    settle(master);
    assertThat(cluster.assignments()).hasSize(10).doesNotContainValue(a.name);
    assertThat(b.tablets).hasSize(6);
    assertThat(c.tablets).hasSize(6);
    assertThat(cluster.events).contains(new MasterEvent.ServerLost(a.name));
  }

  @Test
  void metaOfALostServerIsServedAgainFirst() {
    table();
    for (FakeServer server : List.of(a, b)) {
      cluster.kill(server); // one of them, or both, had META
      settle(master);
    }
    assertThat(cluster.assignments()).hasSize(10);
    assertThat(c.tablets).hasSize(12);
  }

  @Test
  void withoutServersItWaitsForOne() {
    table();
    List.of(a, b, c).forEach(cluster::kill);
    master.round();
    assertThat(master.status().unserved()).anyMatch(text -> text.contains("META0"));
    cluster.start("d:1");
    settle(master);
    assertThat(cluster.assignments()).hasSize(10);
  }

  @Test
  void aServerThatWasStartedAgainHasNoneOfItsTablets() {
    table();
    cluster.kill(a);
    FakeServer again = cluster.start("a:1");
    settle(master);
    assertThat(cluster.assignments()).hasSize(10).doesNotContainValue(a.name);
    assertThat(again.tablets).isNotEmpty();
  }

  @Test
  void whatFailsIsTriedAgainElsewhere() {
    a.fault = key -> Optional.of(new UnavailableException("disk full"));
    b.fault = key -> Optional.of(new UnavailableException("disk full"));
    table();
    assertThat(c.tablets).hasSize(12);
  }

  @Test
  void aServerThatHangsHoldsUpNobodyElse() throws InterruptedException {
    settle(master);
    FakeServer hung = List.of(a, b, c).stream().filter(s -> !s.hasMeta()).findFirst().orElseThrow();
    hung.hangs = new CountDownLatch(1);
    master.start();
    Thread creation =
        Thread.ofVirtual().start(() -> master.tables().create("t", SCHEMA, splits(9)));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(cluster.assignments().size()).isBetween(6, 9));
    cluster.kill(hung); // its session ends: the others get what it was to load
    await().atMost(SOON).untilAsserted(() -> assertThat(cluster.assignments()).hasSize(10));
    hung.hangs.countDown();
    creation.join();
  }

  @Test
  void aTabletThatCannotBeServedKeepsNoOtherFromIt() throws InterruptedException {
    for (FakeServer server : List.of(a, b, c)) {
      server.fault =
          tablet ->
              tablet.equals(key("t", "0003"))
                  ? Optional.of(new CorruptDataException("META", 0, "no gap", "a gap"))
                  : Optional.empty();
    }
    boolean _ = master.settle(Picture::whole, SOON);
    Thread creation =
        Thread.ofVirtual().start(() -> master.tables().create("t", SCHEMA, splits(9)));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              master.round();
              assertThat(cluster.assignments()).hasSize(9);
              assertThat(master.status().unserved())
                  .singleElement()
                  .asString()
                  .contains("0003")
                  .contains("a gap");
            });
    assertThat(cluster.events)
        .filteredOn(event -> event instanceof MasterEvent.Unservable)
        .as("told once, however often it is tried")
        .hasSize(1);
    for (FakeServer server : List.of(a, b, c)) {
      server.fault = FakeCluster.none();
    }
    creation.join();
    settle(master);
    assertThat(cluster.assignments()).hasSize(10);
  }

  @Test
  void anUnreadableRowIsToldAndKeepsNoTabletFromBeingServed() {
    table();
    CellBatchBuilder bad = new CellBatchBuilder();
    bad.add(
        Cell.put(key("t", "0004").metaRow(), Bytes.utf8("log"), Bytes.EMPTY, 99, Bytes.utf8("?")));
    cluster.apply(TableNames.META1, bad.build(), Long.MAX_VALUE, true).join();
    cluster.kill(a);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              master.round();
              assertThat(cluster.assignments().keySet())
                  .as("all but itself, and the one behind it, of which it may be a part")
                  .hasSizeGreaterThanOrEqualTo(8)
                  .doesNotContain(key("t", "0004"));
            });
    assertThat(master.status().unserved())
        .anyMatch(text -> text.contains("0004") && text.contains("cannot be read"));
    assertThat(master.collectFiles(true).blocked()).contains("0004");
  }

  @Test
  void aTabletThatItsServerTookOverAndLostIsLoadedThereAgain() {
    Master watching = cluster.master(SETTINGS.withBalance(false, Duration.ofNanos(1)));
    table();
    FakeServer owner = cluster.owner(key("t", "0005"));
    owner.tablets.remove(key("t", "0005"));
    assertThat(watching.status().unserved())
        .singleElement()
        .asString()
        .contains("does not serve it");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              watching.round();
              assertThat(owner.tablets).contains(key("t", "0005"));
            });
    watching.close();
  }

  // ---- masters

  @Test
  void anotherMasterGoesOnFromNothing() {
    table();
    master.close();
    cluster.kill(b);
    Master next = cluster.master();
    settle(next);
    assertThat(cluster.assignments()).hasSize(10).doesNotContainValue(b.name);
    assertThat(next.status().token()).isEqualTo(2);
    next.close();
  }

  @Test
  void aMasterThatWasReplacedIsRefusedByServersAndEndsWhenItLearns() {
    table();
    Master next = cluster.master();
    settle(next);
    assertThat(next.move("t", Bytes.utf8("0001"), "a:1").to()).isEqualTo("a:1");
    assertThat(next.move("t", Bytes.utf8("0001"), "b:1").to()).isEqualTo("b:1");
    assertThatThrownBy(() -> master.move("t", Bytes.utf8("0001"), "a:1"))
        .isInstanceOf(FencedException.class);
    master.close();
    assertThatThrownBy(master::round).isInstanceOf(FencedException.class);
    next.close();
  }

  // ---- moves

  @Test
  void aTabletIsFlushedThenUnloadedThenLoadedElsewhere() {
    table();
    FakeServer from = cluster.owner(key("t", "0005"));
    FakeServer to = from == a ? b : a;
    from.orders.clear();
    Move move = master.move("t", Bytes.utf8("0005"), to.name.address());
    assertThat(move)
        .isEqualTo(
            new Move(
                "t",
                Bytes.utf8("0004"),
                Optional.of(Bytes.utf8("0005")),
                from.name.address(),
                to.name.address(),
                "asked for"));
    assertThat(from.orders).containsExactly("flush t", "unload 1");
    assertThat(cluster.assignments()).containsEntry(key("t", "0005"), to.name).hasSize(10);
  }

  @Test
  void aTabletThatTheTargetCannotLoadGoesAnywhere() {
    table();
    FakeServer from = cluster.owner(key("t", "0005"));
    FakeServer to = from == a ? b : a;
    to.fault = key -> Optional.of(new UnavailableException("disk full"));
    assertThatThrownBy(() -> master.move("t", Bytes.utf8("0005"), to.name.address()))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("given to any server that can");
    settle(master);
    assertThat(cluster.assignments()).hasSize(10).doesNotContainEntry(key("t", "0005"), to.name);
  }

  @Test
  void movesThatCannotBeAreAnswered() {
    table();
    assertThatThrownBy(() -> master.move("t", Bytes.EMPTY, "z:9"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("z:9")
        .hasMessageContaining("a:1, b:1, c:1");
    assertThatThrownBy(() -> master.move("nope", Bytes.EMPTY, "a:1"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("nope");
    cluster.setDraining("a:1", true);
    assertThatThrownBy(() -> master.move("t", Bytes.EMPTY, "a:1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("drained");
  }

  @Test
  void metaMovesAsOthersDo() {
    table();
    for (FakeServer to : List.of(a, b, c)) {
      master.tables().setMetaLocation(to.name.address());
      assertThat(to.tablets).contains(key(TableNames.META0, ""));
      assertThat(master.move(TableNames.META1, Bytes.EMPTY, to.name.address()).to())
          .isEqualTo(to.name.address());
      assertThat(to.tablets).contains(key(TableNames.META1, ""));
      assertThat(cluster.assignments()).hasSize(10);
    }
  }

  @Test
  void aServerIsDrainedAndStaysEmptyUntilThatIsUndone() {
    table();
    assertThat(master.drain("a:1", true)).isEqualTo(4);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              master.round();
              assertThat(a.tablets).isEmpty();
              assertThat(cluster.assignments()).hasSize(10);
            });
    assertThat(master.drain("a:1", true)).isZero();
    cluster.kill(b);
    settle(master);
    assertThat(a.tablets).isEmpty();
    assertThat(c.tablets).hasSize(12);
    assertThat(master.drain("a:1", false)).isZero();
    assertThat(cluster.draining()).isEmpty();
  }

  @Test
  void aServerThatIsDownCanBeDrainedAndOneThatNeverWasCannot() {
    table();
    cluster.kill(b);
    settle(master);
    assertThat(master.drain("b:1", true)).isZero();
    assertThat(cluster.draining()).containsExactly("b:1");
    FakeServer again = cluster.start("b:1");
    settle(master);
    assertThat(again.tablets).isEmpty();
    assertThat(master.drain("b:1", false)).isZero();
    for (boolean on : new boolean[] {true, false}) {
      assertThatThrownBy(() -> master.drain("b:11", on))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("there never was a server at \"b:11\"; there are [a:1, b:1, c:1]");
    }
    assertThat(cluster.draining()).isEmpty();
  }

  @Test
  void aNewServerGetsItsShareByItself() {
    table();
    Master balancing =
        cluster.master(SETTINGS.withBalance(true, Duration.ofMillis(1)).withMoves(2));
    FakeServer d = cluster.start("d:1");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              balancing.round();
              assertThat(d.tablets).hasSizeBetween(2, 3);
            });
    settle(balancing);
    assertThat(cluster.assignments()).hasSize(10);
    assertThat(d.orders)
        .filteredOn(order -> order.startsWith("load"))
        .as("at most two at a time")
        .allMatch(order -> order.equals("load 1") || order.equals("load 2"));
    balancing.close();
  }

  @Test
  void aBalanceIsToldBeforeItIsMade() {
    table();
    FakeServer d = cluster.start("d:1");
    List<Move> told = master.balance(false);
    assertThat(told).isNotEmpty().allSatisfy(move -> assertThat(move.to()).isEqualTo("d:1"));
    assertThat(d.tablets).isEmpty();
    assertThat(master.balance(true)).hasSameSizeAs(told);
    assertThat(d.tablets).hasSize(told.size());
    assertThat(master.balance(true)).isEmpty();
  }

  // ---- joins

  private static final CompactSettings AT_ONCE = CompactSettings.DEFAULT.withJoinAge(Duration.ZERO);

  private Master joining(CompactSettings sizes) {
    return cluster.master(FakeCluster.SETTINGS.withBalance(true, Duration.ofNanos(1)), sizes);
  }

  /** All small neighbours on two servers end up in one; those of one server are that server's. */
  @Test
  void smallNeighboursAreJoinedUntilNoneAreApart() {
    table();
    try (Master joining = joining(AT_ONCE)) {
      await()
          .untilAsserted(
              () -> {
                joining.round();
                assertThat(new HashSet<>(cluster.assignments().values())).hasSize(1);
              });
      settle(joining);
      assertThat(joining.tables().verifyMeta("t")).isEmpty();
    }
  }

  @Test
  void tabletsThatCameLatelyOrAreTooLargeStayApart() {
    table();
    for (FakeServer server : List.of(a, b, c)) {
      server.tablets.forEach(
          key -> server.weights.put(key, new TabletReport(key, Bytes.EMPTY, 5, 9 << 20, 0, 0)));
    }
    try (Master large = joining(AT_ONCE)) {
      lookOften(large);
    }
    List.of(a, b, c).forEach(server -> server.weights.clear());
    try (Master hourly = joining(CompactSettings.DEFAULT)) {
      lookOften(hourly);
    }
    try (Master never = joining(AT_ONCE.withAutomatic(false))) {
      lookOften(never);
    }
    assertThat(cluster.assignments()).hasSize(10);
  }

  private static void lookOften(Master master) {
    for (int i = 0; i < 5; i++) {
      master.round();
      settle(master);
    }
  }

  /** Nobody is waiting for it, so nothing is compacted for its sake. */
  @Test
  void tabletsWhoseFilesDoNotGoTogetherAreLeftAsTheyAre() {
    table();
    CompactSettings soon = CompactSettings.DEFAULT.withJoinAge(Duration.ofMillis(50));
    for (FakeServer server : List.of(a, b, c)) {
      server.joins = new ConflictException("their files do not go together");
    }
    try (Master joining = joining(soon)) {
      await()
          .untilAsserted(
              () -> {
                joining.round();
                assertThat(cluster.events).anyMatch(MasterEvent.BackgroundFailed.class::isInstance);
              });
      settle(joining);
      assertThat(cluster.assignments()).hasSize(10);
      assertThat(List.of(a, b, c))
          .allSatisfy(server -> assertThat(server.orders).doesNotContain("compact t"));
    }
  }

  // ---- status

  @Test
  void statusTellsWhatServersHaveAndWhyTheyDoNotAnswer() {
    table();
    b.silent = true;
    a.tablets.forEach(
        tablet -> a.weights.put(tablet, new TabletReport(tablet, Bytes.EMPTY, 5, 100, 0, 0)));
    cluster.setDraining("c:1", true);
    Status status = master.status();
    assertThat(status.master()).isEqualTo("m:0");
    assertThat(status.tablets()).isEqualTo(12);
    assertThat(status.unserved()).isEmpty();
    assertThat(status.servers())
        .extracting(ServerStatus::address, ServerStatus::tablets, ServerStatus::problem)
        .containsExactly(tuple("a:1", 4, ""), tuple("b:1", 4, "no word"), tuple("c:1", 4, ""));
    assertThat(status.servers().getFirst().fileBytes()).isEqualTo(400);
    assertThat(status.servers().getLast().draining()).isTrue();
  }

  @Test
  void filesAreNotCollectedWhileAServerIsSilent() {
    table();
    b.silent = true;
    assertThat(master.collectFiles(true).blocked()).contains("b:1").contains("no word");
    b.silent = false;
    assertThat(master.collectFiles(true).blocked()).isEmpty();
  }

  /** A server that was started again answers at the address of the run whose session yet lives. */
  @Test
  void aRunDoesNotAnswerForTheOneBeforeIt() {
    table();
    FakeServer again = cluster.start("a:1");
    cluster.servers.put(a.name, again);
    assertThat(master.collectFiles(true).blocked()).contains(a.name.run() + " has ended");
    assertThat(master.status().servers())
        .filteredOn(server -> server.run().equals(a.name.run()))
        .allSatisfy(server -> assertThat(server.problem()).contains(again.name.run()));
    cluster.kill(a);
    settle(master);
    assertThat(master.collectFiles(true).blocked()).isEmpty();
  }

  @Test
  void ownershipIsByRunNotByAddress() {
    TabletConfig config =
        TabletConfig.empty("t", Bytes.EMPTY, Optional.empty())
            .withServer("a:1", List.of(new LogRef(FakeCluster.logOf(a.name), 0)));
    assertThat(Picture.ownerOf(config, List.of(a.name))).contains(a.name);
    assertThat(Picture.ownerOf(config, List.of(new LiveServer("s7", "a:1")))).isEmpty();
    assertThat(Picture.ownerOf(config.withServer("", config.logs()), List.of(a.name))).isEmpty();
  }

  @Test
  void metaIsNotBegunTwice() {
    table();
    MetaTable meta = cluster.meta;
    meta.makeMeta1();
    assertThat(meta.tablets(TableNames.META1)).hasSize(1);
    assertThat(meta.tablets(MetaLevel.META1, row -> {})).hasSize(10);
  }

  /**
   * A server died between the two rows of a split, which were on two servers of META. The lower
   * half and the whole tablet overlap, so neither could be loaded until somebody repaired META by
   * hand.
   */
  @Test
  void halfASplitOfAServerThatIsGoneIsRepaired() {
    cluster.start("a:1");
    Master master = cluster.master();
    FakeCluster.settle(master);
    List<LogRef> log = List.of(new LogRef(FilePath.of("log/s0"), 1));
    TabletConfig whole =
        TabletConfig.empty("t", Bytes.EMPTY, Optional.empty()).withServer("gone:1", log);
    TabletConfig half =
        TabletConfig.empty("t", Bytes.EMPTY, Optional.of(Bytes.utf8("m")))
            .withServer("gone:1", log);
    Futures.await(cluster.meta.create("t", TableSchema.ofFamilies("f"), List.of(half, whole)));
    FakeCluster.settle(master);
    assertThat(cluster.meta.tablets("t"))
        .extracting(TabletConfig::key)
        .containsExactly(whole.key());
    assertThat(cluster.events).anyMatch(MasterEvent.Repaired.class::isInstance);
  }
}
