package io.stele.replicas.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.ExhaustedException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLogSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnflushedMemoryTest {
  private static final int MIB = 1 << 20;
  private static final int WRITE = 100 << 10;
  private static final int CHUNK = MIB + 4096; // memory comes in such pieces
  private static final Bytes VALUE = Bytes.wrap(new byte[WRITE]);

  private final MemoryFileStore files = new MemoryFileStore();
  private final Queue<String> flushed = new ConcurrentLinkedQueue<>(); // partitions
  private final List<EnginePartition> replicas = new ArrayList<>();
  private UnflushedMemory memory = memory(MIB, Duration.ofSeconds(10));
  private ReplicaStores stores;
  private long time;

  private static UnflushedMemory memory(long limit, Duration patience) {
    return new UnflushedMemory(limit, patience, _ -> {});
  }

  private void open(int count, UnflushedMemory budget) {
    memory = budget;
    stores =
        new ReplicaStores(
            files,
            FilePath.of("replicas"),
            StoreSettings.DEFAULT
                .withAutoCompact(false)
                .withCommitLog(new CommitLogSettings(MIB, 0, MIB, Duration.ofMillis(200))),
            memory,
            new BlockCache(MIB),
            Clock.system(),
            RandomSource.seeded(1),
            this::note);
    for (int i = 0; i < count; i++) {
      replicas.add(stores.open(new ReplicaName("t", "p" + i, "a" + i), TestReplica.SCHEMA));
    }
    memory.start();
  }

  private void note(ReplicaName replica, StoreEvent event) {
    if (event instanceof StoreEvent.Flushed) {
      flushed.add(replica.partition());
    }
  }

  @AfterEach
  void close() {
    replicas.forEach(EnginePartition::close);
    memory.close();
    stores.close();
    assertThat(memory.used()).as("after all are closed").isZero();
  }

  private void write(int replica, int times) {
    for (int i = 0; i < times; i++) {
      Cell cell = Cell.put(Bytes.utf8("r" + time), TestReplica.F, TestReplica.C, ++time, VALUE);
      replicas.get(replica).add(TestReplica.batch(cell));
    }
  }

  @Test
  void manyReplicasTogetherStayWithinTheBudget() {
    open(16, memory(8 * MIB, Duration.ofSeconds(10)));
    for (int i = 0; i < 160; i++) {
      write(i % replicas.size(), 1);
      assertThat(memory.used()).isLessThanOrEqualTo(8 * MIB + CHUNK);
    }
    assertThat(flushed).isNotEmpty();
    await().until(() -> memory.used() <= 4 * MIB);
  }

  @Test
  void theReplicaWithTheMostIsFlushedFirst() {
    open(4, memory(16 * MIB, Duration.ofSeconds(10)));
    write(0, 5);
    write(1, 25);
    write(2, 15);
    assertThat(memory.used()).isBetween(6L * MIB, 8L * MIB);
    assertThat(replicas.get(1).unflushedBytes()).isLessThan(4 * MIB);
    assertThat(flushed).isEmpty();
    write(3, 15);
    await().until(() -> memory.used() <= 8 * MIB);
    await().until(() -> !flushed.isEmpty());
    assertThat(flushed).containsExactly("p1");
    assertThat(replicas.get(1).unflushedBytes()).isZero();
  }

  @Test
  void atTheBudgetWritesWaitAndThenFail() {
    open(3, memory(4 * MIB, Duration.ofMillis(50)));
    files.failFrom(StoreCall.REPLACE, 1, () -> new IOException("the disk said no"));
    await() // the flush may fail later than the first write does
        .untilAsserted(
            () ->
                assertThatThrownBy(this::writeTooMuch)
                    .isInstanceOf(ExhaustedException.class)
                    .hasMessageContaining("changes in memory take " + memory.used() + " bytes")
                    .hasMessageContaining("at most " + 4 * MIB)
                    .hasMessageContaining("the disk said no"));
    assertThat(memory.used()).isBetween(4L * MIB - WRITE, 4L * MIB + CHUNK);
    files.clearFailures();
    await().ignoreExceptionsInstanceOf(ExhaustedException.class).until(() -> writes(0));
    await().until(() -> memory.used() <= 2 * MIB);
  }

  private void writeTooMuch() {
    for (int i = 0; i < 100; i++) {
      write(i % replicas.size(), 1);
    }
  }

  private boolean writes(int replica) {
    write(replica, 1);
    return true;
  }

  @Test
  void whatIsReplayedFromTheLogCounts() {
    open(1, memory(16 * MIB, Duration.ofSeconds(10)));
    write(0, 5);
    long before = memory.used();
    replicas.removeFirst().close();
    memory.close();
    stores.close();
    open(1, memory(16 * MIB, Duration.ofSeconds(10)));
    assertThat(memory.used()).isEqualTo(before).isPositive();
  }
}
