package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.key;
import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.prefix;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.metastore.Consistency;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.RaftSettings;
import io.stele.metastore.raft.RatisConsensus;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import io.stele.testkit.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three members that replicate the log, in one process. */
@Execution(ExecutionMode.CONCURRENT)
class NodeGroupTest {
  private static final RaftSettings RAFT =
      RaftSettings.DEFAULT
          .withElection(Duration.ofMillis(500), Duration.ofMillis(1_000))
          .withRequest(Duration.ofMillis(1_000));

  @TempDir Path root;

  private final String group = UUID.randomUUID().toString();
  private final List<Member> members = new ArrayList<>();
  private final Map<String, RatisConsensus<Applied>> logs = new ConcurrentHashMap<>();
  private final Map<String, MetastoreNode> nodes = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    nodes.values().parallelStream().forEach(MetastoreNode::close);
  }

  private void startThree() {
    for (int i = 1; i <= 3; i++) {
      members.add(
          new Member("m" + i, "127.0.0.1:" + FreePorts.next(), "127.0.0.1:" + FreePorts.next()));
    }
    members.parallelStream().forEach(member -> nodes.put(member.id(), start(member)));
  }

  private MetastoreNode start(Member self) {
    Events events =
        new Events(
            (event, problem) -> {
              throw new AssertionError(event.text(), problem);
            });
    Path directory = root.resolve(self.id());
    try {
      RatisConsensus.format(directory, group, 0);
      return new MetastoreNode.Builder(
              new MemoryFileStore(),
              state -> {
                RatisConsensus<Applied> log =
                    RatisConsensus.open(
                        directory,
                        group,
                        self,
                        members,
                        state,
                        new Link(),
                        RAFT,
                        Optional.empty(),
                        events);
                logs.put(self.id(), log);
                return log;
              })
          .events(events)
          .link(new Link())
          .group(() -> group)
          .open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The members' questions to each other, without a network. */
  private final class Link implements PeerLink {
    @Override
    public CompletableFuture<Long> currentTerm(Member peer) {
      return CompletableFuture.supplyAsync(
          () -> Objects.requireNonNull(logs.get(peer.id())).currentTerm(peer.id()),
          Thread::startVirtualThread); // not by the pool that tests share, which may be busy
    }

    @Override
    public InputStream checkpoint(Member peer) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Objects.requireNonNull(nodes.get(peer.id())).backup(out);
      return new ByteArrayInputStream(out.toByteArray());
    }

    @Override
    public CompletableFuture<Boolean> reserve(String serviceAddress, String reserved) {
      return refused();
    }

    @Override
    public CompletableFuture<Void> release(String serviceAddress, String reserved) {
      return refused();
    }

    @Override
    public CompletableFuture<Void> form(
        String serviceAddress, String formed, String memberId, List<Member> first) {
      return refused();
    }

    @Override
    public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
      return members.stream()
          .filter(member -> member.serviceAddress().equals(serviceAddress))
          .findFirst()
          .map(
              member ->
                  CompletableFuture.completedFuture(
                      new PeerIdentity(member, Optional.of(group), ClusterVersion.NEWEST)))
          .orElseGet(this::refused);
    }

    @Override
    public CompletableFuture<Optional<String>> fingerprint(Member peer, long index) {
      return CompletableFuture.supplyAsync(
          () -> Objects.requireNonNull(nodes.get(peer.id())).replica().fingerprint(index),
          Thread::startVirtualThread);
    }

    private <T> CompletableFuture<T> refused() {
      return CompletableFuture.failedFuture(new IOException("nobody forms groups here"));
    }
  }

  /** The revisions that a watch was told. */
  private static final class Revisions implements WatchSink {
    private final List<Long> told = new CopyOnWriteArrayList<>();

    @Override
    public void started(long revision) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void events(long revision, List<KeyEvent> events) {
      told.add(revision);
    }

    @Override
    public void progress(long revision) {}

    @Override
    public void compacted(long oldest) {
      told.add(-1L);
    }

    @Override
    public void failed(SteleException problem) {}

    void awaitAll(long last) {
      List<Long> all = new ArrayList<>();
      for (long r = 2; r <= last; r++) {
        all.add(r);
      }
      await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(told).isEqualTo(all));
    }
  }

  private String leader() {
    return await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                nodes.entrySet().stream()
                    .filter(entry -> entry.getValue().status().standing().ready())
                    .map(Map.Entry::getKey)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private MetastoreNode node(String id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  private static long put(MetastoreNode node, String key, String value) {
    return now(node.transact(Origin.NOBODY, Transaction.of(putOf(key, value)))).revision();
  }

  /**
   * What a client has when its leader dies: its session, keys, locks and answers; no transaction.
   */
  @Test
  void aNewLeaderGoesOnWhereTheOldOneEnded() {
    startThree();
    String first = leader();
    MetastoreNode old = node(first);
    Map<String, Revisions> watches = new ConcurrentHashMap<>();
    nodes.forEach(
        (id, node) -> {
          watches.put(id, new Revisions());
          node.watch(
              "", new WatchRequest(prefix("/"), 2, false), Objects.requireNonNull(watches.get(id)));
        });
    long session =
        now(old.openSession("", Duration.ofMinutes(1), "test", Bytes.utf8("request"))).session();
    long token =
        now(
            old.acquire(
                new Origin("", session, 1, 1),
                Bytes.utf8("/lock"),
                true,
                Duration.ZERO,
                Duration.ZERO));
    String committed = now(old.begin("", session)).id();
    now(old.readIn("", committed, RangeRead.of(key("/a"))));
    Origin commit = new Origin("", session, 2, 1);
    Answer.Transacted answer =
        now(old.commit(commit, committed, List.of(), List.of(putOf("/a", "1"))));
    String open = now(old.begin("", session)).id();
    now(old.readIn("", open, RangeRead.of(key("/a"))));
    List<CompletableFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      writes.add(old.transact(Origin.NOBODY, Transaction.of(putOf("/k" + i, "x"))));
    }
    writes.forEach(TestNode::now);
    String follower = first.equals("m1") ? "m2" : "m1";
    assertThatThrownBy(() -> put(node(follower), "/b", "1"))
        .isInstanceOfSatisfying(NotServingException.class, e -> assertThat(e.hint()).isPresent());

    nodes.remove(first);
    old.close();
    String second = leader();
    MetastoreNode next = node(second);
    assertThat(now(next.read("", RangeRead.of(key("/a")), Consistency.LINEARIZABLE)).keys())
        .hasSize(1);
    assertThat(now(next.keepAlive("", session))).isEqualTo(Duration.ofMinutes(1));
    assertThat(now(next.lockState("", Bytes.utf8("/lock"))).holders().getFirst().token())
        .isEqualTo(token);
    assertThat(now(next.commit(commit, committed, List.of(), List.of(putOf("/a", "1")))))
        .as("asked again, done once")
        .isEqualTo(answer);
    assertThatThrownBy(
            () ->
                now(
                    next.commit(
                        new Origin("", session, 3, 1), open, List.of(), List.of(putOf("/a", "2")))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("term");
    assertThat(now(next.begin("", 0)).id())
        .doesNotStartWith(open.substring(0, open.indexOf(':') + 1));
    long last = put(next, "/after", "1");
    nodes.keySet().forEach(id -> Objects.requireNonNull(watches.get(id)).awaitAll(last));
  }

  @Test
  void manyCallersShareEntriesOfTheGroup() {
    startThree();
    MetastoreNode leader = node(leader());
    long before = leader.status().standing().applied();
    List<CompletableFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      writes.add(leader.transact(Origin.NOBODY, Transaction.of(putOf("/k" + i, "x"))));
    }
    writes.forEach(TestNode::now);
    assertThat(leader.status().standing().applied() - before).isLessThan(1_500);
    long revision = leader.status().revision();
    for (MetastoreNode node : nodes.values()) {
      await().until(() -> node.status().revision() == revision);
    }
  }
}
