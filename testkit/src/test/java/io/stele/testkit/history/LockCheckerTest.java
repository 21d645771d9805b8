package io.stele.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockCheckerTest {
  private final List<Hold> holds = new ArrayList<>();

  private void exclusive(long token, long from, long until) {
    holds.add(new Hold("/lock", "c" + holds.size(), true, token, from, until));
  }

  private void shared(long token, long from, long until) {
    holds.add(new Hold("/lock", "c" + holds.size(), false, token, from, until));
  }

  private void assertFound(Anomaly... anomalies) {
    assertThat(new LockChecker().check(holds).anomalies()).containsExactly(anomalies);
  }

  @Test
  void oneAfterTheOtherIsWell() {
    exclusive(1, 0, 10);
    exclusive(2, 10, 20);
    shared(3, 20, 40);
    shared(4, 25, 30);
    shared(4, 25, 50);
    exclusive(5, 50, Long.MAX_VALUE);
    assertFound();
  }

  @Test
  void twoExclusiveHoldersAreFound() {
    exclusive(1, 0, 10);
    exclusive(2, 9, 20);
    assertFound(Anomaly.LOCK_OVERLAP);
    assertThat(new LockChecker().check(holds).toString())
        .contains(
            "/lock was held by c0 (exclusive, token 1, from 0 to 10) and by c1 (exclusive, token 2,"
                + " from 9 to 20)");
  }

  @Test
  void oneThatIsNeverGivenBackIsHeldForEver() {
    exclusive(1, 0, Long.MAX_VALUE);
    exclusive(2, 1_000_000, 1_000_001);
    assertFound(Anomaly.LOCK_OVERLAP);
  }

  @Test
  void aSharedHolderBesideAnExclusiveOneIsFound() {
    shared(1, 0, 100);
    shared(2, 10, 20);
    exclusive(3, 50, 60);
    assertFound(Anomaly.LOCK_OVERLAP);
  }

  @Test
  void anExclusiveHolderBesideASharedOneIsFound() {
    exclusive(1, 0, 100);
    shared(2, 50, 60);
    assertFound(Anomaly.LOCK_OVERLAP);
  }

  @Test
  void aReusedTokenIsFound() {
    exclusive(1, 0, 10);
    exclusive(1, 20, 30);
    assertFound(Anomaly.TOKEN_REUSED);
  }

  @Test
  void aTokenThatAnExclusiveAndASharedGrantHaveIsFound() {
    shared(1, 0, 10);
    exclusive(1, 20, 30);
    assertFound(Anomaly.TOKEN_REUSED);
  }

  @Test
  void aTokenThatFallsIsFound() {
    exclusive(5, 0, 10);
    exclusive(4, 20, 30);
    assertFound(Anomaly.TOKEN_ORDER);
  }

  @Test
  void aSharedTokenBelowAnEarlierExclusiveOneIsFound() {
    exclusive(5, 0, 10);
    shared(4, 20, 30);
    assertFound(Anomaly.TOKEN_ORDER);
  }

  @Test
  void locksAreIndependent() {
    exclusive(5, 0, 10);
    holds.add(new Hold("/other", "x", true, 4, 5, 20));
    assertFound();
  }

  @Test
  void theRecorderTakesGrantAndReleaseByItsClock() {
    ManualClock clock = new ManualClock();
    LockRecorder recorder = new LockRecorder(clock);
    long start = clock.nanos();
    clock.advance(Duration.ofNanos(10));
    LockRecorder.Held first = recorder.granted("/lock", "a", true, 1);
    clock.advance(Duration.ofNanos(10));
    first.releasing();
    clock.advance(Duration.ofNanos(10));
    first.endedAt(clock.nanos()); // gone already: the earlier end counts
    LockRecorder.Held second = recorder.granted("/lock", "b", false, 2);
    second.endedAt(start); // a session that was over when the answer arrived
    recorder.granted("/lock", "c", true, 3);
    assertThat(recorder.holds())
        .containsExactly(
            new Hold("/lock", "a", true, 1, start + 10, start + 20),
            new Hold("/lock", "b", false, 2, start + 30, start + 30),
            new Hold("/lock", "c", true, 3, start + 30, Long.MAX_VALUE));
  }

  @Test
  void aHoldDoesNotEndBeforeItBegins() {
    assertThatThrownBy(() -> new Hold("/lock", "a", true, 1, 10, 9))
        .hasMessage("a gave /lock back at 9, before it was granted at 10");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aCorrectLockServicePassesAndASpoiltOneIsCaught(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    generate(random, 2000);
    assertFound();
    List<Hold> good = List.copyOf(holds);
    for (int round = 0; round < 50; round++) {
      holds.clear();
      holds.addAll(good);
      int at = 1 + random.nextInt(good.size() - 1);
      while (!good.get(at).exclusive()) {
        at = 1 + random.nextInt(good.size() - 1);
      }
      Hold hold = good.get(at);
      Hold before = good.get(at - 1);
      switch (random.nextInt(3)) {
        case 0 -> {
          holds.set(at, with(hold, hold.token(), before.from()));
          assertThat(new LockChecker().check(holds).anomalies()).contains(Anomaly.LOCK_OVERLAP);
        }
        case 1 -> {
          holds.set(at, with(hold, before.token(), hold.from()));
          assertThat(new LockChecker().check(holds).anomalies()).contains(Anomaly.TOKEN_REUSED);
        }
        default -> {
          holds.set(at, with(hold, before.token() - 1, hold.from()));
          assertThat(new LockChecker().check(holds).anomalies()).contains(Anomaly.TOKEN_ORDER);
        }
      }
    }
  }

  private static Hold with(Hold hold, long token, long from) {
    return new Hold(hold.lock(), hold.client(), hold.exclusive(), token, from, hold.until());
  }

  /** Exclusive holders and groups of shared ones in turn; handed in in no order at all. */
  private void generate(RandomGenerator random, int grants) {
    long now = 0;
    long token = 0;
    while (holds.size() < grants) {
      long start = now + random.nextInt(20);
      if (random.nextBoolean()) {
        now = start + 1 + random.nextInt(50);
        token += 2 + random.nextInt(3);
        exclusive(token, start, now);
      } else {
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          long from = start + random.nextInt(30);
          long until = from + 1 + random.nextInt(50);
          token += 2 + random.nextInt(3);
          shared(token, from, until);
          now = Math.max(now, until);
        }
      }
    }
  }

  @Test
  void theOrderInWhichHoldsAreHandedInDoesNotMatter() {
    generate(RandomSource.seeded(1), 500);
    Collections.shuffle(holds, new Random(1));
    assertFound();
  }
}
