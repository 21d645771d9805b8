package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.stele.base.error.DeniedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.client.metastore.FakeMetastore.SetWatch;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class WatcherTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final FakeServer other = new FakeServer(metastore);
  private final MetastoreClient client =
      new MetastoreClient(List.of(server.address(), other.address()), RepeatRulesTest.QUICK);
  private final Heard heard = new Heard();

  @AfterEach
  void close() {
    client.close();
    server.close();
    other.close();
  }

  /** Notes all that it hears. */
  private static class Heard implements WatchListener {
    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void changed(long revision, List<KeyEvent> events) {
      for (KeyEvent event : events) {
        all.add(
            revision
                + (event.deleted() ? " deleted " : " put ")
                + event.now().key()
                + event.before().map(before -> " before " + before.text()).orElse(""));
      }
    }

    @Override
    public void progressed(long revision) {
      all.add("progress " + revision);
    }

    @Override
    public void compacted(long oldest) {
      all.add("compacted " + oldest);
    }

    @Override
    public void failed(SteleException problem) {
      all.add("failed " + problem.getMessage());
    }
  }

  private SetWatch watch(int number) {
    await().until(() -> metastore.watches.size() >= number);
    return metastore.watches.get(number - 1);
  }

  private void hear(String... expected) {
    await().until(() -> heard.all.size() >= expected.length);
    assertThat(heard.all).containsExactly(expected);
  }

  private static WatchResponse started(long revision) {
    return WatchResponse.newBuilder()
        .setStarted(WatchResponse.Started.newBuilder().setRevision(revision))
        .build();
  }

  private static WatchResponse progress(long revision) {
    return WatchResponse.newBuilder()
        .setProgress(WatchResponse.Progress.newBuilder().setRevision(revision))
        .build();
  }

  private static WatchResponse put(long revision, String... keys) {
    WatchResponse.Events.Builder events = WatchResponse.Events.newBuilder().setRevision(revision);
    for (String key : keys) {
      events
          .addEventsBuilder()
          .getNowBuilder()
          .setKey(ByteString.copyFromUtf8(key))
          .setModified(revision);
    }
    return WatchResponse.newBuilder().setEvents(events).build();
  }

  private static void breakOff(SetWatch watch) {
    watch.client().onError(Status.UNAVAILABLE.withDescription("reset").asRuntimeException());
  }

  @Test
  void tellsWhatTheServerTells() {
    try (Watcher watcher =
        client.watch(
            Keys.below("/dir"),
            WatchOptions.DEFAULTS.from(4).withPrevious().progressEvery(Duration.ofMillis(250)),
            heard)) {
      SetWatch set = watch(1);
      assertThat(set.request().getFrom()).isEqualTo(4);
      assertThat(set.request().getPrevious()).isTrue();
      assertThat(set.request().getProgressMillis()).isEqualTo(250);
      assertThat(set.request().getRange().getFrom().toStringUtf8()).isEqualTo("/dir/");
      assertThat(set.request().getRange().getTo().toStringUtf8()).isEqualTo("/dir0");
      set.tell(started(4));
      assertThat(watcher.started().join()).isEqualTo(4);
      set.tell(put(5, "/dir/a", "/dir/b"));
      set.tell(progress(8));
      hear("5 put /dir/a", "5 put /dir/b", "progress 8");
    }
    await().until(() -> watch(1).client().isCancelled());
  }

  @Test
  void goesOnElsewhereBehindTheLastRevisionTold() {
    try (Watcher watcher = client.watch(Keys.all(), heard)) {
      watch(1).tell(started(10));
      watch(1).tell(put(10, "/a"));
      hear("10 put /a");
      breakOff(watch(1));
      assertThat(watch(2).request().getFrom()).isEqualTo(11);
      assertThat(other.calls("Watch")).isEqualTo(1);
      watch(2).tell(started(11));
      watch(2).tell(put(10, "/a")); // a server that tells too much
      watch(2).tell(put(12, "/b"));
      hear("10 put /a", "12 put /b");
      assertThat(watcher.started().join()).isEqualTo(10);
    }
  }

  @Test
  void goesOnBehindProgress() {
    try (Watcher watcher = client.watch(Keys.all(), heard)) {
      watch(1).tell(started(10));
      watch(1).tell(progress(20));
      hear("progress 20");
      breakOff(watch(1));
      assertThat(watch(2).request().getFrom()).isEqualTo(21);
    }
  }

  @Test
  void aWatchFromNowOnMissesNothingIfItBreaksBeforeTheFirstEvent() {
    try (Watcher watcher = client.watch(Keys.all(), heard)) {
      assertThat(watch(1).request().getFrom()).isZero();
      watch(1).tell(started(10));
      watcher.started().join();
      breakOff(watch(1));
      assertThat(watch(2).request().getFrom()).isEqualTo(10);
    }
  }

  @Test
  void isSetAgainWhileNobodyServes() {
    server.fail("Watch", Fault.refused(new NotServingException("starting")));
    other.fail("Watch", Fault.refused(new NotServingException("starting")));
    try (Watcher watcher = client.watch(Keys.all(), heard)) {
      watch(1).tell(started(10));
      assertThat(watcher.started().join()).isEqualTo(10);
      watch(1).client().onCompleted(); // a server that stops
      assertThat(watch(2).request().getFrom()).isEqualTo(10);
    }
  }

  @Test
  void endsWhereWhatItNeedsIsCompacted() {
    Watcher watcher = client.watch(Keys.all(), WatchOptions.DEFAULTS.from(3), heard);
    watch(1)
        .tell(
            WatchResponse.newBuilder()
                .setCompacted(WatchResponse.Compacted.newBuilder().setOldest(77))
                .build());
    hear("compacted 77");
    assertThatThrownBy(() -> watcher.started().join()).hasMessageContaining("the oldest is 77");
  }

  @Test
  void endsWhereTryingAgainDoesNotHelp() {
    client.watch(Keys.all(), heard);
    watch(1).client().onError(ErrorMapping.toStatus(new DeniedException("not for you")));
    hear("failed not for you");
    assertThat(metastore.watches).hasSize(1);
  }

  @Test
  void theServerWaitsForASlowListener() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    Heard slow =
        new Heard() {
          @Override
          public void changed(long revision, List<KeyEvent> events) {
            called.countDown();
            try {
              mayGoOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            super.changed(revision, events);
          }
        };
    try (Watcher watcher = client.watch(Keys.all(), slow)) {
      SetWatch set = watch(1);
      set.tell(started(1));
      int sent = 0;
      String key = "/" + "k".repeat(4_000);
      while (sent < 1_000 && (sent < 10 || set.client().isReady())) {
        set.tell(put(2 + sent++, key));
        if (sent == 1) {
          called.await();
        }
      }
      assertThat(sent).isLessThan(1_000); // 4 MB: more than the connection takes unread
      mayGoOn.countDown();
      int all = sent;
      await().until(() -> slow.all.size() == all);
    }
  }
}
