package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.Tables;
import io.stele.tables.master.TabletControl;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.TabletKey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a master and servers tell a tablet server, over the wire. */
@Execution(ExecutionMode.CONCURRENT)
class TabletControlTest {
  private static final TabletKey LOWER = new TabletKey("t", Optional.of(bytes("m")));
  private static final TabletKey UPPER = new TabletKey("t", Optional.empty());
  private static final Duration LONG = Duration.ofSeconds(20);

  private final FakeControl served = new FakeControl();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final Serving serving = server.serve(served);
  private final TcpProxy proxy = new TcpProxy(server.port());
  private final TabletControl control =
      new GrpcTabletControl(channels, proxy.address(), LONG, LONG);

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
    channels.close();
  }

  @Test
  void everythingArrivesAsItWasSaid() {
    assertThat(control.load(7, List.of(LOWER, UPPER)))
        .containsExactly(TabletOutcome.done(LOWER), TabletOutcome.done(UPPER));
    assertThat(control.unload(8, List.of(UPPER))).containsExactly(TabletOutcome.done(UPPER));
    control.join(9, LOWER);
    assertThat(control.split(10, UPPER, Optional.of(bytes("x")))).isEqualTo(bytes("x"));
    assertThat(control.split(10, UPPER, Optional.empty())).isEqualTo(bytes("chosen"));
    control.reloadSchema(11, "t");
    control.truncate(12, "t");
    assertThat(control.snapshot(13, "t")).isEqualTo(new FakeControl().snapshot(13, "t"));
    control.flush("t");
    control.compact("t");
    assertThat(control.tablets("t")).containsExactly(FakeControl.TABLET);
    assertThat(control.applyMeta("META1", batch(put("r", "f:x", 1, "1")), 5)).isEqualTo(42);
    assertThat(control.applyMeta("META0", batch(put("r", "f:x", 1, "1")), Tables.ANY_TXN))
        .isEqualTo(42);
    assertThat(control.report()).isEqualTo(FakeControl.REPORT);
    assertThat(served.asked)
        .containsExactly(
            "load 7 " + List.of(LOWER, UPPER),
            "unload 8 " + List.of(UPPER),
            "join 9 " + LOWER,
            "split 10 " + UPPER + " Optional[x]",
            "split 10 " + UPPER + " Optional.empty",
            "reloadSchema 11 t",
            "truncate 12 t",
            "snapshot 13 t",
            "flush t",
            "compact t",
            "tablets t",
            "applyMeta META1 1 5",
            "applyMeta META0 1 " + Tables.ANY_TXN,
            "report");
  }

  @Test
  void theProblemOfATabletDoesNotSpoilTheOthers() {
    served.tabletProblem = new CorruptDataException("META1", 3, "a row", "nothing");
    List<TabletOutcome> outcomes = control.load(1, List.of(LOWER, UPPER));
    assertThat(outcomes.get(0).problem()).isEmpty();
    assertThat(outcomes.get(1).problem().orElseThrow())
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("META1");
  }

  @Test
  void theServersErrorsComeBackAsTheyAre() {
    served.before =
        () -> {
          throw new FencedException("token 1: has seen 2");
        };
    assertThatThrownBy(() -> control.load(1, List.of(LOWER)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("has seen 2");
    served.before =
        () -> {
          throw new ConflictException("row is newer");
        };
    assertThatThrownBy(() -> control.applyMeta("META1", batch(put("r", "f:x", 1, "1")), 5))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void aServerThatStoppedServingSaysSo() {
    serving.close();
    assertThatThrownBy(control::report).isInstanceOf(NotServingException.class);
    server.serve(served);
    assertThat(control.report()).isEqualTo(FakeControl.REPORT);
  }

  @Test
  void whatWasServedSinceIsNotEndedWithWhatWasServedBefore() {
    FakeControl next = new FakeControl();
    server.serve(next);
    serving.close();
    control.flush("t");
    assertThat(next.asked).containsExactly("flush t");
  }

  @Test
  void withoutAConnectionNothingWasDone() throws IOException {
    proxy.close();
    assertThatThrownBy(() -> control.load(1, List.of(LOWER)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no connection");
    assertThatThrownBy(control::report).isInstanceOf(UnavailableException.class);
  }

  @Test
  void afterALostAnswerAnOrderIsInDoubt() {
    served.before = proxy::cut;
    assertThatThrownBy(() -> control.unload(1, List.of(LOWER)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("UnloadTablets at " + proxy.address());
    assertThatThrownBy(() -> control.applyMeta("META1", batch(put("r", "f:x", 1, "1")), 5))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(control::report).isInstanceOf(UnavailableException.class);
  }

  @Test
  void waitingIsEndedByAnInterrupt() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    served.before =
        () -> {
          entered.countDown();
          try {
            leave.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    control.load(1, List.of(LOWER));
                  } catch (RuntimeException e) {
                    failure.complete(e);
                  }
                });
    entered.await();
    caller.interrupt();
    assertThat(failure.get()).isInstanceOf(OutcomeUnknownException.class);
    leave.countDown();
  }
}
