package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.key;
import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.metastore.Consistency;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.testkit.sim.Intercepted;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Callers are threads that serve many connections: they must not wait for a disk. */
class NodeDiskReadTest {
  private static final int KEYS = 300;

  private final MemoryFileStore memory = new MemoryFileStore();
  private final Set<Thread> readers = ConcurrentHashMap.newKeySet();

  /** Notes which threads read files. */
  private final FileStore files =
      Intercepted.of(
          FileStore.class,
          memory,
          (_, _, rest) -> {
            Object answer = rest.proceed();
            return answer instanceof ReadableFile file ? noting(file) : answer;
          });

  private ReadableFile noting(ReadableFile file) {
    return Intercepted.of(
        ReadableFile.class,
        file,
        (method, _, rest) -> {
          if (method.getName().equals("read")) {
            readers.add(Thread.currentThread());
          }
          return rest.proceed();
        });
  }

  private MetastoreNode open() throws IOException {
    Events events = new Events((_, _) -> {});
    Member self = new Member("self", "127.0.0.1:1", "127.0.0.1:2");
    return new MetastoreNode.Builder(
            files, state -> SoloLog.open(files, self, state, SoloSettings.DEFAULT, events))
        .settings(NodeSettings.DEFAULT.withoutTicks())
        .events(events)
        .open();
  }

  @Test
  void aReadOfTheDiskLeavesTheCallersThread() throws IOException {
    try (MetastoreNode node = open()) {
      for (int i = 0; i < KEYS; i++) {
        now(node.transact(Origin.of(""), Transaction.of(putOf("/k" + i, "x".repeat(1024)))));
      }
      node.replica().flush();
    }
    try (MetastoreNode node = open()) {
      readers.clear();
      for (int i = 0; i < KEYS; i += 10) {
        RangeRead read = RangeRead.of(key("/k" + i));
        assertThat(now(node.read("", read, Consistency.STALE)).keys()).hasSize(1);
        CompletableFuture<RangeAnswer> again = node.read("", read, Consistency.LINEARIZABLE);
        assertThat(again).as("a read of what is cached is answered at once").isCompleted();
      }
      assertThat(readers).isNotEmpty().doesNotContain(Thread.currentThread());
    }
  }
}
