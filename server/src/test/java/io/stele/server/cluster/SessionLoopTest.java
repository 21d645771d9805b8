package io.stele.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.client.Stele;
import io.stele.client.metastore.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Work under a session, with a metastore in this process. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class SessionLoopTest {
  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final List<String> done = new CopyOnWriteArrayList<>();
  private final Events events = new Events((_, problem) -> done.add(problem.toString()));
  private final List<Runnable> alarms = new CopyOnWriteArrayList<>();
  private Stele stele;

  SessionLoopTest() {
    events.subscribe(Event.class, event -> done.add(event.text()));
  }

  @BeforeEach
  void open() {
    stele = Stele.open(folder);
  }

  @AfterEach
  void close() {
    stele.close();
  }

  private SessionLoop loop(SessionLoop.Work work) {
    return new SessionLoop("worker w", stele.metastore(), TIME_TO_LIVE, work, events).start();
  }

  /** Notes what is done to it. */
  private SessionLoop.Tenure work(Session session, Runnable alarm) {
    assertThat(session.isAlive()).isTrue();
    alarms.add(alarm);
    done.add("begin");
    return new SessionLoop.Tenure() {
      @Override
      public void abandon() {
        done.add("abandon");
      }

      @Override
      public void end() {
        assertThat(session.isAlive()).isTrue();
        done.add("end");
      }
    };
  }

  private void awaitDone(String... expected) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(done).containsExactly(expected));
  }

  @Test
  void workIsBegunOnceAndEndedInOrder() throws Exception {
    SessionLoop loop = loop(this::work);
    awaitDone("begin");

    loop.close();

    assertThat(done).containsExactly("begin", "end", "worker w has left the cluster");
  }

  @Test
  void workWhoseSessionIsGoneIsAbandonedAndBegunAnew() throws Exception {
    List<Session> sessions = new CopyOnWriteArrayList<>();
    try (SessionLoop _ =
        loop(
            (session, alarm) -> {
              sessions.add(session);
              return work(session, alarm);
            })) {
      awaitDone("begin");

      // As if nothing had been heard from the metastore for too long.
      sessions.getFirst().close();
      alarms.getFirst().run();

      awaitDone(
          "begin",
          "abandon",
          "worker w has lost its session in the metastore: it gives up all it had, and begins anew",
          "begin");
      assertThat(sessions.get(1).id()).isNotEqualTo(sessions.getFirst().id());
    }
  }

  @Test
  void workThatCannotGoOnIsAbandonedThoughItsSessionLives() throws Exception {
    try (SessionLoop _ = loop(this::work)) {
      awaitDone("begin");
      alarms.getFirst().run();
      awaitDone("begin", "abandon", "begin");

      alarms.getFirst().run(); // of work that is over: too late
      await()
          .during(Duration.ofMillis(300))
          .atMost(PATIENCE)
          .until(() -> done.equals(List.of("begin", "abandon", "begin")));
      alarms.get(1).run();
      awaitDone("begin", "abandon", "begin", "abandon", "begin");
    }
  }

  @Test
  void workThatFailsToBeginIsTriedAgain() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (SessionLoop _ =
        loop(
            (session, alarm) -> {
              if (attempts.incrementAndGet() < 3) {
                throw new UnavailableException("not yet");
              }
              return work(session, alarm);
            })) {
      awaitDone(
          "worker w does not take part in the cluster yet, and tries again: not yet", "begin");
    }
    assertThat(attempts).hasValue(3);
  }

  @Test
  void aBeginningThatTakesForEverIsInterrupted() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    SessionLoop loop =
        loop(
            (_, _) -> {
              waiting.countDown();
              never.await();
              throw new AssertionError("waited for nothing");
            });
    waiting.await();

    loop.closeUnlessBegun();
    loop.close();

    assertThat(done).isEmpty();
  }
}
