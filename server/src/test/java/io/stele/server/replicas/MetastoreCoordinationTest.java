package io.stele.server.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.event.Subscription;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.Coordination.Kept;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.TableConfig;
import io.stele.server.cluster.SessionLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Replicated tables and their servers, kept by a real metastore of one member. */
@Timeout(30)
@Execution(ExecutionMode.CONCURRENT)
class MetastoreCoordinationTest {
  private static final Duration LIFE = Duration.ofSeconds(5);
  private static final Duration SHORT_LIFE = Duration.ofMillis(500);
  private static final TableSchema SCHEMA =
      TableSchema.ofFamilies("f").withReplication(Replication.DEFAULT);

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Events events = new Events((_, problem) -> told.add(problem.toString()));
  private final MemoryFileStore files = new MemoryFileStore();
  private final Channels channels = new Channels();
  private final NativeServer gateway = NativeServer.listen("127.0.0.1", 0, channels);
  private MetastoreNode node;
  private Serving serving;
  private MetastoreClient client;
  private Coordination coordination;

  @BeforeEach
  void open() throws IOException {
    events.subscribe(Event.class, event -> told.add(event.text()));
    Member self = new Member("self", "127.0.0.1:1", gateway.address());
    node =
        new MetastoreNode.Builder(
                files, state -> SoloLog.open(files, self, state, SoloSettings.DEFAULT, events))
            .events(events)
            .group(() -> "group")
            .open();
    serving = gateway.serve(node);
    client = new MetastoreClient(List.of(gateway.address()), ClientSettings.DEFAULTS);
    coordination = new MetastoreCoordination(client, "taken"::equals, () -> false);
  }

  @AfterEach
  void close() {
    client.close();
    gateway.close();
    node.close();
    channels.close();
    files.close();
  }

  private static TableConfig config(String name) {
    return new TableConfig(name, "id-" + name, SCHEMA, "x1", List.of("s1", "s2"));
  }

  private static LiveServer server(String id, long free) {
    return new LiveServer(id, "h:" + id, free, 1000);
  }

  // ---- tables

  @Test
  void aTableIsMadeOnce() {
    assertThat(coordination.create(config("t"))).isTrue();
    assertThat(coordination.create(config("t"))).isFalse();
    assertThat(coordination.table("t").map(Kept::config)).contains(config("t"));
    assertThat(coordination.table("u")).isEmpty();
  }

  @Test
  void aNameMayBeTakenByATableOfAnotherKind() {
    assertThat(coordination.create(config("taken"))).isFalse();
    assertThat(coordination.table("taken")).isEmpty();
  }

  @Test
  void onlyWhoKnowsTheVersionMayReplace() {
    coordination.create(config("t"));
    Kept first = coordination.table("t").orElseThrow();
    TableConfig second = first.config().withMetadataTxn("x2");
    assertThat(coordination.replace(second, first.version())).isTrue();
    Kept kept = coordination.table("t").orElseThrow();
    assertThat(kept.config()).isEqualTo(second);
    assertThat(kept.version()).isGreaterThan(first.version());

    assertThat(coordination.replace(config("t").withMetadataTxn("x3"), first.version())).isFalse();
    assertThat(coordination.replace(config("u"), first.version())).as("of none").isFalse();
    assertThat(coordination.table("t").orElseThrow()).isEqualTo(kept);
  }

  @Test
  void anEqualConfigurationIsANewVersionToo() {
    coordination.create(config("t"));
    Kept first = coordination.table("t").orElseThrow();
    assertThat(coordination.replace(first.config(), first.version())).isTrue();
    assertThat(coordination.table("t").orElseThrow().version()).isGreaterThan(first.version());
    assertThat(coordination.replace(first.config().withMetadataTxn("x2"), first.version()))
        .isFalse();
  }

  @Test
  void onlyWhoKnowsTheVersionMayDelete() {
    coordination.create(config("t"));
    long version = coordination.table("t").orElseThrow().version();
    assertThat(coordination.drop(config("t"), version - 1)).isFalse();
    assertThat(coordination.isDropped(config("t").id())).isFalse();
    assertThat(coordination.drop(config("t"), version)).isTrue();
    assertThat(coordination.drop(config("t"), version)).isFalse();
    assertThat(coordination.table("t")).isEmpty();
    assertThat(coordination.isDropped(config("t").id())).as("it is on record").isTrue();
  }

  @Test
  void theDropOfATableThatIsNotListedIsRecordedToo() {
    assertThat(coordination.drop(config("t"), Coordination.UNLISTED)).isTrue();
    assertThat(coordination.isDropped(config("t").id())).isTrue();
    assertThat(coordination.tables()).isEmpty();
  }

  @Test
  void theClusterIsNamedByOne() {
    assertThat(coordination.cluster()).isEmpty();
    assertThat(coordination.nameCluster(Optional.empty(), "c1")).isTrue();
    assertThat(coordination.nameCluster(Optional.empty(), "c2")).isFalse();
    assertThat(coordination.cluster()).contains("c1");
    assertThat(coordination.nameCluster(Optional.of("c1"), "c2")).isTrue();
    assertThat(coordination.nameCluster(Optional.of("c1"), "c3")).isFalse();
    assertThat(coordination.cluster()).contains("c2");
  }

  @Test
  void anyNameThatATableMayHaveIsKept() {
    List<String> names = List.of("%2F", ".", "..", "..a", "a b", "a%", "a/b/c", "ä", "日本");
    names.forEach(name -> assertThat(coordination.create(config(name))).as(name).isTrue());
    names.forEach(
        name ->
            assertThat(coordination.table(name).map(Kept::config)).as(name).contains(config(name)));
    assertThat(coordination.tables())
        .extracting(kept -> kept.config().name())
        .isEqualTo(names.stream().sorted().toList());
  }

  @Test
  void allOfASchemaIsKept() {
    TableSchema schema =
        TableSchema.of(
                GroupSchema.of("all", List.of("*"))
                    .withPurge(PurgePolicy.parse("max-age=5000 or max-history=2"))
                    .withCompression(Compression.ZSTD)
                    .withBlockSize(16 << 10)
                    .withInMemory(true))
            .withReplication(
                Replication.of(5).withErasureGrace(Duration.ofMillis(7)).withSplitBytes(99));
    TableConfig config = new TableConfig("t", "id", schema, "x1", List.of());
    coordination.create(config);
    assertThat(coordination.table("t").map(Kept::config)).contains(config);
  }

  @Test
  void whatIsNoConfigurationIsCorrupt() {
    client.put("/stele/replicas/tables/t", "{\"id\": \"a\"}");
    assertThatThrownBy(() -> coordination.table("t"))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("/stele/replicas/tables/t")
        .hasMessageContaining("without groups");
    client.put("/stele/replicas/tables/t", "nonsense");
    assertThatThrownBy(() -> coordination.tables()).isInstanceOf(CorruptDataException.class);
  }

  @Test
  void whoWaitsIsToldWhenTheServerStops() throws Exception {
    MetastoreCoordination stopped = new MetastoreCoordination(client, "taken"::equals, () -> false);
    coordination.create(config("t"));
    serving.close(); // from now on the metastore is waited for
    CompletableFuture<List<Kept>> look = CompletableFuture.supplyAsync(stopped::tables);
    CompletableFuture<Boolean> change =
        CompletableFuture.supplyAsync(() -> stopped.create(config("u")));
    assertThatThrownBy(() -> look.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    stopped.stop();
    assertThatThrownBy(look::join).hasCauseInstanceOf(UnavailableException.class);
    assertThatThrownBy(change::join).hasCauseInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> stopped.table("t")).isInstanceOf(UnavailableException.class);
  }

  // ---- watching

  @Test
  void whoWatchesIsCalledAfterChanges() {
    AtomicInteger calls = new AtomicInteger();
    try (Subscription _ = coordination.watch(calls::incrementAndGet)) {
      await().until(() -> calls.get() > 0); // the watch is set
      int before = calls.get();
      coordination.create(config("t"));
      await().until(() -> calls.get() > before);
      int then = calls.get();
      client.put("/stele/replicas/servers/s1", "{}");
      await().until(() -> calls.get() > then);
    }
  }

  // ---- servers

  private SessionLoop loop(Registration registration, String address) {
    return new SessionLoop("replica server " + address, client, LIFE, registration, events).start();
  }

  @Test
  void aServerIsThereAsLongAsItsSession() throws Exception {
    Registration registration = new Registration(() -> server("s1", 500));
    try (SessionLoop _ = loop(registration, "h:s1")) {
      assertThat(registration.awaitRegistered(LIFE)).isTrue();
      assertThat(coordination.servers()).containsExactly(server("s1", 500));
      await().until(registration::leads);
    }
    assertThat(coordination.servers()).isEmpty();
    assertThat(registration.leads()).isFalse();
  }

  @Test
  void oneLeadsAndAnotherWhenItLeaves() throws Exception {
    Registration first = new Registration(() -> server("s1", 500));
    Registration second = new Registration(() -> server("s2", 500));
    try (SessionLoop one = loop(first, "h:s1")) {
      await().until(first::leads);
      try (SessionLoop _ = loop(second, "h:s2")) {
        assertThat(second.awaitRegistered(LIFE)).isTrue();
        assertThat(second.leads()).isFalse();
        assertThat(coordination.servers()).extracting(LiveServer::id).containsExactly("s1", "s2");
        one.close();
        await().until(second::leads);
        assertThat(first.leads()).isFalse();
      }
    }
  }

  @Test
  void aServerThatLostItsSessionRegistersAgain() throws Exception {
    Registration registration = new Registration(() -> server("s1", 500));
    try (SessionLoop _ =
        new SessionLoop("replica server h:s1", client, SHORT_LIFE, registration, events).start()) {
      await().until(registration::leads);
      long session =
          await() // it may lose a session by itself, too
              .until(
                  () -> client.get("/stele/replicas/servers/s1").map(KeyValue::session).orElse(0L),
                  found -> found != 0);
      serving.close();
      await()
          .until(
              () ->
                  told.stream()
                      .anyMatch(text -> text.contains("goes on with the replicas that it has")));
      await().until(() -> !registration.leads());
      serving = gateway.serve(node);
      await()
          .until(
              () ->
                  client.get("/stele/replicas/servers/s1").stream()
                      .anyMatch(key -> key.session() != session));
      await().until(registration::leads);
    }
  }

  @Test
  void aServerThatIsBackTakesItsPlaceFromItsOldSession() throws Exception {
    Registration registration = new Registration(() -> server("s1", 500));
    try (Session old = client.openSession(LIFE)) {
      old.put("/stele/replicas/servers/s1", ServerText.write(server("s1", 100)));
      try (SessionLoop _ = loop(registration, "h:s1")) {
        assertThat(registration.awaitRegistered(LIFE)).isTrue();
        old.close();
        assertThat(coordination.servers()).containsExactly(server("s1", 500));
      }
    }
  }
}
