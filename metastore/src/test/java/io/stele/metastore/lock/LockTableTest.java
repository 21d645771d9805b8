package io.stele.metastore.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The rules of one lock, without sessions around them, and its stored form. */
class LockTableTest {
  private static final Bytes KEY = Bytes.utf8("/l");
  private final LockTable locks = new LockTable(3);

  private static LockRequest request(long session, boolean exclusive) {
    return new LockRequest(
        session, session * 10, exclusive, Duration.ofSeconds(1), Duration.ofSeconds(2));
  }

  private Answer acquire(long session, long token) {
    LockDecision decision = locks.acquire(KEY, request(session, true), token);
    locks.put(KEY, decision.lock());
    return decision.answer();
  }

  @Test
  void aDecisionChangesNothingByItself() {
    LockDecision decision = locks.acquire(KEY, request(1, true), 5);
    assertThat(decision.answer()).isEqualTo(new Answer.Granted(5));
    assertThat(locks.get(KEY)).isEqualTo(KeyLockInfo.FREE);
    assertThat(locks.of(1)).isEmpty();
    locks.put(KEY, decision.lock());
    assertThat(locks.of(1)).containsExactly(KEY);
    assertThat(locks.size()).isEqualTo(1);
  }

  @Test
  void aWaiterFoundDeadAtItsTurnIsPassedOver() {
    acquire(1, 5);
    acquire(2, 6);
    acquire(3, 7);
    LockDecision decision = locks.release(KEY, 1, 8, session -> session != 2);
    assertThat(decision.lock().holders()).extracting(LockHolder::session).containsExactly(3L);
    assertThat(decision.lock().holders().getFirst().token()).isEqualTo(8);
    assertThat(decision.ended()).hasSize(2);
    assertThat(((Refused) decision.ended().getFirst().answer()).kind())
        .isEqualTo(Kind.SESSION_GONE);
    assertThat(decision.ended().getLast().answer()).isEqualTo(new Answer.Granted(8));
  }

  @Test
  void aQueueHasAnEnd() {
    for (long session = 1; session <= 4; session++) {
      acquire(session, session);
    }
    assertThat(((Refused) acquire(5, 5)).kind()).isEqualTo(Kind.EXHAUSTED);
    assertThat(locks.get(KEY).queue()).hasSize(3);
  }

  @Test
  void theLongerDelayCounts() {
    KeyLockInfo shared =
        new KeyLockInfo(
            false,
            List.of(
                new LockHolder(1, 5, 1, Duration.ofSeconds(9)),
                new LockHolder(2, 5, 1, Duration.ofSeconds(3))),
            List.of(),
            Optional.empty());
    locks.put(KEY, shared);
    locks.put(KEY, locks.endSession(KEY, 1, true, 10, _ -> true).lock());
    KeyLockInfo closed = locks.endSession(KEY, 2, true, 11, _ -> true).lock();
    assertThat(closed.delay()).contains(new LockDelay(11, Duration.ofSeconds(9)));
  }

  @Test
  void whatIsStoredIsReadAgainAndDamageIsFoundOut() throws Malformed {
    RandomGenerator random = RandomSource.seeded(4);
    for (int i = 0; i < 5_000; i++) {
      boolean exclusive = random.nextBoolean();
      List<LockHolder> holders = new ArrayList<>();
      for (int n = exclusive ? 1 : random.nextInt(4); n > 0; n--) {
        holders.add(
            new LockHolder(
                random.nextLong() >>> 1,
                random.nextLong() >>> 9,
                1 + random.nextInt(5),
                Duration.ofMillis(random.nextInt(100_000))));
      }
      List<LockRequest> queue = new ArrayList<>();
      for (int n = random.nextInt(4); n > 0; n--) {
        queue.add(request(random.nextInt(1_000), random.nextBoolean()));
      }
      Optional<LockDelay> delay =
          random.nextBoolean()
              ? Optional.of(new LockDelay(random.nextInt(100), Duration.ofSeconds(3)))
              : Optional.empty();
      KeyLockInfo lock = new KeyLockInfo(exclusive, holders, queue, delay);
      Bytes stored = lock.encode();
      assertThat(KeyLockInfo.decode(stored)).isEqualTo(lock);
      byte[] damaged = stored.toArray();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      try {
        KeyLockInfo.decode(Bytes.wrap(damaged));
      } catch (Malformed e) {
        assertThat(e.problem()).isNotEmpty();
      }
    }
  }
}
