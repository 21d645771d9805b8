package io.stele.engine;

import static io.stele.engine.TestCells.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A thread of a store runs out of memory: those who wait for it, and its owner, are notified. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class WorkerDeathTest {
  private final List<StoreEvent> events = new CopyOnWriteArrayList<>();
  private volatile String doomed = "";

  /** Fails the thread that is doomed. */
  private final class Fatal implements Clock {
    private final Clock system = Clock.system();

    @Override
    public long micros() {
      return system.micros();
    }

    @Override
    public long nanos() {
      if (Thread.currentThread().getName().equals(doomed)) {
        throw new OutOfMemoryError("as a test wants it");
      }
      return system.nanos();
    }
  }

  private Store open() {
    return new Store.Builder(new MemoryFileStore()).clock(new Fatal()).events(events::add).open();
  }

  private boolean isTold() {
    return events.stream().anyMatch(StoreEvent.WorkerDied.class::isInstance);
  }

  private void checkTold(String worker) {
    await().until(this::isTold);
    assertThat(events)
        .filteredOn(StoreEvent.WorkerDied.class::isInstance)
        .singleElement()
        .satisfies(
            event -> assertThat(event.text()).contains(worker).contains("as a test wants it"));
  }

  @Test
  void ofFlushesIsToldToThoseWhoWait() {
    try (Store store = open()) {
      store.apply(put("row", 1, "v"));
      doomed = "stele-flush";
      assertThatThrownBy(store::flush)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("as a test wants it");
      checkTold("flushes");
      assertThatThrownBy(store::flush).as("for good").isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void ofCompactionsIsTold() {
    try (Store store = open()) {
      doomed = "stele-compact";
      for (int i = 0; i < 12 && !isTold(); i++) {
        store.apply(put("row", i, "v"));
        store.flush();
      }
      checkTold("compactions");
    }
  }
}
