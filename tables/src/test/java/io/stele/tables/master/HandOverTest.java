package io.stele.tables.master;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.tables.cluster.SmallCluster;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.file.FailingDisk;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server of a cluster whose disk fails. It once went on as if it were well, and every request
 * that needed the disk failed, though other servers could read and write the same files.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HandOverTest {
  /** The master looks every five seconds, and a tablet may need several looks. */
  private static final Duration SOON = Duration.ofSeconds(30);

  private final Map<String, FailingDisk> disks = new ConcurrentHashMap<>(); // by address
  private final SmallCluster cluster =
      new SmallCluster(
          new SmallCluster.Surroundings() {
            @Override
            public FileStore files(LiveServer server, FileStore files) {
              return disk(server.address()).of(files);
            }
          });
  private final List<MasterEvent> events = new CopyOnWriteArrayList<>();
  private final Node a = cluster.start("a:1");
  private final Node b = cluster.start("b:1");
  private final Master master =
      new Master(
          new MasterParts(
              "m:1",
              1,
              () -> true,
              cluster.membership(),
              cluster::control,
              cluster.meta(),
              cluster.root(),
              cluster.files(),
              cluster.files(),
              Clock.system(),
              CompactSettings.DEFAULT,
              FakeCluster.TRASH,
              events::add),
          FakeCluster.SETTINGS);

  private FailingDisk disk(String address) {
    return disks.computeIfAbsent(address, _ -> new FailingDisk());
  }

  @AfterEach
  void close() {
    master.close();
    cluster.close();
  }

  /** A table on server a, with a row in a file and one in memory; META is on server b. */
  private TabletKey table() {
    master.start();
    master.tables().create("t", TableSchema.ofFamilies("f"), List.of());
    TabletKey tablet = cluster.keys("t").getFirst();
    for (String meta : List.of(TableNames.META0, TableNames.META1)) {
      master.move(meta, Bytes.EMPTY, "b:1");
    }
    master.move("t", Bytes.EMPTY, "a:1");
    a.table("t").apply(put("stored", "f:", 1, "x"));
    a.server().flush("t");
    a.table("t").apply(put("fresh", "f:", 1, "x"));
    return tablet;
  }

  private FilePath file() {
    return FilePath.of(a.server().tablets("t").getFirst().files().getFirst().path());
  }

  private static List<String> handedOver(Node node) {
    return node.events().stream()
        .filter(TableEvent.HandedOver.class::isInstance)
        .map(TableEvent::text)
        .toList();
  }

  private Optional<String> location(TabletKey tablet) {
    return cluster.meta().tablet(tablet).map(TabletConfig::location);
  }

  @Test
  void tabletsGoToAServerThatCanReadTheirFiles() {
    TabletKey tablet = table();
    FilePath file = file();
    disk("a:1").failReads(file::equals);
    assertThatThrownBy(() -> a.table("t").row("stored"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(file.value());
    await().atMost(SOON).until(() -> location(tablet).equals(Optional.of("b:1")));
    assertThat(cluster.all("t")).as("nothing is lost").hasSize(2);
    await() // reported after META names nobody, and perhaps after it names the next server
        .untilAsserted(
            () -> assertThat(handedOver(a)).singleElement().asString().contains(file.value()));
    assertThat(a.server().failure()).as("its session lives: other tablets stay").isNotDone();
    assertThat(a.server().control().report().tablets()).isEmpty();

    a.server().runUpkeep();
    assertThat(a.events()).as("it still cannot read it").noneMatch(HandOverTest::isReadable);
    disk("a:1").repair();
    a.server().runUpkeep();
    assertThat(a.events()).anyMatch(HandOverTest::isReadable);
  }

  private static boolean isReadable(TableEvent event) {
    return event instanceof TableEvent.FileReadable;
  }

  /** Each server hands the tablet over once; then it stays, for the sake of its other rows. */
  @Test
  void tabletsOfAFileThatNobodyCanReadStaySomewhere() {
    TabletKey tablet = table();
    FilePath file = file();
    disk("a:1").failReads(file::equals);
    disk("b:1").failReads(file::equals);
    for (int turn = 0; handedOver(a).size() + handedOver(b).size() < 2; turn++) {
      assertThat(turn).isLessThan(1_000);
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () -> {
                assertThatThrownBy(() -> cluster.owner(tablet).table("t").row("stored"))
                    .hasMessageContaining(file.value());
                return true;
              });
    }
    await().atMost(SOON).until(() -> served(tablet));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> cluster.owner(tablet).table("t").row("stored"))
          .isInstanceOf(UnavailableException.class);
      cluster.nodes().forEach(node -> node.server().runUpkeep());
    }
    assertThat(handedOver(a)).hasSize(1);
    assertThat(handedOver(b)).hasSize(1);
    cluster.owner(tablet).table("t").apply(put("late", "f:", 1, "x"));
  }

  private boolean served(TabletKey tablet) {
    Optional<String> address = location(tablet); // perhaps of a server that is gone
    return cluster.nodes().stream()
        .filter(node -> address.equals(Optional.of(node.self().address())))
        .flatMap(node -> node.control().report().tablets().stream())
        .anyMatch(each -> each.tablet().equals(tablet) && each.state() == 5);
  }

  private static Predicate<FilePath> fragments() {
    return path -> path.value().startsWith("fragments");
  }

  @Test
  void aServerThatCannotWriteFilesGivesUp() {
    TabletKey tablet = table();
    disk("a:1").failWrites(fragments());
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> a.server().flush("t"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("Input/output error");
    }
    assertThatThrownBy(() -> a.server().failure().get(SOON.toSeconds(), TimeUnit.SECONDS))
        .hasMessageContaining("fragments/")
        .hasMessageContaining("Input/output error");
    a.kill(); // as a node does with a server that has failed
    master.wake();
    await().atMost(SOON).until(() -> served(tablet));
    assertThat(location(tablet)).contains("b:1");
    assertThat(cluster.all("t")).as("nothing is lost").hasSize(2);
  }

  /** It would be full for the next server, too. */
  @Test
  void aServerStaysWhenTheDiskIsFull() {
    table();
    cluster.files().capacity(1);
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> a.server().flush("t")).isInstanceOf(UnavailableException.class);
    }
    assertThat(a.server().failure()).isNotDone();
    assertThat(a.table("t").all()).hasSize(2);
    cluster.files().capacity(Long.MAX_VALUE);
    a.server().flush("t");
  }

  /** What tablets have in memory cannot be written, so they cannot be given up in order. */
  @Test
  void aServerThatCanNeitherReadNorWriteGivesUp() {
    table();
    disk("a:1").failReads(file()::equals);
    disk("a:1").failWrites(fragments());
    assertThatThrownBy(() -> a.table("t").row("stored")).isInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> a.server().failure().get(SOON.toSeconds(), TimeUnit.SECONDS))
        .hasMessageContaining("Input/output error");
  }
}
