package io.stele.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testkit.sim.HoldPoints.Hold;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class HoldPointsTest {
  private final HoldPoints points = new HoldPoints();

  private CompletableFuture<Void> passing(String owner, String point) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              points.pass(owner, point);
              passed.complete(null);
            });
    return passed;
  }

  @Test
  void oneThreadOfOneProcessWaitsUntilItIsReleased() throws Exception {
    Hold hold = points.arm("a", "save");
    passing("b", "save").get();
    passing("a", "load").get();
    CompletableFuture<Void> held = passing("a", "save");
    assertThat(hold.awaitHolding(10, TimeUnit.SECONDS)).isTrue();
    assertThat(points.anybodyWaits()).isTrue();
    passing("a", "save").get();
    assertThat(held).isNotDone();
    hold.release();
    held.get();
    assertThat(points.holds()).isEmpty();
  }

  @Test
  void othersMayPassBefore() throws Exception {
    Hold hold = points.arm("a", "save", 2);
    passing("a", "save").get();
    passing("a", "save").get();
    assertThat(hold.isHolding()).isFalse();
    CompletableFuture<Void> held = passing("a", "save");
    assertThat(hold.awaitHolding(10, TimeUnit.SECONDS)).isTrue();
    points.releaseAll();
    held.get();
  }

  @Test
  void allThreadsOfAFrozenProcessWaitUntilItGoesOn() throws Exception {
    points.freeze("a");
    CompletableFuture<Void> one = passing("a", "save");
    CompletableFuture<Void> other = passing("a", "load");
    passing("b", "save").get();
    assertThat(one).isNotDone();
    assertThat(other).isNotDone();
    points.thaw("a");
    one.get();
    other.get();
  }

  @Test
  void nobodyWaitsForAProcessThatHasDied() throws Exception {
    Hold hold = points.arm("a", "save");
    CompletableFuture<Void> held = passing("a", "save");
    assertThat(hold.awaitHolding(10, TimeUnit.SECONDS)).isTrue();
    points.end("a");
    held.get();
    points.freeze("a");
    assertThat(points.arm("a", "save").isHolding()).isFalse();
    passing("a", "save").get();
  }
}
