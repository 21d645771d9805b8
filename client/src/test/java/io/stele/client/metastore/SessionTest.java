package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class SessionTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final ManualClock clock = new ManualClock();
  private final MetastoreClient client = client(Clock.system());
  private final MetastoreClient byHand = client(clock);

  private MetastoreClient client(Clock time) {
    return new MetastoreClient(
        List.of(server.address()), RepeatRulesTest.QUICK, time, RandomSource.seeded(1));
  }

  @AfterEach
  void close() {
    client.close();
    byHand.close();
    server.close();
  }

  @Test
  void isKeptAliveInTheBackground() {
    metastore.timeToLive = 1_500;
    Session session = client.openSession(Duration.ofSeconds(1));
    assertThat(session.timeToLive()).hasMillis(1_500); // as the server grants it
    await().until(() -> server.calls("KeepAlive") >= 4); // more than its life
    assertThat(session.isAlive()).isTrue();
    assertThat(session.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(1_500));
    session.close();
    assertThat(session.isAlive()).isFalse();
    assertThat(metastore.sessions()).isEmpty();
  }

  @Test
  void expiresByItsOwnClockForEver() throws Exception {
    Session session = byHand.openSession(Duration.ofSeconds(10));
    CountDownLatch told = new CountDownLatch(1);
    session.onExpiry(told::countDown);
    clock.advance(Duration.ofMillis(9_999));
    assertThat(session.isAlive()).isTrue();
    assertThat(session.remaining()).isEqualTo(Duration.ofMillis(1));
    clock.advance(Duration.ofMillis(1));
    assertThat(session.isAlive()).isFalse();
    assertThat(session.remaining()).isZero();
    assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
    // The server still knows it, which no longer counts.
    assertThat(metastore.sessions()).contains(session.id());
    assertThatThrownBy(() -> session.put("/a", "1"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("session " + session.id() + " has expired");
    assertThat(metastore.applied()).isZero();
    AtomicInteger late = new AtomicInteger();
    session.onExpiry(late::incrementAndGet);
    await().until(() -> late.get() == 1);
  }

  @Test
  void lastsFromWhenTheRenewalWasSentAndNotFromItsAnswer() {
    Session session = byHand.openSession(Duration.ofSeconds(30));
    clock.advance(Duration.ofSeconds(20));
    assertThat(session.hasEnded().join()).isFalse(); // a renewal, which takes no time here
    assertThat(session.remaining()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void hasExpiredWhenTheServerSaysSo() {
    metastore.timeToLive = 300;
    Session session = client.openSession(Duration.ofSeconds(1));
    AtomicInteger told = new AtomicInteger();
    session.onExpiry(told::incrementAndGet);
    metastore.endSession(session.id());
    await().until(() -> told.get() == 1);
    assertThat(session.isAlive()).isFalse();
  }

  @Test
  void survivesAServerThatDoesNotAnswerForLessThanItsLife() {
    metastore.timeToLive = 2_000;
    Session session = client.openSession(Duration.ofSeconds(1));
    Fault[] away = new Fault[5];
    Arrays.fill(away, Fault.refused(new NotServingException("no leader")));
    server.fail("KeepAlive", away);
    await().until(() -> server.calls("KeepAlive") >= 8);
    assertThat(session.isAlive()).isTrue();
  }

  @Test
  void closingIsNotExpiring() {
    Session session = client.openSession(Duration.ofSeconds(10));
    AtomicInteger told = new AtomicInteger();
    session.onExpiry(told::incrementAndGet);
    session.close();
    assertThat(session.isAlive()).isFalse();
    assertThat(told).hasValue(0);
    assertThatThrownBy(() -> session.put("/a", "1")).hasMessageContaining("been closed");
  }

  @Test
  void itsKeysAreItsOwn() {
    try (Session session = client.openSession(Duration.ofSeconds(10))) {
      session.put("/a", "1");
      assertThat(client.get("/a")).get().returns(session.id(), KeyValue::session);
      assertThat(metastore.origins.getLast().getSession()).isEqualTo(session.id());
    }
  }
}
