package io.stele.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.RandomSource;
import io.stele.testkit.history.WatchStream.Delivery;
import io.stele.testkit.history.WatchStream.Event;
import io.stele.testkit.history.WatchStream.Events;
import io.stele.testkit.history.WatchStream.Progress;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchCheckerTest {
  private static final Change A = Change.put("/a", "1");
  private static final Change B = Change.put("/b", "2");
  private static final Change OUTSIDE = Change.put("/x", "3");
  private static final RevisionHistory STORE =
      new RevisionHistory(
          new TreeMap<>(
              Map.of(
                  2L, List.of(A),
                  3L, List.of(OUTSIDE),
                  4L, List.of(A, B, OUTSIDE),
                  7L, List.of(Change.delete("/a")))));

  private static final Event TWO = new Event(2, A);
  private static final Event FOUR_A = new Event(4, A);
  private static final Event FOUR_B = new Event(4, B);
  private static final Event SEVEN = new Event(7, Change.delete("/a"));

  private static Events events(Event... events) {
    return new Events(List.of(events));
  }

  private static Verdict check(long from, long upTo, Delivery... deliveries) {
    WatchStream stream =
        new WatchStream("w", KeyRange.of("/a", "/c"), from, upTo, List.of(deliveries));
    return new WatchChecker().check(List.of(stream), STORE);
  }

  private static void assertFound(Verdict verdict, Anomaly... anomalies) {
    assertThat(verdict.anomalies()).containsExactly(anomalies);
  }

  @Test
  void everyChangeOnceAndInOrderIsWell() {
    assertFound(check(1, 7, events(TWO), events(FOUR_A, FOUR_B), new Progress(6), events(SEVEN)));
    assertFound(check(1, 7, events(TWO, FOUR_B, FOUR_A, SEVEN), new Progress(9)));
    assertFound(check(3, 7, new Progress(3), events(FOUR_A, FOUR_B), events(SEVEN)));
    assertFound(check(8, 9));
  }

  @Test
  void oneThatIsNotThereYetIsNotMissing() {
    assertFound(check(1, 4, events(TWO), events(FOUR_A, FOUR_B)));
    assertFound(check(1, 1));
  }

  @Test
  void aGapIsFound() {
    assertFound(check(1, 7, events(TWO), events(SEVEN)), Anomaly.WATCH_GAP);
    assertFound(check(1, 1, events(TWO), events(SEVEN)), Anomaly.WATCH_GAP);
  }

  @Test
  void aGapAtTheEndOrTheBeginningIsFound() {
    assertFound(check(1, 7, events(TWO), events(FOUR_A, FOUR_B)), Anomaly.WATCH_GAP);
    assertFound(check(1, 7, events(FOUR_A, FOUR_B), events(SEVEN)), Anomaly.WATCH_GAP);
  }

  @Test
  void halfARevisionIsAGap() {
    Verdict verdict = check(1, 7, events(TWO), events(FOUR_A), events(SEVEN));
    assertFound(verdict, Anomaly.WATCH_GAP);
    assertThat(verdict.toString())
        .contains("w: revision 4 with [/b = 2] is missing, though told of all up to revision 7");
  }

  @Test
  void aDuplicateIsFound() {
    assertFound(
        check(1, 7, events(TWO), events(TWO), events(FOUR_A, FOUR_B), events(SEVEN)),
        Anomaly.WATCH_DUPLICATE);
    assertFound(
        check(1, 7, events(TWO), events(FOUR_A, FOUR_B), events(SEVEN), events(FOUR_A, FOUR_B)),
        Anomaly.WATCH_DUPLICATE);
    assertFound(
        check(1, 7, events(TWO), events(FOUR_A, FOUR_B, FOUR_A), events(SEVEN)),
        Anomaly.WATCH_DUPLICATE);
  }

  @Test
  void disorderIsFound() {
    assertFound(
        check(1, 7, events(FOUR_A, FOUR_B), events(TWO), events(SEVEN)), Anomaly.WATCH_DISORDER);
    assertFound(check(1, 7, events(FOUR_A, FOUR_B, TWO, SEVEN)), Anomaly.WATCH_DISORDER);
  }

  @Test
  void aSplitRevisionIsFound() {
    assertFound(
        check(1, 7, events(TWO), events(FOUR_A), events(FOUR_B), events(SEVEN)),
        Anomaly.WATCH_SPLIT);
    assertFound(check(1, 7, events(TWO, FOUR_A), events(FOUR_B, SEVEN)), Anomaly.WATCH_SPLIT);
  }

  @Test
  void anEventThatDidNotHappenIsFound() {
    Event wrong = new Event(2, Change.put("/a", "other"));
    assertFound(check(3, 4, events(FOUR_A, FOUR_B, new Event(5, A))), Anomaly.WATCH_UNEXPLAINED);
    assertThat(check(1, 2, events(wrong)).anomalies())
        .isEqualTo(Set.of(Anomaly.WATCH_UNEXPLAINED, Anomaly.WATCH_GAP));
  }

  @Test
  void anEventThatWasNotAskedForIsFound() {
    assertFound(
        check(1, 4, events(TWO), events(new Event(3, OUTSIDE)), events(FOUR_A, FOUR_B)),
        Anomaly.WATCH_UNEXPLAINED);
    assertFound(check(3, 4, events(TWO), events(FOUR_A, FOUR_B)), Anomaly.WATCH_UNEXPLAINED);
  }

  @Test
  void progressAheadOfEventsIsFound() {
    assertFound(
        check(1, 7, events(TWO), new Progress(4), events(FOUR_A, FOUR_B), events(SEVEN)),
        Anomaly.WATCH_PROGRESS_AHEAD);
    assertFound(
        check(1, 4, new Progress(3), events(TWO), events(FOUR_A, FOUR_B)),
        Anomaly.WATCH_PROGRESS_AHEAD);
  }

  @ParameterizedTest
  @ValueSource(longs = {1})
  void correctStreamsPassAndSpoiltOnesAreCaught(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    TreeMap<Long, List<Change>> revisions = new TreeMap<>();
    long revision = 1;
    for (int i = 0; i < 1000; i++) {
      revision += 1 + random.nextInt(2);
      List<Change> changes = new ArrayList<>();
      for (int k = random.nextInt(8); k < 8; k += 1 + random.nextInt(4)) {
        changes.add(
            random.nextInt(4) == 0 ? Change.delete("/k" + k) : Change.put("/k" + k, "v" + i));
      }
      revisions.put(revision, changes);
    }
    RevisionHistory store = new RevisionHistory(revisions);
    for (int watcher = 0; watcher < 20; watcher++) {
      KeyRange range = KeyRange.of("/k" + random.nextInt(4), "/k" + (4 + random.nextInt(4)));
      long from = random.nextLong(revision / 2);
      List<Delivery> deliveries = deliver(store, range, from, random);
      WatchStream good = new WatchStream("w" + watcher, range, from, revision, deliveries);
      new WatchChecker().check(List.of(good), store).requireValid();
      for (int round = 0; round < 10; round++) {
        List<Delivery> spoilt = new ArrayList<>(deliveries);
        Anomaly expected = spoil(spoilt, random);
        WatchStream bad = new WatchStream("w", range, from, revision, spoilt);
        assertThat(new WatchChecker().check(List.of(good, bad), store).anomalies())
            .as("seed %d", seed)
            .contains(expected);
      }
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        WatchCheckerTest.class,
        1,
        seed -> {
          correctStreamsPassAndSpoiltOnesAreCaught(seed);
          return 220;
        });
  }

  private static List<Delivery> deliver(
      RevisionHistory store, KeyRange range, long from, RandomGenerator random) {
    List<Delivery> deliveries = new ArrayList<>();
    List<Event> batch = new ArrayList<>();
    store
        .revisions()
        .tailMap(from)
        .forEach(
            (revision, changes) -> {
              changes.stream()
                  .filter(change -> range.contains(change.key()))
                  .forEach(change -> batch.add(new Event(revision, change)));
              if (random.nextInt(3) == 0 && !batch.isEmpty()) {
                deliveries.add(new Events(batch));
                batch.clear();
                if (random.nextInt(5) == 0) {
                  deliveries.add(new Progress(revision));
                }
              }
            });
    deliveries.add(new Events(batch));
    return deliveries;
  }

  /** Returns what must be found then. */
  private static Anomaly spoil(List<Delivery> deliveries, RandomGenerator random) {
    int at = random.nextInt(deliveries.size() - 2);
    while (!(deliveries.get(at) instanceof Events)
        || !(deliveries.get(at + 1) instanceof Events(List<Event> next))
        || next.isEmpty()) {
      at = random.nextInt(deliveries.size() - 2);
    }
    Delivery one = deliveries.get(at);
    Events other = (Events) deliveries.get(at + 1);
    return switch (random.nextInt(4)) {
      case 0 -> {
        deliveries.remove(at);
        yield Anomaly.WATCH_GAP;
      }
      case 1 -> {
        deliveries.add(at + random.nextInt(3), one);
        yield Anomaly.WATCH_DUPLICATE;
      }
      case 2 -> {
        deliveries.set(at, other);
        deliveries.set(at + 1, one);
        yield Anomaly.WATCH_DISORDER;
      }
      default -> {
        long last = other.events().getLast().revision();
        deliveries.add(at + 1, new Progress(last));
        yield Anomaly.WATCH_PROGRESS_AHEAD;
      }
    };
  }
}
