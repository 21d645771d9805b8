package io.stele.tables.master;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.file.FileStore;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.tables.cluster.SmallCluster;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.sim.Intercepted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master with servers that really have tablets: whatever happens, what was written is read. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MasterClusterTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final AtomicInteger reloads = new AtomicInteger(); // orders to put a schema into force
  private volatile Runnable beforeFile = () -> {}; // run before a file is begun
  private final SmallCluster cluster =
      new SmallCluster(
          new SmallCluster.Surroundings() {
            @Override
            public FileStore files(LiveServer server, FileStore files) {
              return Intercepted.of(
                  FileStore.class,
                  files,
                  (method, _, rest) -> {
                    if (method.getName().equals("create")) {
                      beforeFile.run();
                    }
                    return rest.proceed();
                  });
            }

            @Override
            public TabletControl control(LiveServer server, TabletControl control) {
              return Intercepted.of(
                  TabletControl.class,
                  control,
                  (method, _, rest) -> {
                    if (method.getName().equals("reloadSchema")) {
                      reloads.incrementAndGet();
                    }
                    return rest.proceed();
                  });
            }
          });
  private final List<MasterEvent> events = new CopyOnWriteArrayList<>();
  private final List<Master> masters = new ArrayList<>();
  private final TreeMap<String, String> written = new TreeMap<>();

  @AfterEach
  void close() {
    masters.forEach(Master::close);
    cluster.close();
  }

  private Master master(MasterSettings settings) {
    return master(settings, CompactSettings.DEFAULT);
  }

  private Master master(MasterSettings settings, CompactSettings sizes) {
    masters.forEach(Master::close);
    int number = masters.size() + 1;
    Master master =
        new Master(
            new MasterParts(
                "m:" + number,
                number,
                () -> true,
                cluster.membership(),
                cluster::control,
                cluster.meta(),
                cluster.root(),
                cluster.files(),
                cluster.files(),
                Clock.system(),
                sizes,
                FakeCluster.TRASH,
                events::add),
            settings);
    masters.add(master);
    return master;
  }

  private Master master() {
    return master(FakeCluster.SETTINGS);
  }

  private void settle(Master master) {
    assertThat(
            master.settle(
                picture -> picture.whole() && picture.unowned().isEmpty() && master.isIdle(), SOON))
        .as(() -> "unserved: " + master.status().unserved() + ", " + events)
        .isTrue();
  }

  /** A table of so many tablets with a row in each, on servers that are started. */
  private Master table(int servers, int tablets) {
    for (int i = 1; i <= servers; i++) {
      cluster.start("s:" + i);
    }
    Master master = master();
    master.tables().create("t", TableSchema.ofFamilies("f"), FakeCluster.splits(tablets - 1));
    settle(master);
    writeAll("first");
    return master;
  }

  private static String row(TabletConfig tablet) {
    return tablet.last().map(Bytes::toUtf8).orElse("9999");
  }

  /** Writes a row to every tablet, where it is. */
  private void writeAll(String value) {
    for (TabletConfig tablet : cluster.meta().tablets("t")) {
      String row = row(tablet);
      cluster.owner(tablet.key()).table("t").apply(put(row, "f:" + value, 1, value));
      written.put(row + " f:" + value, value);
    }
  }

  /** All that was written is read, from servers that live. */
  private void checkAll() {
    assertThat(cluster.all("t")).hasSize(written.size());
    for (TabletConfig tablet : cluster.meta().tablets("t")) {
      assertThat(cluster.nodes()).contains(cluster.owner(tablet.key()));
    }
  }

  /** The same, where a move that a closed master began may still be under way. */
  private void awaitAll(Master next) {
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(NotServingException.class)
        .untilAsserted(
            () -> {
              settle(next);
              checkAll();
            });
  }

  private int tabletsOf(Node node) {
    return node.control().report().tablets().size();
  }

  private Node ownerOf(String metaTable) {
    return cluster.owner(FakeCluster.key(metaTable, ""));
  }

  @Test
  void aClusterBeginsFromNothingAndServesTables() {
    table(3, 12);
    checkAll();
    assertThat(cluster.nodes()).allSatisfy(node -> assertThat(tabletsOf(node)).isBetween(4, 5));
  }

  @Test
  void whatALostServerHadIsServedByTheOthersWithAllThatWasAcknowledged() {
    Master master = table(3, 12);
    Node lost = cluster.nodes().iterator().next();
    assertThat(master.status().down()).isEmpty();
    lost.kill();
    settle(master);
    assertThat(master.status().down()).containsExactly(lost.self().address());
    checkAll();
    writeAll("second");
    checkAll();
  }

  @Test
  void aCopyIsServedFromTheSameFilesAndOutlivesItsSource() {
    Master master = table(3, 6);
    master.tables().copy("t", "c");
    settle(master);
    List<String> copied = cluster.all("c");
    assertThat(copied).isEqualTo(cluster.all("t")).hasSize(6);
    writeAll("later");
    assertThat(cluster.all("c")).isEqualTo(copied);
    master.tables().compact("t");
    master.tables().drop("t");
    assertThat(master.collectFiles(true).blocked()).isEmpty();
    cluster.nodes().iterator().next().kill();
    settle(master);
    assertThat(cluster.all("c")).isEqualTo(copied);
    assertThat(master.tables().verifyMeta("")).isEmpty();
    master.tables().compact("c");
    assertThat(master.collectFiles(true).blocked()).isEmpty();
    assertThat(cluster.all("c")).isEqualTo(copied);
  }

  @Test
  void metaIsLostWithItsServerAndComesBackFirst() {
    Master master = table(3, 9);
    ownerOf(TableNames.META0).kill();
    settle(master);
    checkAll();
    ownerOf(TableNames.META1).kill();
    settle(master);
    writeAll("second");
    checkAll();
  }

  @Test
  void anotherMasterTakesOverWhileAServerIsLost() {
    Master first = table(3, 12);
    Node lost = ownerOf(TableNames.META1);
    lost.kill();
    first.close();
    Master second = master();
    settle(second);
    checkAll();
    assertThat(second.status().unserved()).isEmpty();
    assertThat(second.status().tablets()).isEqualTo(14);
  }

  @Test
  void aServerThatLostItsSessionIsNotAskedAndItsTabletsAreElsewhere() {
    Master master = table(3, 12);
    Node zombie = ownerOf(TableNames.META1);
    zombie.loseSession();
    settle(master);
    checkAll();
    writeAll("second");
    checkAll();
  }

  @Test
  void aDrainedServerIsEmptyAndNothingIsLost() {
    Master master = table(3, 12);
    Node drained = ownerOf(TableNames.META0);
    master.drain(drained.self().address(), true);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              master.round();
              assertThat(tabletsOf(drained)).isZero();
            });
    settle(master);
    checkAll();
    drained.stop();
    settle(master);
    writeAll("second");
    checkAll();
  }

  @Test
  void aNewServerGetsItsShareOfManyTablets() {
    table(2, 200);
    Master balancing =
        master(FakeCluster.SETTINGS.withBalance(true, Duration.ofMillis(1)).withMoves(16));
    Node added = cluster.start("new:1");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              balancing.round();
              assertThat(tabletsOf(added)).isBetween(60, 68);
            });
    balancing.close();
    awaitAll(master());
  }

  @Test
  void tabletsMoveJoinAndSplitAcrossServers() {
    Master master = table(3, 4);
    ClusterTables tables = master.tables();
    for (Node node : cluster.nodes()) {
      master.move("t", Bytes.utf8("0002"), node.self().address());
      assertThat(cluster.owner(FakeCluster.key("t", "0002"))).isEqualTo(node);
      master.move(TableNames.META1, Bytes.EMPTY, node.self().address());
      tables.setMetaLocation(node.self().address());
      checkAll();
    }
    tables.join("t", Bytes.utf8("0001"));
    tables.join("t", Bytes.utf8("0002"));
    assertThat(cluster.keys("t")).hasSize(2);
    checkAll();
    assertThat(tables.split("t", Bytes.EMPTY, Bytes.utf8("0002"))).isEqualTo(Bytes.utf8("0002"));
    assertThat(cluster.keys("t")).hasSize(3);
    checkAll();
    assertThat(tables.tablets("t"))
        .allSatisfy(tablet -> assertThat(tablet.stateName()).isEqualTo("active"));
    tables.flush("t");
    tables.compact("t");
    checkAll();
    assertThat(tables.verifyMeta("")).isEmpty();
  }

  /** "The Table must have an adjacent Tablet to join with", though it is on another server. */
  @Test
  void smallNeighboursOnTwoServersAreBroughtTogetherAndJoined() {
    Master first = table(2, 4);
    List<Node> nodes = List.copyOf(cluster.nodes());
    List<TabletKey> keys = cluster.keys("t");
    for (int i = 0; i < keys.size(); i++) { // so that no server could join any by itself
      first.move("t", row(keys.get(i)), nodes.get(i % 2).self().address());
    }
    first.tables().flush("t");
    CompactSettings eager = CompactSettings.DEFAULT.withJoinAge(Duration.ZERO);
    Master joining = master(FakeCluster.SETTINGS.withBalance(true, Duration.ofMillis(1)), eager);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              joining.round();
              assertThat(cluster.meta().tablets("t")).hasSizeLessThan(keys.size());
            });
    joining.close();
    awaitAll(master());
    assertThat(events)
        .filteredOn(MasterEvent.Moved.class::isInstance)
        .anySatisfy(event -> assertThat(event.text()).contains("to be joined: both small"));
    assertThat(joining.tables().verifyMeta("")).isEmpty();
  }

  private static Bytes row(TabletKey key) {
    return key.last().orElse(Bytes.utf8("9999"));
  }

  @Test
  void schemasChangeEverywhereAndTablesGoWithTheirFiles() {
    Master master = table(3, 6);
    ClusterTables tables = master.tables();
    tables.alter("t", TableSchema.ofFamilies("f", "g"));
    assertThat(tables.schema("t")).isEqualTo(TableSchema.ofFamilies("f", "g"));
    for (TabletConfig tablet : cluster.meta().tablets("t")) {
      cluster.owner(tablet.key()).table("t").apply(put(row(tablet), "g:x", 1, "v"));
      written.put(row(tablet) + " g:x", "v");
    }
    checkAll();
    tables.flush("t");
    tables.truncate("t");
    written.clear();
    checkAll();
    tables.drop("t");
    assertThat(tables.list(false)).isEmpty();
    assertThat(tables.list(true)).containsExactly(TableNames.META0, TableNames.META1);
    settle(master);
    assertThat(master.collectFiles(true).blocked()).isEmpty();
    assertThat(master.collectFiles(false).files()).isEmpty();
  }

  @Test
  void collectingFilesAllTheWhileTakesNothingThatIsRead() {
    Master master = table(3, 30);
    for (int round = 0; round < 4; round++) {
      writeAll("round" + round);
      master.tables().flush("t");
      if (round == 1) {
        master.tables().compact("t");
      }
      if (round == 2) {
        cluster.nodes().iterator().next().kill();
        assertThat(master.collectFiles(true).files())
            .as("while tablets are without server")
            .noneMatch(name -> name.startsWith("log/"));
        cluster.start("late:" + round);
      }
      settle(master);
      assertThat(master.collectFiles(true).blocked()).isEmpty();
      checkAll();
      assertThat(master.balance(true)).isNotNull();
      assertThat(master.collectFiles(true).blocked()).isEmpty();
      checkAll();
    }
    assertThat(events).filteredOn(event -> event instanceof MasterEvent.FilesTrashed).isNotEmpty();
    assertThat(master.tables().verifyMeta("")).isEmpty();
  }

  @Test
  void tabletsComeToOneServerOnly() {
    Master master = table(3, 12);
    for (TabletKey key : cluster.keys("t")) {
      long having =
          cluster.nodes().stream()
              .filter(
                  node ->
                      node.control().report().tablets().stream()
                          .anyMatch(tablet -> tablet.tablet().equals(key)))
              .count();
      assertThat(having).as("servers with %s", key).isEqualTo(1);
    }
    assertThat(master.status().servers()).hasSize(3);
  }

  /**
   * It once failed with "try again" while a server read the log of another one, though META had the
   * new schema by then.
   */
  @Test
  void aSchemaChangesWhileATabletIsRecovered() throws Exception {
    Master master = table(2, 1);
    TabletKey tablet = cluster.keys("t").getFirst();
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    cluster.owner(tablet).kill();
    beforeFile =
        () -> {
          reading.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    master.start();
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
    TableSchema wider = TableSchema.ofFamilies("f", "late");
    CompletableFuture<Void> altered =
        CompletableFuture.runAsync(
            () -> master.tables().alter("t", Optional.empty(), wider), Thread::startVirtualThread);
    await().until(() -> cluster.meta().schema("t").value().orElseThrow().schema().equals(wider));
    await().until(() -> altered.isDone() || reloads.get() > 1);
    assertThat(altered).as("it waits").isNotDone();
    goOn.countDown();
    assertThat(altered).succeedsWithin(SOON);
    Node owner = cluster.owner(tablet);
    owner.table("t").apply(put("row", "late:", 1, "x"));
    written.put("row late:", "x");
    checkAll();
  }
}
