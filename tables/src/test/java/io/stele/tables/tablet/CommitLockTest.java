package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitLockTest {
  private final CommitLock lock = new CommitLock();
  private final List<String> done = new ArrayList<>();

  /** Files were once closed under the lock, and all writers of all tables waited for it. */
  @Test
  void whatIsToBeDoneAfterwardsIsDoneWithoutTheLock() {
    lock.lock();
    lock.run(() -> lock.afterUnlock(this::note));
    assertThat(done).as("it is still held").isEmpty();
    lock.unlock();
    assertThat(done).containsExactly("done");
    lock.run(() -> {});
    assertThat(done).as("once").hasSize(1);
  }

  private void note() {
    assertThatThrownBy(lock::checkHeld).isInstanceOf(IllegalStateException.class);
    done.add("done");
  }

  @Test
  void itIsDoneAlsoIfTheHolderFails() {
    assertThatThrownBy(
            () ->
                lock.run(
                    () -> {
                      lock.afterUnlock(this::note);
                      throw new IllegalArgumentException("stop");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(done).hasSize(1);
  }
}
