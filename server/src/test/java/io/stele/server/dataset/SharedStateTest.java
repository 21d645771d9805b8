package io.stele.server.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.event.Subscription;
import io.stele.base.time.Clock;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.DirectoryEntry;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.datasets.serve.Pin;
import io.stele.datasets.serve.SharedMap.Children;
import io.stele.datasets.serve.SharedMap.Published;
import io.stele.server.TestServer;
import io.stele.testkit.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Over a metastore of one member, in this process. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class SharedStateTest {
  private static final Duration SESSION = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        TestServer.start(
            folder.resolve("one"), "server.roles=metastore", "server.port=" + FreePorts.next());
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    server.close();
  }

  private MetastoreClient client() {
    return new MetastoreClient(
        List.of(server.address()),
        ClientSettings.DEFAULTS
            .withCalls(CallSettings.DEFAULTS.withTimeout(SESSION))
            .withDeduplicate(false));
  }

  private SharedState state(String cluster) {
    SharedState state =
        new SharedState(
            this::client,
            cluster,
            "test",
            SESSION,
            Clock.system(),
            event -> told.add(event.text()));
    open.add(state);
    return state;
  }

  private static void awaitNames(Children children, String... names) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(children.names()).contains(Set.of(names)));
  }

  @Test
  void whatOnePublishesOthersListUntilItLeaves() {
    SharedState one = state("c");
    SharedState two = state("c");
    SharedState elsewhere = state("d");
    AtomicInteger changes = new AtomicInteger();
    Children nodes = two.watch("nodes", changes::incrementAndGet);
    Children others = elsewhere.watch("nodes", () -> {});

    Subscription published = one.publish("nodes/a:1");
    awaitNames(nodes, "a:1");
    Subscription again = one.publish("nodes/a:1");
    two.publish("nodes/b:1");
    awaitNames(nodes, "a:1", "b:1");
    published.close();
    published.close();
    assertThat(nodes.names()).as("published twice, ended once").contains(Set.of("a:1", "b:1"));
    again.close();
    awaitNames(nodes, "b:1");
    two.close();

    awaitNames(one.watch("nodes", () -> {}));
    awaitNames(others);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(changes).hasValueGreaterThan(2));
  }

  @Test
  void keysAreWhereTheyShouldBeAndGoWithTheSession() {
    SharedState one = state("c");
    one.publish("partitions/scores/v1/00003@a:1");
    awaitNames(one.watch("partitions/scores/v1", () -> {}), "00003@a:1");

    try (MetastoreClient client = client()) {
      String key = "/stele/datasets/c/v1/partitions/scores/v1/00003@a:1";
      assertThat(client.get(key).orElseThrow().session()).isNotZero();
      one.close();
      assertThat(client.get(key)).isEmpty();
    }
  }

  @Test
  void othersReadTheValueThatWasSetLast() {
    SharedState one = state("c");
    SharedState two = state("c");
    Children blocks = two.watch("partitions/scores/v1", () -> {});
    Published block = one.publish("partitions/scores/v1/b00000@a:1", "");
    for (int i = 1; i <= 1_000; i++) {
      block.set("value " + i);
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(blocks.entries()).contains(Map.of("b00000@a:1", "value 1000")));
    try (MetastoreClient client = client()) {
      String key = "/stele/datasets/c/v1/partitions/scores/v1/b00000@a:1";
      assertThat(client.get(key).orElseThrow().version()).as("few writes").isLessThan(100);
    }
  }

  @Test
  void wipedDirectoryIsPublishedAgainAndHoldersAreNeverSeenGone() {
    SharedState one = state("c");
    SharedState two = state("c");
    one.publish("nodes/a:1");
    one.publish("partitions/d/1/00000@a:1");
    two.publish("partitions/d/1/00000@b:1");
    AtomicBoolean seenGone = new AtomicBoolean();
    Children[] watched = new Children[1];
    watched[0] =
        two.watch(
            "partitions/d/1",
            () -> {
              if (watched[0] != null && watched[0].names().orElseThrow().size() == 1) {
                seenGone.set(true);
              }
            });
    awaitNames(watched[0], "00000@a:1", "00000@b:1");
    seenGone.set(false);

    try (MetastoreClient client = client()) {
      client.delete(Keys.prefix("/stele/datasets/"));
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                List<String> there = new ArrayList<>();
                for (DirectoryEntry entry : client.list("/stele/datasets/c/v1/partitions/d/1")) {
                  there.add(entry.name());
                }
                assertThat(there).containsExactly("00000@a:1", "00000@b:1");
                assertThat(client.get("/stele/datasets/c/v1/nodes/a:1")).isPresent();
              });
    }

    assertThat(watched[0].names()).contains(Set.of("00000@a:1", "00000@b:1"));
    assertThat(seenGone).isFalse();
  }

  @Test
  void metastoreThatIsDownIsNotFeltAndOneThatForgotAllIsToldAllAgain() throws Exception {
    SharedState one = state("c");
    SharedState two = state("c");
    Children nodes = two.watch("nodes", () -> {});
    one.publish("nodes/a:1");
    two.publish("nodes/b:1");
    one.pins().set("scores", Optional.of("v1"), Pin.NONE);
    Pin first = new Pin(1, Optional.of("v1"));
    awaitNames(nodes, "a:1", "b:1");
    await()
        .atMost(PATIENCE)
        .until(() -> two.pins().all().equals(Optional.of(Map.of("scores", first))));
    String address = server.address();

    server.close();
    await()
        .atMost(PATIENCE)
        .until(() -> told.stream().filter(text -> text.contains("goes on with")).count() >= 2);
    assertThat(nodes.names()).contains(Set.of("a:1", "b:1"));
    Subscription late = one.publish("nodes/late:1");
    AtomicBoolean seenGone = new AtomicBoolean();
    two.watch(
        "nodes",
        () -> {
          if (!nodes.names().orElseThrow().containsAll(Set.of("a:1", "b:1"))) {
            seenGone.set(true);
          }
        });
    server =
        TestServer.start(
            folder.resolve("two"),
            "server.roles=metastore",
            "server.port=" + address.substring(address.lastIndexOf(':') + 1));

    awaitNames(nodes, "a:1", "b:1", "late:1");
    try (MetastoreClient client = client()) {
      await()
          .atMost(PATIENCE)
          .until(() -> client.count(Keys.prefix("/stele/datasets/c/v1/nodes/")) == 3);
    }
    assertThat(seenGone).isFalse();
    assertThat(two.pins().all())
        .as("pins are said again by those who know them")
        .contains(Map.of());
    two.pins().restore("scores", first);
    one.pins().restore("scores", first);
    await()
        .atMost(PATIENCE)
        .until(() -> one.pins().all().equals(Optional.of(Map.of("scores", first))));
    late.close();
    awaitNames(nodes, "a:1", "b:1");
  }

  @Test
  void pinsStay() {
    SharedState one = state("c");
    AtomicInteger changes = new AtomicInteger();
    one.pins().watch(changes::incrementAndGet);
    await().atMost(PATIENCE).until(() -> one.pins().all().isPresent());

    one.pins().set("scores", Optional.of("v1"), Pin.NONE);
    Pin first = new Pin(1, Optional.of("v1"));
    assertThat(one.pins().all()).as("who set it sees it at once").contains(Map.of("scores", first));
    one.close();
    SharedState two = state("c");
    await()
        .atMost(PATIENCE)
        .until(() -> two.pins().all().equals(Optional.of(Map.of("scores", first))));
    two.pins().set("scores", Optional.empty(), Pin.NONE);
    two.pins().restore("scores", first);

    assertThat(two.pins().all())
        .as("the last word counts, even from who had not heard the one before")
        .contains(Map.of("scores", new Pin(2, Optional.empty())));
    assertThat(changes).hasPositiveValue();
  }
}
