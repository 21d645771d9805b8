package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.client.Stele;
import io.stele.client.metastore.AclEntry;
import io.stele.client.metastore.Condition;
import io.stele.client.metastore.Consistency;
import io.stele.client.metastore.Election;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.LockState;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.client.metastore.Session;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.TransactionResult;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.WatchOptions;
import io.stele.client.metastore.Watcher;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client, the protocol and a metastore of one member, together. */
class ClientOverMetastoreTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final MemoryFileStore files = new MemoryFileStore();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final Stele stele = Stele.connect(server.address());
  private final MetastoreClient client = stele.metastore();
  private MetastoreNode node;

  @BeforeEach
  void open() throws IOException {
    Events events = new Events((event, problem) -> {});
    Member self = new Member("self", "127.0.0.1:1", server.address());
    node =
        new MetastoreNode.Builder(
                files, state -> SoloLog.open(files, self, state, SoloSettings.DEFAULT, events))
            .events(events)
            .group(() -> "group")
            .open();
    server.serve(node);
  }

  @AfterEach
  void close() {
    stele.close();
    server.close();
    channels.close();
    node.close();
    files.close();
  }

  private static List<String> keys(Iterable<KeyValue> found) {
    List<String> keys = new ArrayList<>();
    found.forEach(key -> keys.add(key.key() + "=" + key.text()));
    return keys;
  }

  @Test
  void keysAndRevisions() {
    long first = client.put("/a", "1").revision();
    long second = client.put("/a", "2").revision();
    assertThat(second).isGreaterThan(first);
    KeyValue found = client.get("/a").orElseThrow();
    assertThat(found.text()).isEqualTo("2");
    assertThat(found.created()).isEqualTo(first);
    assertThat(found.modified()).isEqualTo(second);
    assertThat(found.version()).isEqualTo(2);
    assertThat(client.get("/a", ReadOptions.DEFAULTS.at(first))).get().returns("1", KeyValue::text);
    assertThat(client.get("/a", ReadOptions.DEFAULTS.with(Consistency.STALE))).isPresent();
    assertThat(client.delete("/a").count()).isEqualTo(1);
    assertThat(client.delete("/a").count()).isZero();
    assertThat(client.get("/a")).isEmpty();
    assertThatThrownBy(() -> client.put("a/b", "1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("must begin with /");
  }

  @Test
  void rangesAndDirectories() {
    for (int i = 0; i < 25; i++) {
      client.put("/d/%02d".formatted(i), "" + i);
    }
    client.put("/d/sub/x", "x");
    assertThat(keys(client.range(Keys.below("/d"), ReadOptions.DEFAULTS.pages(7)))).hasSize(26);
    assertThat(keys(client.range(Keys.below("/d"), ReadOptions.DEFAULTS.limit(2))))
        .containsExactly("/d/00=0", "/d/01=1");
    assertThat(client.count(Keys.below("/d"))).isEqualTo(26);
    List<String> names = new ArrayList<>();
    client.list("/d").forEach(entry -> names.add(entry.name() + (entry.directory() ? "/" : "")));
    assertThat(names).hasSize(26).endsWith("24", "sub/");
    assertThat(client.delete(Keys.below("/d")).count()).isEqualTo(26);
  }

  @Test
  void transactionsOfBothKinds() {
    TransactionResult created =
        client.transaction().when("/a").isAbsent().then(Step.put("/a", "1")).commit();
    assertThat(created.succeeded()).isTrue();
    assertThat(
            client
                .transaction()
                .when(Condition.absent("/a"))
                .then(Step.put("/a", "2"))
                .commit()
                .succeeded())
        .isFalse();
    List<CompletableFuture<Void>> counters =
        IntStream.range(0, 3)
            .mapToObj(
                i ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int n = 0; n < 5; n++) {
                            client.transact(
                                tx -> {
                                  long seen =
                                      tx.get("/n")
                                          .map(found -> Long.parseLong(found.text()))
                                          .orElse(0L);
                                  tx.put("/n", Long.toString(seen + 1));
                                  assertThat(tx.range(Keys.of("/n"))).hasSize(1);
                                  return seen;
                                });
                          }
                        },
                        Thread::startVirtualThread))
            .toList();
    counters.forEach(CompletableFuture::join);
    assertThat(client.get("/n")).get().returns("15", KeyValue::text);
  }

  @Test
  void locksAndElections() {
    try (Session one = client.openSession(LONG, "one");
        Session two = client.openSession(LONG, "two")) {
      HeldLock held = one.lock("/lock").acquire(LONG);
      assertThat(two.lock("/lock").tryAcquire()).isEmpty();
      CompletableFuture<HeldLock> next = two.lock("/lock").acquireAsync(LONG);
      await().until(() -> client.lockState("/lock").waiting().contains(two.id()));
      assertThat(client.transaction().whenHeld(held).then(Step.put("/guarded", "1")).commit())
          .returns(true, TransactionResult::succeeded);
      held.close();
      assertThat(next.join().token()).isGreaterThan(held.token());
      assertThat(client.transaction().whenHeld(held).then(Step.put("/guarded", "2")).commit())
          .returns(false, TransactionResult::succeeded);
      next.join().close();

      Election.Leadership lead = one.election("/leader").campaign("one", LONG);
      assertThat(two.election("/leader").tryCampaign("two")).isEmpty();
      assertThat(client.get("/leader")).get().returns("one", KeyValue::text);
      lead.close();
      assertThat(client.get("/leader")).isEmpty();
    }
  }

  @Test
  void giveUpAPlaceInLine() {
    try (Session one = client.openSession(LONG);
        Session two = client.openSession(LONG)) {
      HeldLock held = one.lock("/lock").acquire(LONG);
      CompletableFuture<HeldLock> next = two.lock("/lock").acquireAsync(LONG);
      await().until(() -> !client.lockState("/lock").waiting().isEmpty());
      next.cancel(true);
      await().until(() -> client.lockState("/lock").waiting().isEmpty());
      held.close();
      assertThat(client.lockState("/lock")).returns(List.of(), LockState::holders);
      HeldLock again = one.lock("/lock").acquire(LONG);
      assertThatThrownBy(() -> two.lock("/lock").acquire(Duration.ofMillis(50)))
          .isInstanceOf(ConflictException.class);
      again.close();
    }
  }

  @Test
  void keysOfASessionEndWithIt() {
    Session session = client.openSession(LONG);
    session.put("/here", "1");
    assertThat(client.get("/here")).get().returns(session.id(), KeyValue::session);
    session.close();
    assertThat(client.get("/here")).isEmpty();
  }

  @Test
  void aWatchTellsHistoryAndWhatFollows() {
    long first = client.put("/w/a", "1").revision();
    client.put("/other", "1");
    List<String> heard = new CopyOnWriteArrayList<>();
    WatchListener listener =
        new WatchListener() {
          @Override
          public void changed(long revision, List<KeyEvent> events) {
            events.forEach(
                event ->
                    heard.add((event.deleted() ? "-" : "+") + event.now().key() + "@" + revision));
          }

          @Override
          public void compacted(long oldest) {
            heard.add("compacted " + oldest);
          }

          @Override
          public void failed(SteleException problem) {
            heard.add("failed " + problem);
          }
        };
    try (Watcher watcher =
        client.watch(Keys.below("/w"), WatchOptions.DEFAULTS.from(first), listener)) {
      watcher.started().join();
      long second = client.put("/w/b", "2").revision();
      long third = client.delete("/w/a").revision();
      await().until(() -> heard.size() >= 3);
      assertThat(heard).containsExactly("+/w/a@" + first, "+/w/b@" + second, "-/w/a@" + third);
      client.admin().compact(third);
    }
    heard.clear();
    client.watch(Keys.all(), WatchOptions.DEFAULTS.from(first), listener);
    await().until(() -> !heard.isEmpty());
    assertThat(heard.getFirst()).startsWith("compacted ");
  }

  @Test
  void rightsStatusAndBackup() throws IOException {
    client.put("/secret/key", "1");
    client
        .admin()
        .setAcl(
            "/secret", List.of(new AclEntry("alice", true, true), new AclEntry("*", false, false)));
    assertThatThrownBy(() -> client.get("/secret/key")).isInstanceOf(DeniedException.class);
    try (Stele alice = Stele.builder().endpoints(server.address()).principal("alice").connect()) {
      assertThat(alice.metastore().get("/secret/key")).isPresent();
      assertThat(alice.metastore().admin().acl("/secret/key")).hasSize(2);
    }
    assertThat(client.admin().status())
        .singleElement()
        .isInstanceOfSatisfying(
            MemberReport.Reached.class,
            report -> assertThat(report.status().role()).isEqualTo("LEADER"));
    assertThat(client.admin().members()).hasSize(1);
    ByteArrayOutputStream backup = new ByteArrayOutputStream();
    assertThat(client.admin().backup(backup)).isEqualTo(backup.size()).isPositive();
  }

  @Test
  void whatIsSentWhileTheMemberRestartsIsDoneOnce() throws IOException {
    client.put("/n", "0");
    node.close();
    CompletableFuture<Long> during =
        CompletableFuture.supplyAsync(
            () -> client.put("/n", "1").revision(), Thread::startVirtualThread);
    open();
    assertThat(during.join()).isPositive();
    assertThat(client.get("/n")).get().returns(2L, KeyValue::version);
  }
}
