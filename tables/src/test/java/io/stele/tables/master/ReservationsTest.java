package io.stele.tables.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReservationsTest {
  private static final TabletKey LOWER = new TabletKey("t", Optional.of(Bytes.utf8("m")));
  private static final TabletKey UPPER = new TabletKey("t", Optional.empty());

  private final Reservations reservations = new Reservations(Clock.system());

  @Test
  void whoWaitsTooLongIsToldForWhichTablet() {
    try (Reservation _ = reservations.takeAll(List.of(UPPER), Duration.ZERO)) {
      assertThatThrownBy(() -> reservations.takeAll(List.of(LOWER, UPPER), Duration.ZERO))
          .isInstanceOf(UnavailableException.class)
          .hasMessage(UPPER + " is being loaded or moved: try again");
    }
  }

  @Test
  void whoIsInterruptedIsToldThatTheMasterEnded() throws Exception {
    try (Reservation _ = reservations.takeAll(List.of(UPPER), Duration.ZERO)) {
      assertThat(interrupted(() -> {})).hasMessage("the master ended while it waited for " + UPPER);
    }
  }

  /** All may be free by then, so that there is none to be named. */
  @Test
  void whoIsInterruptedWhenAllAreFreeIsToldToo() throws Exception {
    Reservation busy = reservations.takeAll(List.of(UPPER), Duration.ZERO);
    assertThat(interrupted(busy::close))
        .hasMessageStartingWith("the master ended while it waited for ");
  }

  /** What a thread that waits is told when it is interrupted, and something happens meanwhile. */
  private Throwable interrupted(Runnable meanwhile) throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Reservation _ =
                      reservations.takeAll(List.of(LOWER, UPPER), Duration.ofMinutes(1))) {
                    told.complete(new AssertionError("it was not interrupted"));
                  } catch (UnavailableException e) {
                    told.complete(e);
                  }
                });
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    synchronized (reservations) { // it has to wait for this before it can look again
      waiting.interrupt();
      while (waiting.getState() != Thread.State.BLOCKED) {
        Thread.onSpinWait();
      }
      meanwhile.run();
    }
    return told.get(10, TimeUnit.SECONDS);
  }
}
