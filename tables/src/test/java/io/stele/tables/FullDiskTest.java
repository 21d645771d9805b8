package io.stele.tables;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ExhaustedException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A disk that is nearly full makes a server read-only before it is full. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class FullDiskTest {
  private static final int CAPACITY = 4 << 20;
  private static final String VALUE = "v".repeat(16 << 10);

  private final MemoryFileStore files = new MemoryFileStore();
  private final List<TableEvent> events = new CopyOnWriteArrayList<>();

  private TabletServer open() {
    return open(false);
  }

  private TabletServer open(boolean compacting) {
    return TabletServer.builder(files, new FileRoot(files))
        .settings(
            TestServer.SETTINGS
                .withWrites(
                    WriteSettings.DEFAULT
                        .withLog(
                            new CommitLogSettings(1L << 20, 0, 1L << 20, Duration.ofMillis(20)),
                            1L << 30)
                        .withDiskReserve(1L << 30))
                .withCompaction(TestServer.SETTINGS.compaction().withAutomatic(compacting)))
        .events(events::add)
        .open();
  }

  private static int writeUntilRefused(TableFixture table) {
    for (int i = 0; ; i++) {
      try {
        table.apply(put("row%05d".formatted(i), "f:", 1, VALUE + i));
      } catch (ExhaustedException e) {
        assertThat(e)
            .hasMessageContaining("free of 4.0 MiB")
            .hasMessageContaining("writes are refused below");
        return i;
      }
    }
  }

  @Test
  void writesAreRefusedReadsGoOnAndWritesComeBackWithTheRoom() {
    files.capacity(CAPACITY);
    try (TabletServer server = open()) {
      server.create("t", TableSchema.ofFamilies("f"), List.of());
      TableFixture table = new TableFixture(server, "t");
      int written = writeUntilRefused(table);
      assertThat(written).isGreaterThan(30);
      assertThat(events).anyMatch(TableEvent.DiskLow.class::isInstance);
      assertThat(table.all()).as("reads go on").hasSizeGreaterThanOrEqualTo(written);
      server.flush("t"); // for which there is room
      assertThat(server.failure()).as("the log has not failed").isNotDone();

      files.capacity(16L * CAPACITY);
      await()
          .ignoreExceptions()
          .until(() -> table.apply(put("late", "f:", 1, "written when there was room")) > 0);
      assertThat(events).anyMatch(TableEvent.DiskHasRoom.class::isInstance);
    }
    try (TabletServer again = open()) {
      again.awaitLoaded();
      assertThat(new TableFixture(again, "t").row("late")).hasSize(1);
    }
  }

  /** META, too, is written only as far as flushes need it; tables can be dropped to make room. */
  @Test
  void aTableCanBeDroppedToMakeRoom() {
    files.capacity(CAPACITY);
    try (TabletServer server = open()) {
      server.create("t", TableSchema.ofFamilies("f"), List.of());
      server.create("other", TableSchema.ofFamilies("f"), List.of());
      int _ = writeUntilRefused(new TableFixture(server, "t"));
      assertThatThrownBy(
              () -> {
                while (true) {
                  new TableFixture(server, "other").apply(put("r", "f:", 1, VALUE));
                }
              })
          .isInstanceOf(ExhaustedException.class);
      server.drop("t");
      assertThat(server.list(false)).containsExactly("other");
    }
  }

  /** A merged file needs room before those that it replaces go; not even a start looks too late. */
  @Test
  void filesAreMergedWhenThereIsRoom() {
    try (TabletServer server = open()) {
      server.create("t", TableSchema.ofFamilies("f"), List.of());
      for (int i = 0; i < 8; i++) {
        new TableFixture(server, "t").apply(put("row" + i, "f:", 1, VALUE.repeat(4)));
        server.flush("t");
      }
    }
    files.capacity(CAPACITY);
    long used = CAPACITY - files.space().orElseThrow().freeBytes();
    files.capacity(used * 21 / 20); // a little less than a twentieth is free
    events.clear();
    try (TabletServer server = open(true)) {
      server.awaitLoaded();
      assertThat(new TableFixture(server, "t").all()).hasSize(8);
      server.machinery().compactor().wake();
      await()
          .during(Duration.ofMillis(300))
          .until(() -> events.stream().noneMatch(TableEvent.Compacted.class::isInstance));
      files.capacity(CAPACITY);
      server.runUpkeep();
      server.machinery().compactor().wake();
      await().until(() -> events.stream().anyMatch(TableEvent.Compacted.class::isInstance));
    }
  }
}
