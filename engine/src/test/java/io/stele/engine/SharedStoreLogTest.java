package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.MemoryFileStore;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.StoreLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a store says to a log that is not its own. */
class SharedStoreLogTest {
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);

  /** A log that takes its time to roll. */
  private final class SlowToRoll implements StoreLog {
    private final CommitLog log;

    SlowToRoll(CommitLog log) {
      this.log = log;
    }

    @Override
    public void roll() {
      try {
        boolean before = released.await(200, TimeUnit.MILLISECONDS);
        said.add(before ? "rolled too late" : "rolled");
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      log.roll();
    }

    @Override
    public void release(long txn) throws IOException {
      if (txn > 0) {
        said.add("released " + txn);
        released.countDown();
      }
      log.release(txn);
    }

    @Override
    public void throttle() {
      log.throttle();
    }

    @Override
    public void checkOpen() {
      log.checkOpen();
    }

    @Override
    public void enqueue(CellBatch batch, boolean waitedFor) {
      log.enqueue(batch, waitedFor);
    }

    @Override
    public long durableTxn() {
      return log.durableTxn();
    }

    @Override
    public void await(long txn) {
      log.await(txn);
    }

    @Override
    public boolean hasFailed() {
      return log.hasFailed();
    }

    @Override
    public void close() {
      log.close();
    }
  }

  /** A log that hears of the release first would keep, for good, what comes after. */
  @Test
  void theLogIsRolledBeforeWhatIsInItIsReleased() throws Exception {
    Bytes text = Bytes.utf8("x");
    try (Store store =
        new Store.Builder(new MemoryFileStore())
            .log(
                (files, directory, settings, clock, replayed, progress) ->
                    new SlowToRoll(
                        new CommitLog(files, directory, settings, clock, replayed, progress)))
            .open()) {
      store.apply(new CellBatchBuilder().put(text, text, text, 1, text).build());
      store.flush();
      assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(said).containsExactly("rolled", "released 1");
    }
  }
}
