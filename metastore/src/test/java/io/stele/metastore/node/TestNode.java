package io.stele.metastore.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.metastore.Consistency;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.RefusingLink;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member on files in memory whose time stands still until it is told to pass. */
final class TestNode implements AutoCloseable {
  static final Duration TTL = Duration.ofSeconds(10);
  private static final PeerLink NOBODY = new RefusingLink();

  final ManualClock clock = new ManualClock();
  private final MemoryFileStore files = new MemoryFileStore();
  private final NodeSettings settings;
  final List<NodeEvent> seen = new CopyOnWriteArrayList<>();
  private final boolean manual;
  private final PeerLink link;
  private final Map<Long, Long> sequences = new HashMap<>();
  private int requests;
  private MetastoreNode node;
  private Optional<ManualLog> manualLog = Optional.empty();

  private TestNode(NodeSettings settings, boolean manual, PeerLink link) {
    this.settings = settings.withoutTicks();
    this.manual = manual;
    this.link = link;
    this.node = start();
  }

  /** On the plain log of a group of one. */
  static TestNode solo() {
    return solo(NodeSettings.DEFAULT);
  }

  static TestNode solo(NodeSettings settings) {
    TestNode node = new TestNode(settings, false, NOBODY);
    node.tick(); // raises the version
    return node;
  }

  /** On a log that the test drives; it leads in term 1, at the newest version. */
  static TestNode manual(NodeSettings settings) {
    TestNode node = new TestNode(settings, true, NOBODY);
    node.log().lead(1);
    node.node.tick();
    node.log().proposed = 0;
    return node;
  }

  /** As above, with another member that is asked by a link; at the first version. */
  static TestNode ofTwo(NodeSettings settings, PeerLink link) {
    TestNode node = new TestNode(settings, true, link);
    node.log().members = List.of(ManualLog.SELF, ManualLog.OTHER);
    node.log().lead(1);
    return node;
  }

  private MetastoreNode start() {
    Events events =
        new Events(
            (event, problem) -> {
              throw new AssertionError("event " + event, problem);
            });
    events.subscribe(NodeEvent.class, seen::add);
    Member self = new Member("self", "127.0.0.1:1", "127.0.0.1:2");
    try {
      return new MetastoreNode.Builder(
              files,
              state -> {
                if (manual) {
                  ManualLog log = new ManualLog(state);
                  manualLog = Optional.of(log);
                  return log;
                }
                return SoloLog.open(files, self, state, SoloSettings.DEFAULT, events);
              })
          .settings(settings)
          .clock(clock)
          .events(events)
          .link(link)
          .group(() -> "group")
          .open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  MetastoreNode node() {
    return node;
  }

  ManualLog log() {
    return manualLog.orElseThrow();
  }

  /** Stops and starts: another leader, in a later term, with the same log. */
  void restart() {
    node.close();
    node = start();
  }

  /** Lets time pass, in steps, and waits until all that became due has been applied. */
  void pass(Duration time) {
    settle();
    for (int i = 0; i < 10; i++) {
      clock.advance(time.dividedBy(10));
      tick();
    }
  }

  void tick() {
    node.tick();
    settle();
  }

  /** Waits until all that was proposed so far is applied. */
  void settle() {
    try {
      now(node.transact(Origin.NOBODY, Transaction.of(new Operation.Get(key("/none"), 0))));
    } catch (DeniedException e) {
      assertThat(e).as("that is an answer, too").isNotNull();
    }
  }

  // ---- asking

  static KeyRange key(String key) {
    return KeyRange.of(Bytes.utf8(key));
  }

  static KeyRange prefix(String prefix) {
    return KeyRange.prefix(Bytes.utf8(prefix));
  }

  static Operation.Put putOf(String key, String value) {
    return new Operation.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false);
  }

  long session() {
    requests++;
    return session("request " + requests);
  }

  long session(String requestId) {
    return now(node.openSession("", TTL, "test", Bytes.utf8(requestId))).session();
  }

  /** A new request of a session. */
  Origin next(long session) {
    long sequence = sequences.merge(session, 1L, Long::sum);
    return new Origin("", session, sequence, sequence);
  }

  long put(String key, String value) {
    return now(node.transact(Origin.NOBODY, Transaction.of(putOf(key, value)))).revision();
  }

  void delete(String key) {
    now(node.transact(Origin.NOBODY, Transaction.of(new Operation.Delete(key(key), false))));
  }

  void putEphemeral(String key, long session) {
    Operation put = new Operation.Put(Bytes.utf8(key), Bytes.utf8("e"), session, false);
    now(node.transact(next(session), Transaction.of(put)));
  }

  Optional<String> get(String key) {
    return get(key, Consistency.LINEARIZABLE);
  }

  Optional<String> get(String key, Consistency consistency) {
    List<KeyValue> found = now(node.read("", RangeRead.of(key(key)), consistency)).keys();
    return found.stream().findFirst().map(kv -> kv.value().toUtf8());
  }

  CompletableFuture<Long> acquire(long session, String lock, Duration patience, Duration delay) {
    return node.acquire(next(session), Bytes.utf8(lock), true, patience, delay);
  }

  CompletableFuture<Long> acquire(long session, String lock) {
    return acquire(session, lock, Duration.ofMinutes(1), Duration.ZERO);
  }

  String begin() {
    return now(node.begin("", 0)).id();
  }

  List<String> readIn(String transaction, KeyRange range) {
    return now(node.readIn("", transaction, RangeRead.of(range))).keys().stream()
        .map(kv -> kv.value().toUtf8())
        .toList();
  }

  CompletableFuture<Answer.Transacted> commit(
      long session, String transaction, Operation... writes) {
    return node.commit(next(session), transaction, List.of(), List.of(writes));
  }

  /** The outcome; waits for it, and throws what it failed with itself. */
  static <T> T now(CompletableFuture<T> future) {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e.getCause())
          .as("futures fail with the problem itself")
          .isNotInstanceOf(CompletionException.class);
      if (e.getCause() instanceof RuntimeException problem) {
        throw problem;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no outcome", e);
    }
  }

  @Override
  public void close() {
    node.close();
  }
}
