package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.stele.base.time.RandomSource;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchCreateRequest.FilterType;
import io.stele.protocol.etcd.WatchProgressRequest;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What etcd promises of watches, checked on all that some of them were told while keys changed and
 * the server went away: ordered, unique, reliable, atomic, resumable, bookmarkable, with the right
 * previous values, creations and filters.
 */
class WatchPropertiesIT {
  private static final int ROUNDS = 3; // the server is restarted between them
  private static final int CHANGES = 200; // a round
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  @TempDir private Path directory;

  private final RandomGenerator random = RandomSource.seeded(11);

  /** All that a watch over several streams was told, resumed after each restart. */
  private static final class Told {
    private final List<WatchResponse> responses = new ArrayList<>();

    long newest() {
      long newest = 0;
      for (WatchResponse response : responses) {
        for (Event event : response.getEventsList()) {
          newest = event.getKv().getModRevision();
        }
      }
      return newest;
    }
  }

  private static ByteString key(int number) {
    return ByteString.copyFromUtf8("k" + number);
  }

  private TxnRequest change() {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    Set<Integer> keys = new HashSet<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int number = random.nextInt(12);
      if (keys.add(number)) {
        request.addSuccess(
            random.nextInt(3) == 0
                ? RequestOp.newBuilder()
                    .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key(number)))
                : RequestOp.newBuilder()
                    .setRequestPut(
                        PutRequest.newBuilder()
                            .setKey(key(number))
                            .setValue(ByteString.copyFromUtf8("" + random.nextInt()))));
      }
    }
    return request.build();
  }

  private static WatchCreateRequest all(long from) {
    return WatchCreateRequest.newBuilder()
        .setKey(ZERO)
        .setRangeEnd(ZERO)
        .setPrevKv(true)
        .setStartRevision(from)
        .build();
  }

  private static WatchCreateRequest deletions(long from) {
    return all(from).toBuilder().addFilters(FilterType.NOPUT).build();
  }

  @Test
  void watchesKeepTheirPromises() throws Exception {
    Told everything = new Told();
    Told deletions = new Told();
    long reached = 1;
    for (int round = 0; round < ROUNDS; round++) {
      try (SteleNode node = SteleNode.start(directory);
          WatchLog first = new WatchLog(node.channel());
          WatchLog second = new WatchLog(node.channel())) {
        first.create(all(Math.max(2, everything.newest() + 1)));
        second.create(deletions(reached + 1));
        for (int i = 0; i < CHANGES; i++) {
          reached = Math.max(reached, Answers.revision(Answers.ask(node.channel(), change())));
          if (i % 20 == 0) {
            first.send(
                WatchRequest.newBuilder()
                    .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                    .build());
            second.send(
                WatchRequest.newBuilder()
                    .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                    .build());
          }
        }
        awaitProgress(first, reached);
        awaitProgress(second, reached);
        everything.responses.addAll(first.responses());
        deletions.responses.addAll(second.responses());
        assertThat(first.problems()).isEmpty();
      }
    }
    List<Event> history = checkOrder(everything);
    checkHistory(history, reached);
    assertThat(checkOrder(deletions))
        .as("filtered, and nothing of it lost")
        .isEqualTo(
            history.stream().filter(event -> event.getType() == Event.EventType.DELETE).toList());
  }

  /** A watch that has told its progress has told everything up to there. */
  private static void awaitProgress(WatchLog log, long revision) {
    await("progress to revision " + revision)
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              log.send(
                  WatchRequest.newBuilder()
                      .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                      .build());
              return log.responses().stream()
                  .anyMatch(
                      response ->
                          response.getEventsCount() == 0
                              && !response.getCreated()
                              && response.getHeader().getRevision() >= revision);
            });
  }

  /** Ordered, unique, atomic and bookmarkable; answers all events. */
  private static List<Event> checkOrder(Told told) {
    List<Event> events = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    long newest = 0; // of a response before
    long bookmark = 0;
    for (WatchResponse response : told.responses) {
      if (response.getEventsCount() == 0) {
        if (!response.getCreated()) {
          bookmark = Math.max(bookmark, response.getHeader().getRevision());
        }
        continue;
      }
      long last = newest;
      for (Event event : response.getEventsList()) {
        long revision = event.getKv().getModRevision();
        assertThat(revision).as("ordered; a revision is told at once").isGreaterThan(newest);
        assertThat(revision).as("in order within a message").isGreaterThanOrEqualTo(last);
        assertThat(revision).as("nothing comes behind a bookmark").isGreaterThan(bookmark);
        assertThat(seen.add(revision + event.getKv().getKey().toStringUtf8())).isTrue();
        last = revision;
        events.add(event);
      }
      newest = last;
    }
    return events;
  }

  /** Reliable, with the right previous values and creations. */
  private static void checkHistory(List<Event> events, long reached) {
    Map<ByteString, KeyValue> live = new HashMap<>();
    long revision = 1;
    for (Event event : events) {
      KeyValue now = event.getKv();
      assertThat(now.getModRevision())
          .as("no revision is left out")
          .isBetween(revision, revision + 1);
      revision = now.getModRevision();
      KeyValue before = live.get(now.getKey());
      assertThat(event.hasPrevKv()).isEqualTo(before != null);
      if (before != null) {
        assertThat(event.getPrevKv()).isEqualTo(before);
      }
      if (event.getType() == Event.EventType.DELETE) {
        assertThat(before).as("a deletion of something").isNotNull();
        live.remove(now.getKey());
      } else {
        assertThat(now.getCreateRevision() == now.getModRevision()).isEqualTo(before == null);
        live.put(now.getKey(), now);
      }
    }
    assertThat(revision).isEqualTo(reached);
  }
}
