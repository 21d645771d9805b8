package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchProgressRequest;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A cache as a Kubernetes API server has one: a list in pages at one revision, then a watch from
 * the next one, with previous values and requests for progress. When the stream breaks it goes on
 * at another member; when what it needs is compacted it lists again.
 */
final class ApiServerCache implements AutoCloseable {
  private static final int PAGE = 25;
  private static final Duration PROGRESS = Duration.ofMillis(150);

  /** What the cache had at one moment, by the keys' text: mod revision and value. */
  record Content(long revision, Map<String, String> entries) {}

  private final ApiServerMembers members;
  private final String prefix;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private int at; // the member that it asks; of the thread

  // Guarded by this.
  private final TreeMap<String, String> entries = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private long revision; // entries are the store's at this one; 0 before the first list
  private long promised; // no event at or below it may come
  private int lists;
  private int streams;
  private int progress;

  ApiServerCache(ApiServerMembers members, String prefix, int first) {
    this.members = members;
    this.prefix = prefix;
    this.at = first;
    this.thread = Thread.ofVirtual().name("cache-" + first).start(this::run);
  }

  private void run() {
    boolean listed = false;
    try {
      while (closing.getCount() > 0) {
        try {
          if (!listed) {
            list();
            listed = true;
          }
          watch();
        } catch (StatusRuntimeException e) {
          listed = listed && e.getStatus().getCode() != Status.Code.OUT_OF_RANGE;
          at++;
          var _ = closing.await(100, TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      violated("the cache failed: " + e);
    }
  }

  private void list() {
    Map<String, String> found = new TreeMap<>();
    ByteString from = ByteString.copyFromUtf8(prefix);
    long seen = 0;
    boolean more = true;
    while (more) {
      RangeResponse page =
          members
              .keys(at)
              .range(
                  RangeRequest.newBuilder()
                      .setKey(from)
                      .setRangeEnd(ApiServerMembers.endOf(prefix))
                      .setLimit(PAGE)
                      .setRevision(seen)
                      .build());
      seen = seen == 0 ? page.getHeader().getRevision() : seen;
      page.getKvsList().forEach(kv -> found.put(key(kv), text(kv)));
      more = page.getMore();
      from =
          more
              ? page.getKvs(page.getKvsCount() - 1)
                  .getKey()
                  .concat(ByteString.copyFrom(new byte[1]))
              : from;
    }
    synchronized (this) {
      entries.clear();
      entries.putAll(found);
      revision = seen;
      promised = seen;
      lists++;
    }
  }

  private static String key(KeyValue kv) {
    return kv.getKey().toStringUtf8();
  }

  private static String text(KeyValue kv) {
    return kv.getModRevision() + ":" + kv.getValue().toStringUtf8();
  }

  /** Until the stream breaks, which it throws. */
  private void watch() throws InterruptedException {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    StreamObserver<WatchRequest> requests = members.watches(at).watch(observer(ended));
    long from;
    synchronized (this) {
      from = revision + 1;
      streams++;
    }
    requests.onNext(
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8(prefix))
                    .setRangeEnd(ApiServerMembers.endOf(prefix))
                    .setStartRevision(from)
                    .setPrevKv(true)
                    .setProgressNotify(true))
            .build());
    while (!closing.await(PROGRESS.toMillis(), TimeUnit.MILLISECONDS) && !ended.isDone()) {
      requests.onNext(
          WatchRequest.newBuilder()
              .setProgressRequest(WatchProgressRequest.getDefaultInstance())
              .build());
    }
    if (!ended.isDone()) {
      requests.onCompleted();
    }
    try {
      ended.get(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw Status.UNAVAILABLE.withDescription("the stream hangs").asRuntimeException();
    } catch (ExecutionException e) {
      throw Status.fromThrowable(e.getCause()).asRuntimeException();
    }
  }

  private StreamObserver<WatchResponse> observer(CompletableFuture<Void> ended) {
    return new StreamObserver<>() {
      @Override
      public void onNext(WatchResponse response) {
        if (response.getCanceled()) {
          ended.completeExceptionally(
              (response.getCompactRevision() > 0 ? Status.OUT_OF_RANGE : Status.UNAVAILABLE)
                  .withDescription("cancelled: " + response.getCancelReason())
                  .asRuntimeException());
        } else if (!response.getCreated() && !ended.isDone()) {
          apply(response);
        }
      }

      @Override
      public void onError(Throwable problem) {
        ended.completeExceptionally(problem);
      }

      @Override
      public void onCompleted() {
        ended.complete(null);
      }
    };
  }

  private synchronized void apply(WatchResponse response) {
    if (response.getEventsCount() == 0) {
      long told = response.getHeader().getRevision();
      if (told < revision) {
        violated("progress to " + told + " behind the events of " + revision);
      }
      revision = Math.max(revision, told);
      promised = revision;
      progress++;
      return;
    }
    for (Event event : response.getEventsList()) {
      KeyValue kv = event.getKv();
      if (kv.getModRevision() <= promised) {
        violated("event of " + key(kv) + "@" + kv.getModRevision() + " after progress " + promised);
      }
      if (kv.getModRevision() < revision) {
        violated("event of " + kv.getModRevision() + " after one of " + revision);
      }
      String had =
          event.getType() == Event.EventType.DELETE
              ? entries.remove(key(kv))
              : entries.put(key(kv), text(kv));
      String before = event.hasPrevKv() ? text(event.getPrevKv()) : null;
      if (before != null && !before.equals(had)) {
        violated("event of " + key(kv) + " replaced " + before + ", and the cache had " + had);
      }
      revision = kv.getModRevision();
    }
  }

  private synchronized void violated(String what) {
    if (violations.size() < 20) {
      violations.add(what);
    }
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized Content content() {
    return new Content(revision, Map.copyOf(entries));
  }

  synchronized int progressTold() {
    return progress;
  }

  /** What the store has at a revision. */
  static Map<String, String> stored(RangeResponse response) {
    Map<String, String> found = new TreeMap<>();
    response.getKvsList().forEach(kv -> found.put(key(kv), text(kv)));
    return found;
  }

  @Override
  public synchronized String toString() {
    return "%d keys at %d, %d lists, %d streams, %d times progress"
        .formatted(entries.size(), revision, lists, streams, progress);
  }

  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
