package io.stele.bench.metastore;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stele.base.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * A side whose members are processes that sleep, and whose store is a map in this process: what
 * runs on it tests the benchmark, not a store.
 */
final class MemorySide implements MetastoreSide {
  private record Watcher(int number, KeySet keys, Connection.EventSink sink) {}

  private final String name;
  private final ConcurrentSkipListMap<String, byte[]> store = new ConcurrentSkipListMap<>();
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
  private final boolean wrongRanges;

  MemorySide(String name) {
    this(name, false);
  }

  /** One that answers with neighbours of what it is asked for, if it is asked for many keys. */
  MemorySide(String name, boolean wrongRanges) {
    this.name = name;
    this.wrongRanges = wrongRanges;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return "0";
  }

  @Override
  public Map<String, String> facts() {
    return Map.of(name, "a map");
  }

  @Override
  public Group start(Path directory, int members) throws Exception {
    List<ChildProcess> processes = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      Path log = Files.writeString(directory.resolve("log" + i), "hello");
      processes.add(new ChildProcess(name + i, List.of("sleep", "600"), log));
    }
    processes.forEach(ChildProcess::launch);
    return new Group(name, directory, processes, List.of(), _ -> new MapConnection()).ready();
  }

  /** Answers on other threads, as a network does. */
  private final class MapConnection implements Connection {
    private final Executor network = ForkJoinPool.commonPool();

    private String key(KeySet keys, long number) {
      return new String(keys.key(number), ISO_8859_1);
    }

    private byte[] read(KeySet keys, long number) {
      byte[] value = store.get(key(keys, number));
      if (value == null) {
        throw new NoSuchElementException(key(keys, number));
      }
      keys.check(number, keys.key(number), value);
      return value;
    }

    private void write(KeySet keys, long number, long edition) {
      store.put(key(keys, number), keys.value(number, edition));
      for (Watcher watcher : watchers) {
        if (watcher.keys().equals(keys)) {
          watcher.sink().put(watcher.number(), edition);
        }
      }
    }

    @Override
    public CompletableFuture<?> put(KeySet keys, long number, long edition) {
      return CompletableFuture.runAsync(() -> write(keys, number, edition), network);
    }

    @Override
    public CompletableFuture<?> get(KeySet keys, long number) {
      return CompletableFuture.supplyAsync(() -> read(keys, number), network);
    }

    @Override
    public CompletableFuture<?> range(KeySet keys, long first, int count) {
      return CompletableFuture.runAsync(
          () -> {
            long shift = wrongRanges ? 1 : 0;
            for (long number = first; number < first + count - shift; number++) {
              keys.check(number, keys.key(number + shift), read(keys, number + shift));
            }
          },
          network);
    }

    @Override
    public CompletableFuture<?> transact(KeySet keys, long one, long other, long edition) {
      return CompletableFuture.runAsync(
          () -> {
            read(keys, one);
            read(keys, other);
            write(keys, one, edition);
            write(keys, other, edition);
          },
          network);
    }

    @Override
    public CompletableFuture<?> transactAtOnce(KeySet keys, long one, long other, long edition) {
      return transact(keys, one, other, edition);
    }

    @Override
    public CompletableFuture<?> load(KeySet keys, long first, int count) {
      return CompletableFuture.runAsync(
          () -> {
            for (long number = first; number < first + count; number++) {
              write(keys, number, 0);
            }
          },
          network);
    }

    @Override
    public CompletableFuture<Watches> watch(
        KeySet keys, int firstWatcher, int count, EventSink sink) {
      List<Watcher> mine = new ArrayList<>();
      for (int number = firstWatcher; number < firstWatcher + count; number++) {
        mine.add(new Watcher(number, keys, sink));
      }
      watchers.addAll(mine);
      return CompletableFuture.completedFuture(() -> watchers.removeAll(mine));
    }

    @Override
    public CompletableFuture<?> compact(KeySet keys) {
      return CompletableFuture.supplyAsync(() -> read(keys, 0), network);
    }

    @Override
    public long conflicts() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
