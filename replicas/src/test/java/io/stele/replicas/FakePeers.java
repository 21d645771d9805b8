package io.stele.replicas;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import io.stele.replicas.serve.Peers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A network among servers of one process, with the faults of a real one.
 *
 * <pre>{@code
 * FakePeers network = new FakePeers();
 * network.serve("host-a", metadataServerOfA);
 * network.serve("host-a", replicasOfA);
 * Peers seenByB = network.from("host-b");
 * network.cut("host-a", "host-b"); // until they heal
 * network.on(call -> call.is("push") && call.to().equals("host-b")).loseAnswer(1);
 * network.down("host-a"); // its process is gone
 * }</pre>
 *
 * <p>Any number of threads may use it. Calls of metadata run on the caller's thread, calls of
 * replicas on virtual threads.
 */
public final class FakePeers {
  /** A call from one server to another. */
  public record Call(String from, String to, String method, String table) {
    public boolean is(String name) {
      return method.equals(name);
    }
  }

  private enum Kind {
    LOSE_REQUEST,
    LOSE_ANSWER,
    REFUSE,
    REPEAT,
    DELAY,
    RUN_BEFORE,
    RUN_AFTER
  }

  private static final class Fault {
    private final Predicate<Call> calls;
    private final Kind kind;
    private final Runnable action;
    private int times;

    private Fault(Predicate<Call> calls, Kind kind, int times, Runnable action) {
      this.calls = calls;
      this.kind = kind;
      this.times = times;
      this.action = action;
    }
  }

  private record Link(String one, String other) {}

  private final Executor replicaCalls;

  // Guarded by this.
  private final Map<String, MetadataPeer> metadata = new HashMap<>();
  private final Map<String, ReplicaPeer> replicas = new HashMap<>();
  private final Set<Link> cuts = new HashSet<>();
  private final Set<String> isolated = new HashSet<>();
  private final List<Fault> faults = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();

  public FakePeers() {
    this(task -> Thread.ofVirtual().name("call").start(task));
  }

  /**
   * A network without servers.
   *
   * @param replicaCalls runs calls of replicas, which do not block their callers
   */
  public FakePeers(Executor replicaCalls) {
    this.replicaCalls = replicaCalls;
  }

  // ---- servers

  public synchronized void serve(String address, MetadataPeer peer) {
    metadata.put(address, peer);
  }

  public synchronized void serve(String address, ReplicaPeer peer) {
    replicas.put(address, peer);
  }

  /** Nobody answers at this address, until somebody serves there again. */
  public synchronized void down(String address) {
    metadata.remove(address);
    replicas.remove(address);
  }

  /** The network as the server at an address sees it. */
  public Peers from(String address) {
    return from(address, new CrashPoint());
  }

  /** The network as a server sees it that may be killed at any call. */
  public Peers from(String address, CrashPoint crash) {
    return new Peers() {
      @Override
      public MetadataPeer metadata(String to) {
        return new MetadataLink(address, to, crash);
      }

      @Override
      public ReplicaPeer replicas(String to) {
        return new ReplicaLink(address, to, crash);
      }
    };
  }

  // ---- faults

  /** Cuts the two off from each other, both ways. */
  public synchronized void cut(String one, String other) {
    cuts.add(new Link(one, other));
    cuts.add(new Link(other, one));
  }

  public synchronized void heal(String one, String other) {
    cuts.remove(new Link(one, other));
    cuts.remove(new Link(other, one));
  }

  /** Cuts one off from all others. */
  public synchronized void isolate(String address) {
    isolated.add(address);
  }

  /** Ends all cuts, and all other faults. */
  public synchronized void heal() {
    cuts.clear();
    isolated.clear();
    faults.clear();
  }

  /** Faults of calls to come. */
  public Faults on(Predicate<Call> which) {
    return new Faults(which);
  }

  /** What is to become of calls. */
  public final class Faults {
    private final Predicate<Call> which;

    private Faults(Predicate<Call> which) {
      this.which = which;
    }

    /** The next such calls are not made, and the caller knows. */
    public void refuse(int times) {
      add(Kind.REFUSE, times, () -> {});
    }

    /** The next such calls are not made, and the caller does not know. */
    public void loseRequest(int times) {
      add(Kind.LOSE_REQUEST, times, () -> {});
    }

    /** The next such calls are made, and the caller does not know. */
    public void loseAnswer(int times) {
      add(Kind.LOSE_ANSWER, times, () -> {});
    }

    /** The next such calls are made twice; the caller has one answer. Of those to replicas. */
    public void repeat(int times) {
      add(Kind.REPEAT, times, () -> {});
    }

    /** All such calls come this late, and so behind later ones. Of those to replicas. */
    public void delay(Duration time) {
      add(Kind.DELAY, Integer.MAX_VALUE, () -> LockSupport.parkNanos(time.toNanos()));
    }

    /** Runs something just before the next such call. */
    public void runBefore(Runnable action) {
      add(Kind.RUN_BEFORE, 1, action);
    }

    /** Runs something just after the next such call, before the caller has the answer. */
    public void runAfter(Runnable action) {
      add(Kind.RUN_AFTER, 1, action);
    }

    private void add(Kind kind, int times, Runnable action) {
      synchronized (FakePeers.this) {
        faults.add(new Fault(which, kind, times, action));
      }
    }
  }

  // ---- what went over it

  /** Calls that reached a server, in their order. */
  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  public long count(String method) {
    return calls().stream().filter(each -> each.is(method)).count();
  }

  public synchronized void forgetCalls() {
    calls.clear();
  }

  // ---- a call

  private synchronized Optional<Runnable> fault(Call call, Kind kind) {
    for (Fault fault : faults) {
      if (fault.kind == kind && fault.times > 0 && fault.calls.test(call)) {
        fault.times--;
        return Optional.of(fault.action);
      }
    }
    return Optional.empty();
  }

  private synchronized boolean connected(Call call) {
    boolean same = call.from.equals(call.to);
    return same
        || (!cuts.contains(new Link(call.from, call.to))
            && !isolated.contains(call.from)
            && !isolated.contains(call.to));
  }

  private synchronized <P> P reach(Map<String, P> servers, Call call) {
    P peer = servers.get(call.to);
    if (peer == null || !connected(call)) {
      throw new UnavailableException(call.method + ": nobody at " + call.to);
    }
    calls.add(call);
    return peer;
  }

  private <P> P begin(Map<String, P> servers, Call call) {
    fault(call, Kind.RUN_BEFORE).ifPresent(Runnable::run);
    if (fault(call, Kind.REFUSE).isPresent()) {
      throw new UnavailableException(call.method + ": nobody at " + call.to);
    }
    P peer = reach(servers, call);
    if (fault(call, Kind.LOSE_REQUEST).isPresent()) {
      throw unanswered(call);
    }
    return peer;
  }

  /** After a call was made; what a cut during the call, or a fault, does to its answer. */
  private void end(Call call) {
    fault(call, Kind.RUN_AFTER).ifPresent(Runnable::run);
    if (!connected(call) || fault(call, Kind.LOSE_ANSWER).isPresent()) {
      throw unanswered(call);
    }
  }

  private static OutcomeUnknownException unanswered(Call call) {
    return new OutcomeUnknownException(call.method + ": no answer from " + call.to);
  }

  /** What the caller sees of what the server threw. */
  private static SteleException seen(Call call, Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException e ? e.getCause() : thrown;
    return switch (cause) {
      case SteleException e -> e;
      case null, default ->
          new OutcomeUnknownException(call.method + ": " + call.to + " failed", cause);
    };
  }

  private final class MetadataLink implements MetadataPeer {
    private final String from;
    private final String to;
    private final CrashPoint crash;

    private MetadataLink(String from, String to, CrashPoint crash) {
      this.from = from;
      this.to = to;
      this.crash = crash;
    }

    private <T> T call(String method, String table, Function<MetadataPeer, T> made) {
      Call call = new Call(from, to, method, table);
      return crash.<T, SteleException>call(method + " at " + to, () -> send(call, made));
    }

    private <T> T send(Call call, Function<MetadataPeer, T> made) {
      MetadataPeer peer = begin(metadata, call);
      T answer;
      try {
        answer = made.apply(peer);
      } catch (RuntimeException | CrashPoint.Killed e) {
        throw seen(call, e);
      }
      end(call);
      return answer;
    }

    private void tell(String method, String table, Consumer<MetadataPeer> made) {
      call(
          method,
          table,
          peer -> {
            made.accept(peer);
            return true;
          });
    }

    @Override
    public Optional<Bytes> fetch(String table, String txn) {
      return call("fetch", table, peer -> peer.fetch(table, txn));
    }

    @Override
    public void store(String table, String txn, Bytes file) {
      tell("store", table, peer -> peer.store(table, txn, file));
    }

    @Override
    public void drop(String table, String txn) {
      tell("drop", table, peer -> peer.drop(table, txn));
    }

    @Override
    public Metadata change(String table, MetadataChange change) {
      return call("change", table, peer -> peer.change(table, change));
    }

    @Override
    public void changed(String table) {
      tell("changed", table, peer -> peer.changed(table));
    }

    @Override
    public void join(String table) {
      tell("join", table, peer -> peer.join(table));
    }

    @Override
    public List<String> adopt(boolean force) {
      return call("adopt", "", peer -> peer.adopt(force));
    }
  }

  private final class ReplicaLink implements ReplicaPeer {
    private final String from;
    private final String to;
    private final CrashPoint crash;

    private ReplicaLink(String from, String to, CrashPoint crash) {
      this.from = from;
      this.to = to;
      this.crash = crash;
    }

    private <T> CompletableFuture<T> call(
        String method, String table, Function<ReplicaPeer, CompletableFuture<T>> made) {
      Call call = new Call(from, to, method, table);
      CompletableFuture<T> answer = new CompletableFuture<>();
      crash.run(method + " at " + to, () -> replicaCalls.execute(() -> send(call, made, answer)));
      return answer;
    }

    private <T> void send(
        Call call, Function<ReplicaPeer, CompletableFuture<T>> made, CompletableFuture<T> answer) {
      try {
        fault(call, Kind.DELAY).ifPresent(Runnable::run);
        ReplicaPeer peer = begin(replicas, call);
        if (fault(call, Kind.REPEAT).isPresent()) {
          made.apply(peer); // nobody waits for this answer
        }
        made.apply(peer).whenComplete((value, e) -> end(call, value, e, answer));
      } catch (RuntimeException | CrashPoint.Killed e) {
        answer.completeExceptionally(seen(call, e));
      }
    }

    private <T> void end(Call call, T value, Throwable thrown, CompletableFuture<T> answer) {
      try {
        if (thrown != null) {
          throw seen(call, thrown);
        }
        FakePeers.this.end(call);
        answer.complete(value);
      } catch (SteleException e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public CompletableFuture<Push.Answer> push(Push push) {
      return call("push", push.table(), peer -> peer.push(push));
    }

    @Override
    public CompletableFuture<List<Push.Progress>> progress(String table, String partition) {
      return call("progress", table, peer -> peer.progress(table, partition));
    }

    @Override
    public CompletableFuture<Stored> stored(
        String table, String partition, ReadPredicate predicate, int maxBytes) {
      return call("stored", table, peer -> peer.stored(table, partition, predicate, maxBytes));
    }

    @Override
    public CompletableFuture<List<Digest>> digests(
        String table, String partition, RowRange rows, List<Bytes> cuts) {
      return call("digests", table, peer -> peer.digests(table, partition, rows, cuts));
    }

    @Override
    public CompletableFuture<Void> repair(String table, String partition, Bytes cells) {
      return call("repair", table, peer -> peer.repair(table, partition, cells));
    }

    @Override
    public CompletableFuture<Boolean> fill(
        String table, String partition, Assignment to, String store) {
      return call("fill", table, peer -> peer.fill(table, partition, to, store));
    }

    @Override
    public CompletableFuture<Bytes> split(String table, String partition, Bytes row) {
      return call("split", table, peer -> peer.split(table, partition, row));
    }

    @Override
    public CompletableFuture<Void> upkeep(String table, boolean compact) {
      return call("upkeep", table, peer -> peer.upkeep(table, compact));
    }
  }
}
