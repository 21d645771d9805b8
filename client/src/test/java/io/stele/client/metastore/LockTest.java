package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.client.metastore.FakeMetastore.Waiting;
import io.stele.protocol.v1.AcquireRequest;
import io.stele.protocol.v1.AcquireResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Locks, and elections on them. */
@Execution(ExecutionMode.CONCURRENT)
class LockTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final MetastoreClient client =
      new MetastoreClient(List.of(server.address()), RepeatRulesTest.QUICK);
  private final Session session = client.openSession(Duration.ofSeconds(60));

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private Waiting waiting(int number) {
    await().until(() -> metastore.waits.size() >= number);
    return metastore.waits.get(number - 1);
  }

  private static void grant(Waiting waiting, long token) {
    waiting.client().onNext(AcquireResponse.newBuilder().setToken(token).build());
    waiting.client().onCompleted();
  }

  @Test
  void isHeldUnderItsTokenUntilReleased() {
    HeldLock lock = session.lock("/lock").acquire(Duration.ofSeconds(5));
    assertThat(lock.token()).isEqualTo(7);
    assertThat(lock.isHeld()).isTrue();
    assertThat(session.lock("/lock").tryAcquire()).isEmpty();
    lock.close();
    assertThat(lock.isHeld()).isFalse();
    lock.close(); // as good as once
    assertThat(server.calls("Release")).isEqualTo(1);
    assertThat(session.lock("/lock").tryAcquire()).get().returns(8L, HeldLock::token);
  }

  @Test
  void saysHowItIsWanted() {
    metastore.locksWait = true;
    CompletableFuture<HeldLock> wish =
        session
            .lock("/lock")
            .shared()
            .delay(Duration.ofSeconds(3))
            .acquireAsync(Duration.ofSeconds(20));
    AcquireRequest request = waiting(1).request();
    assertThat(request.getExclusive()).isFalse();
    assertThat(request.getDelayMillis()).isEqualTo(3_000);
    assertThat(request.getWaitMillis()).isEqualTo(20_000);
    assertThat(request.getOrigin().getSession()).isEqualTo(session.id());
    grant(waiting(1), 9);
    assertThat(wish.join().token()).isEqualTo(9);
    assertThat(wish.join().isExclusive()).isFalse();
    assertThatThrownBy(() -> session.lock("/lock").acquire(Duration.ofSeconds(-1)))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void aWaitIsLongerThanAnAttemptMayBe() {
    metastore.locksWait = true;
    ClientSettings hasty =
        RepeatRulesTest.QUICK.withCalls(
            RepeatRulesTest.QUICK.calls().withAttemptTimeout(Duration.ofMillis(50)));
    try (MetastoreClient other = new MetastoreClient(List.of(server.address()), hasty)) {
      CompletableFuture<HeldLock> wish =
          other
              .openSession(Duration.ofSeconds(30))
              .lock("/lock")
              .acquireAsync(Duration.ofSeconds(20));
      waiting(1);
      await()
          .during(Duration.ofMillis(200)) // four attempts
          .until(() -> metastore.waits.size() == 1 && !waiting(1).client().isCancelled());
      grant(waiting(1), 3);
      assertThat(wish.join().token()).isEqualTo(3);
    }
  }

  @Test
  void givingUpIsToldToTheServer() {
    metastore.locksWait = true;
    CompletableFuture<HeldLock> wish = session.lock("/lock").acquireAsync(Duration.ofSeconds(20));
    waiting(1);
    wish.cancel(true);
    await().until(() -> waiting(1).client().isCancelled());
  }

  @Test
  void aLostConnectionKeepsThePlaceInLine() {
    metastore.locksWait = true;
    CompletableFuture<HeldLock> wish = session.lock("/lock").acquireAsync(Duration.ofSeconds(20));
    waiting(1).client().onError(Status.UNAVAILABLE.asRuntimeException());
    assertThat(waiting(2).request()).isEqualTo(waiting(1).request()); // the same number too
    grant(waiting(2), 5);
    assertThat(wish.join().token()).isEqualTo(5);
  }

  @Test
  void isAskedForAgainIfTheWaitWasEndedWithTheLostConnection() {
    metastore.locksWait = true;
    CompletableFuture<HeldLock> wish = session.lock("/lock").acquireAsync(Duration.ofSeconds(20));
    waiting(1).client().onError(Status.UNAVAILABLE.asRuntimeException());
    waiting(2).client().onError(ErrorMapping.toStatus(new ConflictException("the caller is gone")));
    AcquireRequest third = waiting(3).request();
    assertThat(third.getOrigin().getSequence())
        .isGreaterThan(waiting(2).request().getOrigin().getSequence());
    assertThat(third.getWaitMillis()).isPositive().isLessThanOrEqualTo(20_000);
    grant(waiting(3), 6);
    assertThat(wish.join().token()).isEqualTo(6);
  }

  @Test
  void aRefusalWithoutALostConnectionIsFinal() {
    metastore.locksWait = true;
    CompletableFuture<HeldLock> wish = session.lock("/lock").acquireAsync(Duration.ofSeconds(20));
    waiting(1).client().onError(ErrorMapping.toStatus(new ConflictException("time is over")));
    assertThatThrownBy(wish::join).hasCauseInstanceOf(ConflictException.class);
    assertThat(metastore.waits).hasSize(1);
  }

  @Test
  void guardsTransactions() {
    HeldLock lock = session.lock("/lock").acquire(Duration.ZERO);
    assertThat(client.transaction().whenHeld(lock).then(Step.put("/a", "1")).commit().succeeded())
        .isTrue();
    client.transact(
        tx -> {
          tx.guard(lock);
          tx.put("/a", "2");
          return 0;
        });
    lock.release();
    assertThat(client.transaction().whenHeld(lock).then(Step.put("/a", "3")).commit().succeeded())
        .isFalse();
    assertThatThrownBy(
            () ->
                client.transact(
                    tx -> {
                      tx.get("/b");
                      tx.guard(lock);
                      tx.put("/a", "4");
                      return 0;
                    }))
        .isInstanceOf(FencedException.class);
    assertThat(metastore.content()).containsEntry("/a", "2");
  }

  @Test
  void theLeaderIsWhoHoldsTheLockAndSaysSoInTheKey() {
    Election election = session.election("/leader");
    Election.Leadership lead = election.campaign("host-1", Duration.ofSeconds(5));
    assertThat(lead.isLeader()).isTrue();
    assertThat(client.get("/leader")).get().returns(session.id(), KeyValue::session);
    assertThat(election.tryCampaign("host-2")).isEmpty();
    lead.proclaim("host-1 moved");
    assertThat(metastore.content()).containsEntry("/leader", "host-1 moved");
    lead.close();
    assertThat(metastore.content()).doesNotContainKey("/leader");
    assertThat(lead.isLeader()).isFalse();
    assertThatThrownBy(() -> lead.proclaim("still I")).isInstanceOf(FencedException.class);
    Optional<Election.Leadership> next = election.tryCampaign("host-2");
    assertThat(next).isPresent();
    assertThat(next.get().token()).isGreaterThan(lead.token());
  }

  @Test
  void aValueIsObserved() throws Exception {
    metastore.set("/leader", "host-1");
    List<String> seen = new CopyOnWriteArrayList<>();
    try (Observation observation =
        client.observe("/leader", found -> seen.add(found.map(KeyValue::text).orElse("none")))) {
      assertThat(seen).containsExactly("host-1");
      await().until(() -> !metastore.watches.isEmpty());
      assertThat(metastore.watches.getFirst().request().getFrom()).isEqualTo(3);
      assertThat(observation.problem()).isEmpty();
    }
    assertThat(new ArrayList<>(seen)).hasSize(1);
  }
}
