package io.stele.metastore.raft;

import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.event.Events;
import io.stele.base.settings.ByteSize;
import io.stele.base.tls.Tls;
import io.stele.testkit.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/** Members of one group in this process, replicating over the loopback interface. */
final class TestMembers implements AutoCloseable {
  static final RaftSettings SETTINGS =
      RaftSettings.DEFAULT
          .withElection(Duration.ofMillis(500), Duration.ofMillis(1_000))
          .withRequest(Duration.ofMillis(1_000));

  /**
   * Answers the questions of members. The pool that all tests share has few threads, and tests that
   * stop members keep them busy for longer than a question may take.
   */
  static final Executor THREADS = Thread::startVirtualThread;

  /** One member, and what survives its restart. */
  final class Node {
    final Member member;
    final Path directory;
    final MapReplica.Disk disk = new MapReplica.Disk();
    RaftSettings settings = SETTINGS;
    List<Member> first = List.of();
    MapReplica replica = new MapReplica(disk);
    Optional<Tls> tls = Optional.empty();
    Optional<RatisConsensus<Position>> running = Optional.empty();

    Node(String id) {
      this.member =
          new Member(id, "127.0.0.1:" + FreePorts.next(), "127.0.0.1:" + FreePorts.next());
      this.directory = root.resolve(id);
    }

    RatisConsensus<Position> consensus() {
      return running.orElseThrow();
    }

    Node start() {
      replica = new MapReplica(disk);
      try {
        running =
            Optional.of(
                RatisConsensus.open(
                    directory, group, member, first, replica, link(this), settings, tls, events));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    void stop() {
      running.ifPresent(RatisConsensus::close);
      running = Optional.empty();
    }

    Position put(String entry) {
      return consensus().propose(Bytes.utf8(entry)).orTimeout(60, TimeUnit.SECONDS).join();
    }

    CompletableFuture<Void> barrier() {
      return consensus().readBarrier().orTimeout(60, TimeUnit.SECONDS);
    }

    boolean ready() {
      return running.isPresent() && consensus().standing().ready();
    }
  }

  final String group = UUID.randomUUID().toString();

  /** How long a checkpoint takes to come. */
  volatile Duration checkpointTakes = Duration.ZERO;

  final Network network = new Network();
  final List<RaftEvent> seen = new CopyOnWriteArrayList<>();
  private final Events events =
      new Events(
          (event, failure) -> {
            throw new AssertionError(event.text(), failure);
          });
  private final Path root;
  final Map<String, Node> nodes = new LinkedHashMap<>();

  TestMembers(Path root) {
    this.root = root;
    events.subscribe(RaftEvent.class, seen::add);
  }

  /** Makes members that form a group together, not started. */
  List<Node> first(int count) {
    List<Node> made = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      made.add(new Node("m" + i));
    }
    List<Member> members = made.stream().map(node -> node.member).toList();
    made.forEach(node -> add(node, members, 0));
    return made;
  }

  /** Makes a member that is to be added to the group, not started. */
  Node newcomer(String id) {
    return add(new Node(id), List.of(), 0);
  }

  private Node add(Node node, List<Member> members, long term) {
    node.first = members;
    nodes.put(node.member.id(), node);
    try {
      RatisConsensus.format(node.directory, group, term);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return node;
  }

  TestMembers start() {
    nodes.values().parallelStream().forEach(Node::start);
    return this;
  }

  /** The leader, once one of those that are not cut off is ready. */
  Node leader() {
    try {
      return await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  nodes.values().stream()
                      .filter(node -> !network.cut(node.member.id(), "other") && node.ready())
                      .findFirst(),
              Optional::isPresent)
          .orElseThrow();
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("no leader: " + standings() + "; events " + seen, e);
    }
  }

  private String standings() {
    return nodes.values().stream()
        .map(
            node ->
                node.member.id()
                    + node.running.map(each -> " " + each.standing()).orElse(" is stopped"))
        .collect(Collectors.joining(", "));
  }

  /** Hands the lead to a member. */
  void lead(Node node) {
    until(
        () -> {
          if (!node.ready()) {
            leader().consensus().transferLead(node.member.id()).exceptionally(e -> null).join();
          }
          return node.ready();
        });
  }

  Node other(Node... than) {
    return nodes.values().stream()
        .filter(node -> node.running.isPresent() && !List.of(than).contains(node))
        .findFirst()
        .orElseThrow();
  }

  static void until(Callable<Boolean> condition) {
    await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(60)).until(condition);
  }

  /** A log so short that a member which was away a little while falls behind it. */
  static RaftSettings shortLog() {
    return SETTINGS.withLog(ByteSize.ofKiB(4), 50, 0);
  }

  @Override
  public void close() {
    network.heal();
    // Together, as each takes about a second.
    nodes.values().parallelStream().forEach(Node::stop);
    network.close();
  }

  private static void waitFor(Duration time) {
    CompletableFuture<Boolean> never = new CompletableFuture<>();
    never.completeOnTimeout(true, time.toNanos(), TimeUnit.NANOSECONDS).join();
  }

  private Node node(Member member) {
    return Objects.requireNonNull(nodes.get(member.id()));
  }

  private PeerLink link(Node from) {
    return new RefusingLink() {
      @Override
      public CompletableFuture<Long> currentTerm(Member peer) {
        if (network.cut(from.member.id(), peer.id())) {
          return new CompletableFuture<>(); // as a cut wire: no answer, and no refusal either
        }
        return CompletableFuture.supplyAsync(
            () -> node(peer).consensus().currentTerm(peer.id()), THREADS);
      }

      @Override
      public InputStream checkpoint(Member peer) throws IOException {
        if (network.cut(from.member.id(), peer.id())) {
          throw new IOException("cut off");
        }
        waitFor(checkpointTakes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        node(peer).replica.writeCheckpoint(out);
        return new ByteArrayInputStream(out.toByteArray());
      }
    };
  }
}
