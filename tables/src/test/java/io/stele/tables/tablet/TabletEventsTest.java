package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Sentences in quotes are of the design notes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class TabletEventsTest {
  private final List<RuntimeException> failures = new ArrayList<>();
  private final TabletEvents events = new TabletEvents(failures::add);
  private final Tablet tablet = new Tablet("t");
  private final Tablet other = new Tablet("t");
  private final List<String> told = new ArrayList<>();

  private final class Listener implements TabletListener {
    private final String name;
    private final Runnable inside;

    Listener(String name, Runnable inside) {
      this.name = name;
      this.inside = inside;
    }

    @Override
    public void onFragmentListUpdate(Tablet which, int group, int begin, int end) {
      told.add(name + " files " + (which == tablet) + " " + group + " " + begin + " " + end);
      inside.run();
    }

    @Override
    public void onRowRangeUpdate(Tablet which, Optional<RowRange> rows) {
      told.add(name + " rows " + (which == tablet) + " " + rows.isPresent());
      inside.run();
    }
  }

  private Listener listener(String name) {
    return new Listener(name, () -> {});
  }

  /** "If tablet is null, listen for events on ALL tablets." */
  @Test
  void oneListensToATabletAndAnotherToAll() {
    events.add(listener("one"), tablet);
    events.add(listener("all"), null);
    events.fragmentsChanged(tablet, 0, 1, 3);
    events.fragmentsChanged(other, 2, 4, 4);
    events.rowsChanged(tablet, Optional.of(RowRange.row(Bytes.utf8("r"))));
    events.rowsChanged(other, Optional.empty());
    assertThat(told)
        .containsExactly(
            "one files true 0 1 3",
            "all files true 0 1 3",
            "all files false 2 4 4",
            "one rows true true",
            "all rows true true",
            "all rows false false");
  }

  @Test
  void whoListensTwiceIsToldOnce() {
    Listener both = listener("both");
    events.add(both, tablet);
    events.add(both, null);
    events.fragmentsChanged(tablet, 0, 0, 0);
    assertThat(told).hasSize(1);
    events.remove(both, null);
    events.fragmentsChanged(tablet, 0, 0, 0);
    events.fragmentsChanged(other, 0, 0, 0);
    assertThat(told).hasSize(2);
  }

  /** "Each call must be balanced by an equivalent call to removeTabletListener()." */
  @Test
  void whoIsAddedTwiceIsThereUntilRemovedTwice() {
    Listener twice = listener("twice");
    events.add(twice, tablet);
    events.add(twice, tablet);
    events.remove(twice, tablet);
    events.fragmentsChanged(tablet, 0, 0, 0);
    assertThat(told).hasSize(1);
    events.remove(twice, tablet);
    events.fragmentsChanged(tablet, 0, 0, 0);
    assertThat(told).hasSize(1);
  }

  /**
   * "This may be called from a TabletListener callback, but it will not go into effect until the
   * current dispatch is done."
   */
  @Test
  void whatACallbackAddsOrRemovesCountsFromTheNextEventOn() {
    Listener late = listener("late");
    Listener leaving = listener("leaving");
    Listener busy =
        new Listener(
            "busy",
            () -> {
              events.add(late, tablet);
              events.remove(leaving, tablet);
            });
    events.add(busy, tablet);
    events.add(leaving, tablet);
    events.rowsChanged(tablet, Optional.empty());
    assertThat(told).containsExactly("busy rows true false", "leaving rows true false");
    told.clear();
    events.rowsChanged(tablet, Optional.empty());
    assertThat(told).containsExactly("busy rows true false", "late rows true false");
  }

  @Test
  void anEventThatACallbackCausesComesWhenAllHaveBeenToldOfTheFirst() {
    AtomicInteger left = new AtomicInteger(2);
    events.add(
        new Listener(
            "first",
            () -> {
              if (left.getAndDecrement() > 0) {
                events.fragmentsChanged(tablet, 9, left.get(), left.get());
              }
            }),
        tablet);
    events.add(listener("second"), tablet);
    events.rowsChanged(tablet, Optional.empty());
    assertThat(told)
        .containsExactly(
            "first rows true false",
            "second rows true false",
            "first files true 9 1 1",
            "second files true 9 1 1",
            "first files true 9 0 0",
            "second files true 9 0 0");
  }

  /** "No throw guarantee": a listener that throws keeps no other from being told. */
  @Test
  void whatAListenerThrowsIsReportedAndTheOthersAreTold() {
    IllegalStateException failure = new IllegalStateException("careless");
    Listener late = listener("late");
    events.add(
        new Listener(
            "careless",
            () -> {
              events.add(late, tablet);
              throw failure;
            }),
        tablet);
    events.add(listener("careful"), tablet);
    events.fragmentsChanged(tablet, 0, 1, 3);
    events.rowsChanged(tablet, Optional.empty());
    assertThat(told)
        .containsExactly(
            "careless files true 0 1 3",
            "careful files true 0 1 3",
            "careless rows true false",
            "careful rows true false",
            "late rows true false");
    assertThat(failures).containsExactly(failure, failure);
  }

  @Test
  void eventsOfSeveralThreadsComeOneByOne() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger count = new AtomicInteger();
    events.add(
        new TabletListener() {
          @Override
          public void onFragmentListUpdate(Tablet which, int group, int begin, int end) {
            assertThat(inside.incrementAndGet()).isEqualTo(1);
            Thread.onSpinWait();
            count.incrementAndGet();
            inside.decrementAndGet();
          }
        },
        null);
    CountDownLatch start = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  for (int n = 0; n < 300; n++) {
                    events.fragmentsChanged(tablet, 0, n, n);
                    Listener passing = listener("passing");
                    events.add(passing, other);
                    events.remove(passing, other);
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<Void> each : running) {
        each.get();
      }
    }
    assertThat(count).hasValue(900);
  }
}
