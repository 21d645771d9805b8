package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Consistency.Acks;
import io.stele.bench.Peer;
import io.stele.bench.driver.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Sides whose tables are sets of rows in memory, and take a few looks to get anywhere. */
final class MemorySides {
  private MemorySides() {}

  static final Limit LIMIT =
      new Limit() {
        @Override
        public String name() {
          return "Bound";
        }

        @Override
        public String version() {
          return "7";
        }

        @Override
        public Map<String, String> facts() {
          return Map.of("Bound", "none");
        }

        @Override
        public Sample write(Path directory, int writers, Duration length) {
          return new Sample(1_000L * writers, 1, 10, 20);
        }

        @Override
        public double load(Path directory, long bytes) {
          return 2;
        }
      };

  static ReplicaSides of(Peer<Limit> limit) {
    return new ReplicaSides(new MemorySide("replicated"), new MemorySide("tablet"), limit);
  }

  /** What was asked of all servers together that a side has started. */
  static final class MemorySide implements ReplicaSide {
    final Set<Acks> levels = ConcurrentHashMap.newKeySet();
    final Set<Integer> asked = ConcurrentHashMap.newKeySet();
    final List<String> deeds = new ArrayList<>();
    boolean differs;
    boolean refuses;
    private final String name;

    MemorySide(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Map<String, String> facts() {
      return Map.of(name, "a set");
    }

    @Override
    public TableServers start(Path directory, Duration deadAfter) {
      deeds.add("start");
      return new Running(this);
    }
  }

  private static final class Running implements TableServers {
    private static final int LOOKS = 3;

    private final MemorySide side;
    private final Set<Bytes> rows = ConcurrentHashMap.newKeySet();
    private final AtomicInteger looks = new AtomicInteger();
    private int parts = 1;

    Running(MemorySide side) {
      this.side = side;
    }

    private void deed(String what) {
      side.deeds.add(what);
      looks.set(0);
    }

    /** Nothing is there at once. */
    private boolean later() {
      return looks.incrementAndGet() > LOOKS;
    }

    @Override
    public List<ProcessHandle> servers() {
      return List.of();
    }

    @Override
    public void create(String table, List<Bytes> splits) {
      deed("create " + table);
    }

    @Override
    public void drop(String table) {
      deed("drop " + table);
    }

    @Override
    public CompletableFuture<?> write(
        String table, Acks acks, int through, Bytes row, Bytes value) {
      side.levels.add(acks);
      side.asked.add(through);
      rows.add(row);
      return side.refuses
          ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
          : CompletableFuture.completedFuture(0L);
    }

    @Override
    public CompletableFuture<?> writeAll(String table, List<Bytes> all, List<Bytes> values) {
      rows.addAll(all);
      return CompletableFuture.completedFuture(0L);
    }

    @Override
    public boolean has(String table, Bytes row) {
      return rows.contains(row);
    }

    @Override
    public boolean isSettled(String table) {
      return later();
    }

    @Override
    public boolean isIdentical(String table) {
      return !side.differs;
    }

    @Override
    public void split(String table) {
      deed("split");
      parts = 2;
    }

    @Override
    public boolean hasParts(String table, int count) {
      return later() && parts == count;
    }

    @Override
    public void pause() {
      deed("pause");
    }

    @Override
    public void resume() {
      deed("resume");
    }

    @Override
    public void startSpare() {
      deed("spare");
    }

    @Override
    public void killLast() {
      deed("kill");
    }

    @Override
    public void close() {
      deed("close");
    }
  }
}
