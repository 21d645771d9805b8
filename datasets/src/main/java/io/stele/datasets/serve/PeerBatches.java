package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Asks a node for keys of different lookups in one request. What a request costs on both sides, its
 * head, its connection and its wake-ups, is many times what a lookup does.
 *
 * <pre>
 *   requests under way to one node, for one version
 *     fewer than FREE   a key is sent at once: a lookup that is alone waits for nothing
 *     more              keys wait until one of them is answered and then go together,
 *                       or until there are FULL of them
 *     MOST              keys wait
 * </pre>
 *
 * <p>So batches grow with the load and nobody waits by the clock. A key that goes alone is asked
 * for as it always was. A value that is too large to go with others is asked for once more, alone:
 * it is read in pieces, and nobody else waits for it. What fails, fails for all keys of its batch;
 * each lookup then asks another node.
 *
 * <p>Memory: of each node and version {@value #MOST_WAITING} keys at most wait, and what comes
 * beyond fails at once; the {@value #MOST} answers under way have {@value #MOST_KEYS} values of at
 * most {@value LargeValue#THRESHOLD} bytes each. A lookup that is cancelled while it waits is not
 * sent; a request of which all lookups are cancelled is cancelled.
 *
 * <p>Any number of threads.
 */
final class PeerBatches implements DatasetPeer {
  static final int FREE = 2;
  static final int FULL = 16;
  static final int MOST = 16;
  static final int MOST_KEYS = 64;
  static final int MOST_WAITING = 4096;
  private static final int MOST_KEY_BYTES = 256 << 10; // of a batch, but for a single key

  private final DatasetPeer peer;
  private final Map<Target, Lane> lanes = new ConcurrentHashMap<>();

  PeerBatches(DatasetPeer peer) {
    this.peer = peer;
  }

  /** What one batch is for. */
  private record Target(String address, String dataset, String version, int shards) {}

  /** Keys on their way to a target. Guarded by the object. */
  private static final class Lane {
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean dropped; // it was empty, and another one takes its place

    /** What is to be sent now; empty if nothing is. */
    List<Waiting> take() {
      List<Waiting> batch = new ArrayList<>(Math.min(waiting.size(), MOST_KEYS));
      boolean may = underWay < FREE || (underWay < MOST && waiting.size() >= FULL);
      int bytes = 0;
      while (may && !waiting.isEmpty() && batch.size() < MOST_KEYS) {
        Waiting first = waiting.getFirst();
        bytes += first.key.length();
        if (bytes > MOST_KEY_BYTES && !batch.isEmpty()) {
          break;
        }
        waiting.removeFirst();
        if (!first.isDone()) {
          batch.add(first);
        }
      }
      underWay += batch.isEmpty() ? 0 : 1;
      return batch;
    }
  }

  /** A lookup of one key. */
  private static final class Waiting extends CompletableFuture<List<PeerAnswer>> {
    private final Bytes key;
    private volatile @Nullable Runnable cancelled; // once it is sent

    Waiting(Bytes key) {
      this.key = key;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean done = super.cancel(mayInterrupt);
      Runnable then = cancelled;
      if (done && then != null) {
        then.run();
      }
      return done;
    }
  }

  @Override
  public CompletableFuture<List<PeerAnswer>> get(
      String address, String dataset, String version, int shards, List<Bytes> keys) {
    if (keys.size() != 1) {
      return peer.get(address, dataset, version, shards, keys);
    }
    Target target = new Target(address, dataset, version, shards);
    Waiting added = new Waiting(keys.getFirst());
    while (true) {
      Lane lane = lanes.computeIfAbsent(target, _ -> new Lane());
      List<Waiting> batch;
      synchronized (lane) {
        if (lane.dropped) {
          continue;
        }
        if (lane.waiting.size() >= MOST_WAITING) {
          return CompletableFuture.failedFuture(
              new UnavailableException(
                  address + ": " + MOST_WAITING + " lookups wait for it already"));
        }
        lane.waiting.add(added);
        batch = lane.take();
      }
      send(target, lane, batch);
      return added;
    }
  }

  private void send(Target target, Lane lane, List<Waiting> batch) {
    if (batch.isEmpty()) {
      return;
    }
    CompletableFuture<List<PeerAnswer>> request = request(target, batch);
    AtomicInteger wanted = new AtomicInteger(batch.size());
    for (Waiting each : batch) {
      Runnable unwanted =
          () -> {
            if (wanted.decrementAndGet() == 0) {
              var _ = request.cancel(true);
            }
          };
      each.cancelled = unwanted;
      if (each.isCancelled()) { // before it could know
        unwanted.run();
      }
    }
    var _ =
        request.whenComplete(
            (answers, failure) -> {
              next(target, lane);
              if (failure == null && answers != null) {
                hand(target, batch, answers);
              } else {
                batch.forEach(each -> each.completeExceptionally(cause(failure)));
              }
            });
  }

  private CompletableFuture<List<PeerAnswer>> request(Target to, List<Waiting> batch) {
    List<Bytes> keys = batch.stream().map(each -> each.key).toList();
    try {
      return keys.size() == 1
          ? peer.get(to.address, to.dataset, to.version, to.shards, keys)
          : peer.getSmall(to.address, to.dataset, to.version, to.shards, keys);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** A request has ended: what waits may go. */
  private void next(Target target, Lane lane) {
    List<Waiting> batch;
    synchronized (lane) {
      lane.underWay--;
      batch = lane.take();
      if (lane.underWay == 0 && lane.waiting.isEmpty()) {
        lane.dropped = true;
        lanes.remove(target, lane);
      }
    }
    send(target, lane, batch);
  }

  private void hand(Target target, List<Waiting> batch, List<PeerAnswer> answers) {
    for (int i = 0; i < batch.size(); i++) {
      Waiting asked = batch.get(i);
      if (answers.size() != batch.size()) {
        asked.completeExceptionally(
            new UnavailableException(
                "%s: %d answers to %d keys"
                    .formatted(target.address, answers.size(), batch.size())));
      } else if (answers.get(i) instanceof PeerAnswer.TooLarge) {
        askAlone(target, asked);
      } else if (!asked.complete(List.of(answers.get(i)))
          && answers.get(i) instanceof PeerAnswer.Large(LargeValue unwanted)) {
        close(unwanted);
      }
    }
  }

  private static void close(LargeValue value) {
    try {
      value.close();
    } catch (IOException e) {
      // Nobody wants it.
    }
  }

  /** It counts for no lane: large values take long, and there are few. */
  private void askAlone(Target target, Waiting asked) {
    CompletableFuture<List<PeerAnswer>> request = request(target, List.of(asked));
    asked.cancelled = () -> request.cancel(true);
    if (asked.isCancelled()) {
      var _ = request.cancel(true);
    }
    var _ =
        request.whenComplete(
            (answers, failure) -> {
              if (failure == null && answers != null) {
                hand(target, List.of(asked), answers);
              } else {
                asked.completeExceptionally(cause(failure));
              }
            });
  }

  private static Throwable cause(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause == null ? new UnavailableException("no answer") : cause;
  }

  @Override
  public CompletableFuture<List<DatasetStatus>> status(String address) {
    return peer.status(address);
  }
}
