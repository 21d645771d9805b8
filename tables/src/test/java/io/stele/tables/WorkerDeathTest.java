package io.stele.tables;

import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.Table;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * A thread of the server runs out of memory. Its thread was once gone without a word, and the
 * server went on as if it were well: memory filled up, and nobody took its tablets.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class WorkerDeathTest {
  private static final int SMALL = 1_000;

  private volatile String doomed = "";
  private TestServer server;

  /** Fails the thread that is doomed. */
  private final class Fatal implements Clock {
    private final Clock system = Clock.system();

    @Override
    public long micros() {
      check();
      return system.micros();
    }

    @Override
    public long nanos() {
      check();
      return system.nanos();
    }

    private void check() {
      if (!doomed.isEmpty() && Thread.currentThread().getName().startsWith(doomed)) {
        throw new OutOfMemoryError("as a test wants it");
      }
    }
  }

  @AfterEach
  void end() {
    server.abandon();
  }

  private void start() {
    TabletServerSettings settings =
        TestServer.SETTINGS
            .withWrites(TestServer.SETTINGS.writes().withMemory(1L << 20, SMALL))
            .withCompaction(TestServer.SETTINGS.compaction().withAutomatic(true))
            .withUpkeep(Duration.ofMillis(20));
    server =
        TestServer.open(new MemoryFileStore(), settings, builder -> builder.clock(new Fatal()));
    server.server.create("t", TableSchema.ofFamilies("f"), List.of());
  }

  private void checkEnded() {
    await("that it is told").until(() -> !server.events(TableEvent.WorkerDied.class).isEmpty());
    TableEvent.WorkerDied died = server.events(TableEvent.WorkerDied.class).getFirst();
    assertThat(died.text()).contains("as a test wants it");
    assertThatThrownBy(() -> server.server.failure().get(10, TimeUnit.SECONDS))
        .hasMessageContaining("as a test wants it");
  }

  @Test
  void ofFlushesEndsTheServer() {
    start();
    doomed = "stele-flush";
    var _ = // it may not be acknowledged any more
        server.server.apply(
            "t", batch(put("row", "f:", 1, "x".repeat(2 * SMALL))), Tables.ANY_TXN, true);
    checkEnded();
  }

  @Test
  void ofTheCommitLogEndsTheServer() {
    start();
    doomed = "stele-commit-log";
    var _ = server.server.apply("t", batch(put("row", "f:", 1, "x")), Tables.ANY_TXN, true);
    checkEnded();
  }

  @Test
  void ofCompactionsEndsTheServer() {
    start();
    doomed = "stele-compact";
    try {
      for (int i = 0; i < 12 && server.events(TableEvent.WorkerDied.class).isEmpty(); i++) {
        server.table("t").apply(put("row", "f:", i, "x"));
        server.server.flush("t");
      }
    } catch (SteleException e) {
      // The server has ended in the middle of a request.
    }
    checkEnded();
  }

  @Test
  void ofTheUpkeepEndsTheServer() {
    start();
    doomed = "stele-upkeep";
    checkEnded();
  }

  /** Half of it would be in memory, and be read as part of the next commit. */
  @Test
  void ofACommitEndsTheServer() {
    start();
    Table table = server.server.machinery().tables().get("t");
    server
        .server
        .machinery()
        .parts()
        .lock()
        .run(() -> table.view().groups().getFirst().active().freeze());
    assertThatThrownBy(() -> server.table("t").apply(put("row", "f:", 1, "x")))
        .isInstanceOf(IllegalStateException.class);
    await().until(() -> !server.events(TableEvent.WorkerDied.class).isEmpty());
  }

  @Test
  void ofConfigurationsEndsTheServer() {
    start();
    server.table("t").apply(put("row", "f:", 1, "x"));
    doomed = "stele-config";
    server.server.flush("t");
    checkEnded();
  }
}
