package io.stele.replicas.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.replicas.FakeCoordination;
import io.stele.replicas.FakePeers;
import io.stele.replicas.MetadataCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Metadata servers at work with threads of their own, in real time. */
class MetadataThreadTest {
  private final FakeCoordination service = new FakeCoordination();
  private final FakePeers network = new FakePeers();
  private final List<MetadataServer> servers = new ArrayList<>();

  private MetadataServer start(String id, Duration poll) {
    MetadataServer server =
        new MetadataServer(
            new MetadataParts(
                id,
                new MemoryFileStore(),
                FilePath.of("metadata"),
                service.of(id),
                network.from(MetadataCluster.address(id))::metadata,
                Clock.system(),
                RandomSource.system(),
                event -> {},
                MetadataParts.virtualThreads()),
            MetadataSettings.DEFAULT.withPoll(poll).withTries(50, Duration.ofMillis(2)));
    network.serve(MetadataCluster.address(id), server);
    service.live(id, MetadataCluster.address(id));
    servers.add(server);
    server.start();
    return server;
  }

  @AfterEach
  void close() {
    servers.forEach(MetadataServer::close);
  }

  private Metadata create(MetadataServer server, String... servers) {
    Metadata first = Metadata.first("id-t", "t-0", "p", List.of(new Assignment(servers[0], "p-0")));
    assertThat(server.create(MetadataCluster.config("t", servers), first)).isTrue();
    return first;
  }

  private static Metadata join(MetadataServer server, String id) {
    return server
        .requester()
        .change(
            "id-t",
            valid ->
                valid.servers().contains(id)
                    ? Optional.empty()
                    : Optional.of(
                        new MetadataChange.Join(
                            "p", new Assignment(id, "p-" + id), Optional.empty())));
  }

  @Test
  void whoWatchesLearnsOfEveryChange() {
    MetadataServer a = start("a", Duration.ofHours(1));
    MetadataServer b = start("b", Duration.ofHours(1));
    create(a, "a");
    network.on(call -> call.is("changed")).refuse(9);
    Metadata changed = join(a, "x");
    await()
        .untilAsserted(
            () ->
                assertThat(b.cache().byId("id-t").map(MetadataCache.Known::metadata))
                    .contains(changed));
  }

  @Test
  void whoIsNotToldLooksNowAndThen() {
    MetadataServer a = start("a", Duration.ofHours(1));
    MetadataServer b = start("b", Duration.ofMillis(10));
    service.silent(true);
    network.on(call -> call.is("changed")).refuse(9);
    create(a, "a");
    Metadata changed = join(a, "x");
    await()
        .untilAsserted(
            () ->
                assertThat(b.cache().byId("id-t").map(MetadataCache.Known::metadata))
                    .contains(changed));
  }

  @Test
  void changesByManyAreAllMade() throws Exception {
    MetadataServer a = start("a", Duration.ofMillis(10));
    MetadataServer b = start("b", Duration.ofMillis(10));
    MetadataServer c = start("c", Duration.ofMillis(10));
    Metadata first = create(a, "a", "b", "c");
    int each = 4;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Metadata>> asked = new ArrayList<>();
      for (MetadataServer server : List.of(a, b, c)) {
        for (int i = 0; i < each; i++) {
          String id = "x" + asked.size();
          asked.add(threads.submit(() -> join(server, id)));
        }
      }
      for (Future<Metadata> one : asked) {
        one.get();
      }
    }
    Metadata valid = a.cache().refresh("id-t").orElseThrow().metadata();
    assertThat(valid.sequence()).isEqualTo(first.sequence() + 3 * each);
    assertThat(valid.partitions().getFirst().joining()).hasSize(3 * each);
  }

  @Test
  void closedServerLooksNoMore() {
    MetadataServer a = start("a", Duration.ofMillis(1));
    a.close();
    long reads = service.reads();
    service.tell();
    a.close();
    assertThat(service.reads()).isEqualTo(reads);
  }
}
