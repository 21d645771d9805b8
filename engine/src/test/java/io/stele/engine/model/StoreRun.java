package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.engine.Scan;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A history on a store in memory. */
public final class StoreRun extends Run<StoreRun.ReadAt, Scan> {
  /** As of when to read, resolved. */
  sealed interface ReadAt {
    record Now(Store.Read read) implements ReadAt {}

    record At(Snapshot snapshot) implements ReadAt {}
  }

  /** How a store is set up; with every reopening comes the next of the settings. */
  public record Setup(List<StoreSettings> settings, long cacheBytes) {
    public Setup {
      settings = List.copyOf(settings);
    }
  }

  private final MemoryFileStore files = new MemoryFileStore();
  private final ManualClock clock = new ManualClock();
  private final Purge purge;
  private final Setup setup;
  private final Consumer<StoreEvent> events;
  private int openings;
  private Store store;

  private StoreRun(History history, Setup setup, Consumer<StoreEvent> events) {
    this.purge = history.purge();
    this.setup = setup;
    this.events = events;
    this.store = open();
  }

  /** Plays a history; {@code events} is called from the store's own threads too. */
  public static List<String> answers(History history, Setup setup, Consumer<StoreEvent> events) {
    StoreRun run = new StoreRun(history, setup, events);
    try {
      return run.play(history.steps());
    } finally {
      run.store.close();
    }
  }

  private Store open() {
    StoreSettings settings = setup.settings.get(openings++ % setup.settings.size());
    return new Store.Builder(files)
        .settings(settings.withPurge(purge.toPolicy()))
        .cache(new BlockCache(setup.cacheBytes))
        .clock(clock)
        .random(RandomSource.seeded(openings))
        .events(events)
        .open();
  }

  @Override
  long apply(List<Change> changes, boolean synced) {
    CellBatchBuilder batch = new CellBatchBuilder();
    changes.forEach(change -> batch.add(change.toCell()));
    return store.apply(batch.build(), synced);
  }

  @Override
  void flush() {
    store.flush();
  }

  @Override
  void compact() {
    store.compact();
  }

  @Override
  void reopen() {
    store.close();
    store = open();
  }

  @Override
  void restrict(Set<Bytes> families) {
    store.restrict(families);
  }

  @Override
  void advance(long micros) {
    clock.advance(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
  }

  @Override
  ReadAt openSnapshot() {
    store.sync(store.assignedTxn());
    return new ReadAt.At(store.snapshot());
  }

  @Override
  void closeSnapshot(ReadAt at) {
    if (at instanceof ReadAt.At(var snapshot)) {
      snapshot.close();
    }
  }

  @Override
  ReadAt latest() {
    return new ReadAt.Now(Store.Read.LATEST);
  }

  @Override
  ReadAt durable() {
    store.sync(store.assignedTxn());
    return new ReadAt.Now(Store.Read.DURABLE);
  }

  @Override
  Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, ReadAt at) {
    return switch (at) {
      case ReadAt.Now(var read) -> store.get(row, family, qualifier, read);
      case ReadAt.At(var snapshot) -> store.get(row, family, qualifier, snapshot);
    };
  }

  @Override
  Scan openScan(Question question, ReadAt at) {
    return switch (at) {
      case ReadAt.Now(var read) -> store.scan(question.toPredicate(), read);
      case ReadAt.At(var snapshot) -> store.scan(question.toPredicate(), snapshot);
    };
  }

  @Override
  Optional<Version> next(Scan scan) {
    return scan.next() ? Optional.of(Version.of(scan.cell())) : Optional.empty();
  }

  @Override
  Optional<Version> seek(Scan scan, Step.Target target) {
    return scan.seek(target.toView()) ? Optional.of(Version.of(scan.cell())) : Optional.empty();
  }

  @Override
  void closeScan(Scan scan) {
    scan.close();
  }
}
