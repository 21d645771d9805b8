package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.tables.tablet.OrderedLock.Place;
import org.junit.jupiter.api.Test;

class OrderedLockTest {
  private final OrderedLock flush = new OrderedLock(Place.FLUSH);
  private final OrderedLock change = new OrderedLock(Place.CHANGE);

  @Test
  void aLockFurtherDownMayBeTakenAndTheSameOneAgain() {
    change.lock();
    flush.lock();
    change.lock();
    change.unlock();
    flush.unlock();
    change.unlock();
    assertThat(change.isLocked()).isFalse();
  }

  @Test
  void oneFurtherUpMayNotNorAnotherOfTheSamePlace() {
    flush.lock();
    assertThatThrownBy(change::lock)
        .isInstanceOf(AssertionError.class)
        .hasMessage("CHANGE is taken by one who holds FLUSH");
    assertThatThrownBy(new OrderedLock(Place.FLUSH)::lock).isInstanceOf(AssertionError.class);
    flush.unlock();
    change.lock();
    change.unlock();
  }

  @Test
  void oneThatIsOnlyTriedWaitsForNobody() {
    flush.lock();
    assertThat(change.tryLock()).isTrue();
    change.unlock();
    flush.unlock();
  }
}
