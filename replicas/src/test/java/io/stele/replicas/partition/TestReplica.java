package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.time.RandomSource;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** A replica on files in memory, with a clock that is moved by hand. */
final class TestReplica implements AutoCloseable {
  static final Bytes F = Bytes.utf8("f");
  static final Bytes C = Bytes.utf8("c");
  static final Duration GRACE = Duration.ofHours(10);
  static final TableSchema SCHEMA =
      TableSchema.ofFamilies("f", "g").withReplication(Replication.of(3).withErasureGrace(GRACE));
  static final ReplicaName NAME = new ReplicaName("t1", "p1", "a1");

  private static final FilePath ROOT = FilePath.of("replicas");
  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withAutoCompact(false)
          .withCommitLog(new CommitLogSettings(1 << 20, 0, 1 << 20, Duration.ofMillis(200)));

  final ManualClock clock;

  /** Up to which sequence all others have its changes. */
  volatile long confirmed = Long.MAX_VALUE;

  private MemoryFileStore files;
  private TableSchema schema;
  private ReplicaStores stores;
  private EnginePartition partition;

  TestReplica() {
    this(new ManualClock());
  }

  TestReplica(ManualClock clock) {
    this(clock, SCHEMA);
  }

  TestReplica(ManualClock clock, TableSchema schema) {
    this.clock = clock;
    this.files = new MemoryFileStore(clock);
    this.schema = schema;
    this.stores = stores(files, clock);
    this.partition = open();
  }

  /** Those of its server. */
  ReplicaStores stores() {
    return stores;
  }

  private static ReplicaStores stores(MemoryFileStore files, ManualClock clock) {
    return new ReplicaStores(
        files,
        ROOT,
        SETTINGS,
        new UnflushedMemory(4 << 20, Duration.ofSeconds(10), _ -> {}),
        new BlockCache(1 << 20),
        clock,
        RandomSource.seeded(1),
        (_, _) -> {});
  }

  private EnginePartition open() {
    return stores.begin(NAME, schema, 0, () -> confirmed);
  }

  EnginePartition store() {
    return partition;
  }

  MemoryFileStore files() {
    return files;
  }

  void reopen() {
    close();
    stores = stores(files, clock);
    partition = open();
  }

  void reopen(TableSchema changed) {
    schema = changed;
    reopen();
  }

  /** The machine loses what was not synced, and starts again. */
  void crash(CrashMode mode) {
    MemoryFileStore left = files.crash(mode);
    close();
    files = left;
    stores = stores(files, clock);
    partition = open();
  }

  /** Applies changes as one batch and waits until they are durable. */
  long apply(Cell... cells) {
    return apply(batch(cells));
  }

  long apply(CellBatch batch) {
    try {
      return partition.apply(batch).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  static CellBatch batch(Cell... cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (Cell cell : cells) {
      batch.add(cell);
    }
    return batch.build();
  }

  static Cell put(String row, long timestamp, String value) {
    return Cell.put(Bytes.utf8(row), F, C, timestamp, Bytes.utf8(value));
  }

  static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  /** All that is seen, as {@code row/family:column@timestamp=value}. */
  List<String> seen() {
    return seen(partition.read(ReadPredicate.ALL, ScanOptions.DEFAULT, Integer.MAX_VALUE));
  }

  static List<String> seen(CellPage page) {
    return page.cells().map(TestReplica::texts).orElse(List.of());
  }

  static List<String> texts(CellBatch batch) {
    List<String> texts = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      texts.add(reader.cell().toCell().withTxn(0).toString().replace("#0", ""));
    }
    return texts;
  }

  Digest digest() {
    return partition.digests(RowRange.ALL, List.of()).getFirst();
  }

  /** All changes behind a sequence, in batches of about so many bytes. */
  List<CellBatch> changes(long since, int maxBytes) {
    List<CellBatch> batches = new ArrayList<>();
    try (PartitionStore.Changes changes = partition.changesSince(since, RowRange.ALL)) {
      Optional<CellBatch> next = changes.next(maxBytes);
      while (next.isPresent()) {
        batches.add(CellBatch.parse(next.get().toArray()));
        next = changes.next(maxBytes);
      }
    }
    return batches;
  }

  @Override
  public void close() {
    partition.close();
    stores.close();
  }
}
