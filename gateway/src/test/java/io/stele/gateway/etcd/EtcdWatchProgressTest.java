package io.stele.gateway.etcd;

import static io.stele.gateway.etcd.EtcdMember.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchProgressRequest;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Progress says that all events up to a revision have been told. A cache that is built on it, as
 * that of Kubernetes, serves what it has at that revision: so it must never be ahead of an event,
 * and never fall behind one.
 */
class EtcdWatchProgressTest {
  private final EtcdMember member =
      new EtcdMember(EtcdOptions.DEFAULT.withProgressInterval(Duration.ofMillis(5)));

  @AfterEach
  void close() {
    member.close();
  }

  /** One stream, and all that came on it in order. */
  private final class Stream implements StreamObserver<WatchResponse> {
    final List<WatchResponse> responses = new CopyOnWriteArrayList<>();
    final StreamObserver<WatchRequest> requests = WatchGrpc.newStub(member.channel()).watch(this);

    void create(String key, long from, boolean notify) {
      requests.onNext(
          WatchRequest.newBuilder()
              .setCreateRequest(
                  WatchCreateRequest.newBuilder()
                      .setKey(bytes(key))
                      .setRangeEnd(bytes(key + "~"))
                      .setStartRevision(from)
                      .setProgressNotify(notify))
              .build());
    }

    void requestProgress() {
      requests.onNext(
          WatchRequest.newBuilder()
              .setProgressRequest(WatchProgressRequest.getDefaultInstance())
              .build());
    }

    long events() {
      return responses.stream().mapToLong(WatchResponse::getEventsCount).sum();
    }

    List<WatchResponse> progress() {
      return responses.stream()
          .filter(r -> r.getEventsCount() == 0 && !r.getCreated() && !r.getCanceled())
          .toList();
    }

    @Override
    public void onNext(WatchResponse response) {
      responses.add(response);
    }

    @Override
    public void onError(Throwable problem) {}

    @Override
    public void onCompleted() {}
  }

  @Test
  void aRequestForProgressIsAnsweredWithTheNewestRevision() {
    Stream stream = new Stream();
    stream.create("a", 0, false);
    await().until(() -> stream.responses.size() == 1);
    long revision = member.put("other", "1");
    stream.requestProgress();
    await().until(() -> stream.progress().size() == 1);
    assertThat(stream.progress().getFirst().getWatchId()).isEqualTo(-1);
    assertThat(stream.progress().getFirst().getHeader().getRevision()).isEqualTo(revision);
  }

  @Test
  void aWatchThatAskedForItHearsOfProgressAtTheIntervalThatIsSet() {
    Stream stream = new Stream();
    stream.create("a", 0, true);
    await().until(() -> stream.progress().size() >= 3);
    assertThat(stream.progress()).allMatch(r -> r.getWatchId() == 0);
  }

  /** Two watches on a stream, both kinds of progress, and writers, all at once. */
  @Test
  void progressIsNeverAheadOfEventsAndNeverBehindThem() throws Exception {
    int writes = 1_500;
    Stream stream = new Stream();
    stream.create("a", 0, true);
    stream.create("b", 0, true);
    await().until(() -> stream.responses.size() >= 2);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> writing =
          threads.submit(
              () -> {
                for (int i = 0; i < writes; i++) {
                  member.put(i % 2 == 0 ? "a" : "b", "" + i);
                }
              });
      while (!writing.isDone()) {
        stream.requestProgress();
        long told = stream.progress().size();
        await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> stream.progress().size() > told);
      }
      writing.get();
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> stream.events() == writes);

    long[] told = new long[2]; // by watch: the newest revision of an event
    long[] promised = new long[2]; // by watch: everything up to here has been told
    for (WatchResponse response : stream.responses) {
      long revision = response.getHeader().getRevision();
      for (int watch = 0; watch < 2; watch++) {
        if (response.getWatchId() == watch || response.getWatchId() == -1) {
          if (response.getEventsCount() > 0) {
            assertThat(revision).as("event after progress").isGreaterThan(promised[watch]);
            told[watch] = revision;
          } else if (!response.getCreated()) {
            assertThat(revision).as("progress after event").isGreaterThanOrEqualTo(told[watch]);
            promised[watch] = Math.max(promised[watch], revision);
          }
        }
      }
    }
    assertThat(promised[0]).isPositive();
  }

  @Test
  void theRevisionOfACompactionCanBeWatchedAndThoseBeforeItNot() {
    member.put("a", "1");
    long second = member.put("a", "2");
    long third = member.put("a", "3");
    member.keys().compact(CompactionRequest.newBuilder().setRevision(third).build());

    Stream stream = new Stream();
    stream.create("a", third, false);
    await().until(() -> stream.events() == 1);
    stream.create("a", second, false);
    await().until(() -> stream.responses.stream().anyMatch(WatchResponse::getCanceled));
    assertThat(stream.responses.getLast().getCompactRevision()).isEqualTo(third);
  }
}
