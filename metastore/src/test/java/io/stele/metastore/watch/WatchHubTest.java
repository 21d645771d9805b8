package io.stele.metastore.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.RandomSource;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchHubTest {
  private static final WatchSettings SMALL =
      new WatchSettings(new ByteSize(4_000), new ByteSize(2_000), 2, 2_000);

  private final FakeHistory history = new FakeHistory();
  private WatchHub hub = new WatchHub(SMALL, history);

  @AfterEach
  void close() {
    hub.close();
  }

  private void put(String key, String value) {
    hub.changed(history.put(key, value));
    hub.publish();
  }

  private static WatchRequest key(String key, long from) {
    return new WatchRequest(KeyRange.of(Bytes.utf8(key)), from, false);
  }

  private static WatchRequest prefix(String prefix, long from) {
    return new WatchRequest(KeyRange.prefix(Bytes.utf8(prefix)), from, false);
  }

  private Watch watch(WatchRequest request, CollectingSink sink) {
    return hub.watch(request, sink, Optional::empty);
  }

  private void restart(WatchSettings settings) {
    hub.close();
    hub = new WatchHub(settings, history);
  }

  @Test
  void tellsWhatChangesFromNowOn() {
    put("/a", "old");
    CollectingSink sink = new CollectingSink();
    watch(key("/a", 0), sink);
    put("/a", "1");
    put("/b", "1");
    put("/a", "2");
    sink.awaitLines("started 3", "3 /a=1", "5 /a=2");
  }

  @Test
  void tellsWhatHasChangedSinceARevision() {
    for (int i = 2; i <= 200; i++) {
      put("/a", "value " + i);
    }
    CollectingSink sink = new CollectingSink();
    watch(key("/a", 5), sink);
    sink.awaitRevisions(5, 200);
    put("/a", "live");
    sink.awaitRevisions(5, 201);
  }

  @Test
  void aSinkThatJoinsThePastHearsOfManyRevisionsAtOnce() {
    for (int i = 2; i <= 200; i++) {
      put(i % 2 == 0 ? "/a" : "/b", "" + i);
    }
    CollectingSink sink =
        new CollectingSink() {
          @Override
          public boolean joinsPast() {
            return true;
          }
        };
    Watch watch = watch(key("/a", 190), sink);
    String past = "200 /a=190 /a=192 /a=194 /a=196 /a=198 /a=200";
    sink.awaitLines("started 190", past);
    watch.requestProgress();
    sink.awaitLines("started 190", past, "progress 200"); // it is live from here on
    put("/a", "201");
    put("/a", "202");
    sink.awaitLines("started 190", past, "progress 200", "201 /a=201", "202 /a=202");
  }

  @Test
  void ordinaryPrefixesAndRangesFire() {
    CollectingSink below = new CollectingSink();
    CollectingSink all = new CollectingSink();
    CollectingSink range = new CollectingSink();
    watch(prefix("/d/", 0), below);
    watch(prefix("", 0), all);
    watch(new WatchRequest(new KeyRange(Bytes.utf8("/d/b"), Bytes.utf8("/d/d")), 0, false), range);
    put("/d", "1");
    put("/d/a", "2");
    put("/d/c", "3");
    put("/e", "4");
    below.awaitLines("started 2", "3 /d/a=2", "4 /d/c=3");
    all.awaitLines("started 2", "2 /d=1", "3 /d/a=2", "4 /d/c=3", "5 /e=4");
    range.awaitLines("started 2", "4 /d/c=3");
  }

  @Test
  void aRevisionIsNeverSplit() {
    CollectingSink live = new CollectingSink();
    watch(prefix("/", 0), live);
    hub.changed(
        history.change(
            Map.of("/a", Optional.of("1"), "/b", Optional.of("2"), "/c", Optional.empty())));
    hub.publish();
    live.awaitLines("started 2", "2 /a=1 /b=2 -/c");
    CollectingSink late = new CollectingSink();
    watch(prefix("/", 2), late);
    late.awaitLines("started 2", "2 /a=1 /b=2 -/c");
  }

  @Test
  void whatWasBeforeIsToldOnlyWhereAskedFor() {
    put("/a", "1");
    CollectingSink plain = new CollectingSink();
    CollectingSink full = new CollectingSink();
    watch(key("/a", 0), plain);
    hub.watch(new WatchRequest(KeyRange.of(Bytes.utf8("/a")), 0, true), full, Optional::empty);
    put("/a", "2");
    plain.awaitLines("started 3", "3 /a=2");
    full.awaitLines("started 3", "3 /a=2 was 1");
  }

  @Test
  void aWatchFromTheFutureHearsNothingEarlier() {
    CollectingSink sink = new CollectingSink();
    Watch watch = watch(key("/a", 5), sink);
    watch.requestProgress(); // the client knows 4: nothing below that is progress
    CollectingSink present = new CollectingSink();
    watch(key("/a", 0), present).requestProgress();
    present.awaitLines("started 2", "progress 1"); // so the hub has seen both wishes
    put("/a", "2");
    put("/a", "3");
    put("/a", "4");
    sink.awaitLines("started 5", "progress 4");
    put("/a", "5");
    watch.requestProgress();
    sink.awaitLines("started 5", "progress 4", "5 /a=5", "progress 5");
  }

  @Test
  void whoWantsWhatIsCompactedIsTold() {
    put("/a", "2");
    put("/a", "3");
    put("/a", "4");
    history.compact(3);
    CollectingSink old = new CollectingSink();
    CollectingSink kept = new CollectingSink();
    watch(key("/a", 2), old);
    watch(key("/a", 3), kept);
    old.awaitLines("started 2", "compacted 3");
    kept.awaitLines("started 3", "3 /a=3", "4 /a=4");
    assertThat(hub.size()).isEqualTo(1);
  }

  /** What was read while it was being compacted away may have holes. */
  @Test
  void aCompactionDuringTheReadingIsNoticed() {
    for (int i = 2; i <= 100; i++) {
      put("/a", "value " + i);
    }
    restart(SMALL);
    history.whileReading(() -> history.compact(50));
    CollectingSink sink = new CollectingSink();
    watch(key("/a", 2), sink);
    sink.awaitLines("started 2", "compacted 50");
  }

  /** The wish for progress that comes while an older one is granted must not go with it. */
  @Test
  void aWishForProgressDuringTheTellingOfProgressIsGranted() {
    AtomicReference<Watch> set = new AtomicReference<>();
    List<Long> told = new CopyOnWriteArrayList<>();
    CollectingSink sink =
        new CollectingSink() {
          @Override
          public void progress(long revision) {
            told.add(revision);
            if (told.size() < 50) {
              set.get().requestProgress();
            }
          }
        };
    set.set(watch(key("/a", 0), sink));
    set.get().requestProgress();
    await().atMost(Duration.ofSeconds(20)).until(() -> told.size() == 50);
  }

  /** While a watch begins its sink belongs to the one who sets it. */
  @Test
  void rightsThatChangeWhileAWatchBeginsAreAskedWhenItHasBegun() {
    CollectingSink sink =
        new CollectingSink() {
          @Override
          public void started(long revision) {
            hub.rightsChanged();
            // What another thread would tell now is told within the next moment.
            for (int i = 0; i < 20 && lines().isEmpty(); i++) {
              LockSupport.parkNanos(5_000_000);
            }
            super.started(revision);
          }
        };
    hub.watch(key("/a", 0), sink, () -> Optional.of(new DeniedException("no more")));
    sink.awaitLines("started 2", "failed DeniedException");
    assertThat(hub.size()).isZero();
  }

  @Test
  void whoIsNotReadyIsLeftAloneAndGoesOnWhereItStopped() {
    CollectingSink slow = new CollectingSink().withCredit(3);
    CollectingSink other = new CollectingSink();
    Watch watch = watch(key("/a", 0), slow);
    watch(key("/a", 0), other);
    for (int i = 2; i <= 300; i++) {
      put("/a", "value " + i); // more than the recent changes hold
    }
    other.awaitRevisions(2, 300);
    slow.awaitRevisions(2, 4);
    slow.withCredit(100);
    watch.resume();
    slow.awaitRevisions(2, 104);
    slow.withCredit(1_000);
    watch.resume();
    slow.awaitRevisions(2, 300);
    put("/a", "live again");
    slow.awaitRevisions(2, 301);
  }

  @Test
  void manyThatAreBehindAllGoOn() {
    List<CollectingSink> sinks = new ArrayList<>();
    List<Watch> watches = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      sinks.add(new CollectingSink().withCredit(0));
      watches.add(watch(key("/a", 0), sinks.getLast()));
    }
    for (int i = 2; i <= 150; i++) {
      put("/a", "value " + i);
    }
    sinks.forEach(sink -> sink.withCredit(1_000));
    watches.forEach(Watch::resume);
    sinks.forEach(sink -> sink.awaitRevisions(2, 150));
  }

  @Test
  void progressIsNeverAheadOfEvents() {
    CollectingSink sink = new CollectingSink().withCredit(2);
    Watch watch = watch(key("/a", 0), sink);
    for (int i = 2; i <= 10; i++) {
      put("/a", "" + i);
    }
    sink.awaitRevisions(2, 3);
    watch.requestProgress();
    assertThat(sink.lines()).noneMatch(line -> line.startsWith("progress"));
    sink.withCredit(100);
    watch.resume();
    await().until(() -> sink.lines().contains("progress 10"));
    assertThat(sink.lines().indexOf("progress 10")).isEqualTo(sink.lines().indexOf("10 /a=10") + 1);
  }

  @Test
  void progressIsToldThoughNothingHappened() {
    put("/other", "1");
    CollectingSink sink = new CollectingSink();
    Watch watch = watch(key("/a", 0), sink);
    put("/other", "2");
    watch.requestProgress();
    sink.awaitLines("started 3", "progress 3");
  }

  @Test
  void aClosedWatchHearsNoMore() {
    CollectingSink closed = new CollectingSink();
    CollectingSink open = new CollectingSink();
    Watch watch = watch(key("/a", 0), closed);
    watch(key("/a", 0), open);
    put("/a", "1");
    closed.awaitLines("started 2", "2 /a=1");
    watch.close();
    put("/a", "2");
    open.awaitLines("started 2", "2 /a=1", "3 /a=2");
    closed.awaitLines("started 2", "2 /a=1");
    assertThat(hub.size()).isEqualTo(1);
  }

  @Test
  void aSinkThatFailsEndsAlone() {
    CollectingSink good = new CollectingSink();
    hub.watch(
        key("/a", 0),
        new WatchSink() {
          @Override
          public void started(long revision) {}

          @Override
          public boolean isReady() {
            return true;
          }

          @Override
          public void events(long revision, List<KeyEvent> events) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void progress(long revision) {}

          @Override
          public void compacted(long oldest) {}

          @Override
          public void failed(SteleException problem) {
            throw new IllegalStateException("broken too");
          }
        },
        Optional::empty);
    watch(key("/a", 0), good);
    put("/a", "1");
    put("/a", "2");
    good.awaitLines("started 2", "2 /a=1", "3 /a=2");
    await().until(() -> hub.size() == 1);
  }

  @Test
  void whoMayNotReadAnyMoreIsToldSo() {
    AtomicReference<Optional<SteleException>> objection = new AtomicReference<>(Optional.empty());
    CollectingSink sink = new CollectingSink();
    hub.watch(key("/a", 0), sink, objection::get);
    put("/a", "1");
    sink.awaitLines("started 2", "2 /a=1");
    objection.set(Optional.of(new DeniedException("no more")));
    hub.rightsChanged();
    sink.awaitLines("started 2", "2 /a=1", "failed DeniedException");
  }

  @Test
  void aReplacedStateLeavesNoGap() {
    CollectingSink sink = new CollectingSink();
    watch(key("/a", 0), sink);
    put("/a", "2");
    sink.awaitRevisions(2, 2);
    history.put("/a", "3"); // came with a checkpoint: nobody told
    history.put("/a", "4");
    hub.replaced();
    put("/a", "5");
    sink.awaitRevisions(2, 5);
  }

  @Test
  void closingEndsAllWatches() {
    CollectingSink sink = new CollectingSink();
    watch(key("/a", 0), sink);
    hub.close();
    sink.awaitLines("started 2", "failed UnavailableException");
  }

  @Test
  void thereAreOnlySoManyWatches() {
    restart(new WatchSettings(ByteSize.ofKiB(1), ByteSize.ofKiB(1), 1, 2));
    watch(key("/a", 0), new CollectingSink());
    watch(key("/a", 0), new CollectingSink());
    assertThatThrownBy(() -> watch(key("/a", 0), new CollectingSink()))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("2");
  }

  @Test
  void theRecentChangesAreBoundedByTheirBytes() {
    RecentChanges recent = new RecentChanges(40_000);
    for (int i = 0; i < 1_000; i++) {
      recent.add(history.put("/a", "x".repeat(i)));
      assertThat(recent.bytes()).isLessThanOrEqualTo(40_000);
    }
    assertThat(recent.between(995, 999, 3))
        .extracting(Changes::revision)
        .containsExactly(995L, 996L, 997L);
    assertThat(recent.reaches(2)).isFalse();
  }

  /** From the history to live, while writes go on: no gap, no duplicate, no disorder. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void catchingUpMeetsTheLiveEvents(long seed) throws InterruptedException {
    RandomGenerator random = RandomSource.seeded(seed);
    int last = 6_000;
    for (int i = 2; i <= 1_000; i++) {
      put("/a", "value " + i);
    }
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 1_001; i <= last; i++) {
                    put("/a", "value " + i);
                  }
                });
    List<CollectingSink> sinks = new ArrayList<>();
    List<Watch> watches = new ArrayList<>();
    List<Integer> starts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int from = 2 + random.nextInt(i % 2 == 0 ? 900 : 5_000);
      starts.add(from);
      sinks.add(new CollectingSink().withCredit(i % 3 == 0 ? 100 : 1_000_000));
      watches.add(watch(i % 4 == 0 ? prefix("/", from) : key("/a", from), sinks.getLast()));
    }
    writer.join(Duration.ofSeconds(30));
    sinks.forEach(sink -> sink.withCredit(1_000_000));
    watches.forEach(Watch::resume);
    for (int i = 0; i < sinks.size(); i++) {
      sinks.get(i).awaitRevisions(starts.get(i), last);
    }
  }

  @Test
  void aThousandWatchersAreServed() {
    restart(WatchSettings.DEFAULT);
    List<CollectingSink> sinks = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      sinks.add(new CollectingSink());
      watch(i % 2 == 0 ? key("/a", 0) : prefix("/", 0), sinks.getLast());
    }
    for (int i = 2; i <= 200; i++) {
      put("/a", "value " + i);
    }
    sinks.forEach(sink -> sink.awaitRevisions(2, 200));
  }
}
