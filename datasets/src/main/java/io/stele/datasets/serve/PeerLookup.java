package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes that the map names for a shard.
 *
 * <p>A random one first; after each stage, and at once after a failure, one more beside those that
 * have not answered. The first answer wins and the others are cancelled; that a key is missing is
 * an answer. At the time-out, or when all have failed, it is given up. Nobody is asked twice.
 */
final class PeerLookup {
  private final DatasetPeer peer;
  private final Clock clock;
  private final RandomGenerator random;
  private final Duration stage;
  private final Duration timeout;

  PeerLookup(
      DatasetPeer peer, Clock clock, RandomGenerator random, Duration stage, Duration timeout) {
    this.peer = peer;
    this.clock = clock;
    this.random = random;
    this.stage = stage;
    this.timeout = timeout;
  }

  /** What became of it. */
  sealed interface Outcome {
    /** A peer had the shard; an answer for each key. */
    record Answered(List<PeerAnswer> answers, String address) implements Outcome {}

    /** Nobody could say. */
    record GivenUp(Lookup.Failure failure, String reason) implements Outcome {}
  }

  /** How one peer's request ended. */
  private record Reply(String address, @Nullable List<PeerAnswer> answers, String failure) {}

  Outcome ask(ServedVersion version, int shard, List<Bytes> keys) {
    List<String> peers = shuffled(version.holders().of(shard));
    String what =
        "shard " + shard + " of version " + version.version() + " of " + version.dataset();
    if (peers.isEmpty()) {
      return new Outcome.GivenUp(
          Lookup.Failure.NO_PEER, what + " is not here, and no node is known to have it");
    }
    List<CompletableFuture<List<PeerAnswer>>> requests = new ArrayList<>();
    try {
      return ask(version, peers, keys, requests, what);
    } finally {
      requests.forEach(request -> request.cancel(true));
    }
  }

  private Outcome ask(
      ServedVersion version,
      List<String> peers,
      List<Bytes> keys,
      List<CompletableFuture<List<PeerAnswer>>> requests,
      String what) {
    BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
    List<String> failures = new ArrayList<>();
    long start = clock.nanos();
    long end = start + timeout.toNanos();
    long nextStage = start;
    while (true) {
      long now = clock.nanos();
      if (now - end >= 0) {
        return new Outcome.GivenUp(
            Lookup.Failure.TIMED_OUT,
            what
                + ": "
                + requests.size()
                + " nodes asked, no answer within "
                + timeout.toMillis()
                + " ms"
                + told(failures));
      }
      if (now - nextStage >= 0 && requests.size() < peers.size()) {
        requests.add(request(peers.get(requests.size()), version, keys, replies));
        nextStage = now + stage.toNanos();
      }
      boolean more = requests.size() < peers.size();
      Reply reply = poll(replies, (more ? Math.min(nextStage, end) : end) - clock.nanos());
      if (reply == null) {
        continue;
      }
      if (reply.answers != null) {
        return new Outcome.Answered(reply.answers, reply.address);
      }
      failures.add(reply.address + ": " + reply.failure);
      nextStage = clock.nanos();
      if (failures.size() == peers.size()) {
        return new Outcome.GivenUp(Lookup.Failure.NO_PEER, what + told(failures));
      }
    }
  }

  private static String told(List<String> failures) {
    return failures.isEmpty() ? "" : "; " + String.join("; ", failures);
  }

  private static @Nullable Reply poll(BlockingQueue<Reply> replies, long nanos) {
    try {
      return replies.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Reply("this node", null, "interrupted");
    }
  }

  private CompletableFuture<List<PeerAnswer>> request(
      String address, ServedVersion version, List<Bytes> keys, BlockingQueue<Reply> replies) {
    CompletableFuture<List<PeerAnswer>> request;
    try {
      request = peer.get(address, version.dataset(), version.version(), version.shards(), keys);
    } catch (RuntimeException e) {
      request = CompletableFuture.failedFuture(e);
    }
    var _ =
        request.whenComplete(
            (answers, failure) -> replies.add(reply(address, keys.size(), answers, failure)));
    return request;
  }

  private static Reply reply(
      String address, int keys, @Nullable List<PeerAnswer> answers, @Nullable Throwable failure) {
    if (failure != null || answers == null) {
      return new Reply(address, null, String.valueOf(failure));
    }
    for (PeerAnswer answer : answers) {
      if (answer instanceof PeerAnswer.NotHere(String reason)) {
        return new Reply(address, null, reason);
      }
    }
    if (answers.size() != keys) {
      return new Reply(address, null, answers.size() + " answers to " + keys + " keys");
    }
    return new Reply(address, answers, "");
  }

  private List<String> shuffled(List<String> peers) {
    List<String> order = new ArrayList<>(peers);
    synchronized (random) {
      for (int i = order.size() - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        String swapped = order.get(i);
        order.set(i, order.get(other));
        order.set(other, swapped);
      }
    }
    return order;
  }
}
