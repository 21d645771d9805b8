package io.stele.replicas.partition;

import static io.stele.replicas.partition.TestReplica.batch;
import static io.stele.replicas.partition.TestReplica.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.DirectoryFiles;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.ScanOptions;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.Store;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log that all replicas of a server share. */
@Timeout(60)
class ServerLogTest {
  private static final int REPLICAS = 3;
  private static final FilePath LOG = FilePath.of("log");
  private static final FilePath ROOT = FilePath.of("replicas");

  private final List<StoreEvent> events = new CopyOnWriteArrayList<>();
  private final List<EnginePartition> replicas = new ArrayList<>();
  private MemoryFileStore files = new MemoryFileStore();
  private UnflushedMemory memory = memory();
  private ReplicaStores stores = stores();

  private static UnflushedMemory memory() {
    return new UnflushedMemory(64 << 20, Duration.ofSeconds(10), _ -> {});
  }

  private ReplicaStores stores() {
    return new ReplicaStores(
        files,
        ROOT,
        StoreSettings.DEFAULT
            .withAutoCompact(false)
            .withCommitLog(new CommitLogSettings(10_000, 0, 1 << 20, Duration.ofMinutes(1))),
        memory,
        new BlockCache(1 << 20),
        Clock.system(),
        RandomSource.seeded(7),
        (_, event) -> events.add(event));
  }

  private static ReplicaName name(int replica) {
    return new ReplicaName("t", "p" + replica, "a" + replica);
  }

  private static FilePath directory(int replica) {
    return ROOT.resolve("t").resolve("p%d.a%d".formatted(replica, replica));
  }

  private void open() {
    for (int i = 0; i < REPLICAS; i++) {
      replicas.add(stores.open(name(i), TestReplica.SCHEMA));
    }
  }

  private void close() {
    replicas.forEach(EnginePartition::close);
    replicas.clear();
    stores.close();
  }

  private void restart() {
    close();
    stores = stores();
    open();
  }

  @AfterEach
  void end() {
    close();
  }

  private long write(int replica, String row) {
    return replicas.get(replica).apply(batch(put(row, 1, "value of " + row))).join();
  }

  private List<String> rows(int replica) {
    return TestReplica.seen(
            replicas.get(replica).read(ReadPredicate.ALL, ScanOptions.DEFAULT, Integer.MAX_VALUE))
        .stream()
        .map(cell -> cell.substring(0, cell.indexOf('/')))
        .toList();
  }

  private List<FilePath> files(FilePath directory) throws IOException {
    return files.list(directory).stream().map(FileInfo::path).toList();
  }

  @Test
  void changesOfAllReplicasAreInOneLog() throws Exception {
    open();
    for (int i = 0; i < REPLICAS; i++) {
      write(i, "r" + i);
    }
    assertThat(files(LOG)).hasSize(1);
    for (int i = 0; i < REPLICAS; i++) {
      assertThat(files(directory(i).resolve("log"))).isEmpty();
    }
  }

  @Test
  void whatWasAcknowledgedSurvivesACrashInEveryReplica() {
    List<CrashMode> modes =
        List.of(
            CrashMode.dropUnsynced(),
            CrashMode.tornTails(1, CrashMode.Tail.ZEROS),
            CrashMode.tornTails(2, CrashMode.Tail.GARBAGE),
            CrashMode.scattered(3),
            CrashMode.processKilled());
    for (CrashMode mode : modes) {
      open();
      long newest = 0;
      for (int i = 0; i < 30; i++) {
        newest = write(i % REPLICAS, "%d.%02d".formatted(modes.indexOf(mode), i));
      }
      List<List<String>> before = List.of(rows(0), rows(1), rows(2));
      MemoryFileStore left = files.crash(mode);
      close();
      files = left;
      stores = stores();
      open();
      assertThat(List.of(rows(0), rows(1), rows(2))).as("%s", mode).isEqualTo(before);
      assertThat(replicas.get(2).sequence()).isGreaterThanOrEqualTo(newest);
      close();
      stores = stores();
    }
  }

  @Test
  void aDistributionThatIsCutOffIsBegunAgain() throws Exception {
    open();
    for (int i = 0; i < 12; i++) {
      write(i % REPLICAS, "r%02d".formatted(i));
    }
    close();
    MemoryFileStore whole = files;
    int failures = 0;
    for (StoreCall call : StoreCall.values()) {
      for (int failAt = 1; failAt < 8; failAt++) {
        files = whole.crash(CrashMode.dropUnsynced());
        files.failFrom(call, failAt, () -> new IOException("no disk"));
        try {
          stores = stores();
          stores.close();
        } catch (RuntimeException e) {
          failures++;
        }
        files.clearFailures();
        files = files.crash(CrashMode.dropUnsynced());
        stores = stores();
        open();
        for (int i = 0; i < REPLICAS; i++) {
          assertThat(rows(i)).as("%s %d", call, failAt).hasSize(4);
        }
        close();
      }
    }
    assertThat(failures).isGreaterThan(8);
  }

  /** As servers wrote them that had a log for each replica. */
  @Test
  void aReplicaWithALogOfItsOwnIsReadAndGoesOn() throws Exception {
    ReplicaSchema schema = new ReplicaSchema(TestReplica.SCHEMA);
    try (Store old =
        new Store.Builder(new DirectoryFiles(files, directory(0)))
            .settings(schema.settings(StoreSettings.DEFAULT))
            .open()) {
      old.apply(batch(put("old", 1, "x")));
    }
    open();
    write(0, "young");
    assertThat(rows(0)).containsExactly("old", "young");
    restart();
    assertThat(rows(0)).containsExactly("old", "young");
    replicas.get(0).flush();
    await().until(() -> files(directory(0).resolve("log")).isEmpty());
    restart();
    assertThat(rows(0)).containsExactly("old", "young");
  }

  @Test
  void aReplicaThatIsOpenedAgainHasWhatTheLogHas() {
    open();
    write(1, "a");
    replicas.get(1).close();
    replicas.set(1, stores.open(name(1), TestReplica.SCHEMA));
    write(1, "b");
    assertThat(rows(1)).containsExactly("a", "b");
    restart();
    assertThat(rows(1)).containsExactly("a", "b");
  }

  @Test
  void aDirectoryThatWasMadeAgainGetsNothingOfTheOldOne() throws Exception {
    open();
    for (int i = 0; i < 5; i++) {
      write(1, "old" + i);
    }
    replicas.get(1).close();
    stores.setAside(name(1));
    replicas.set(1, stores.open(name(1), TestReplica.SCHEMA));
    write(1, "new");
    restart();
    assertThat(rows(1)).containsExactly("new");
  }

  @Test
  void aReplicaThatIsRarelyWrittenDoesNotKeepTheLogForEver() throws Exception {
    memory.start();
    open();
    write(0, "rare");
    for (int i = 0; i < 100; i++) {
      write(1, "row%02000d".formatted(i)); // a file for each few of them
    }
    await().until(() -> hasGone(1));
    assertThat(rows(0)).containsExactly("rare");
    memory.close();
  }

  private boolean hasGone(int number) throws IOException {
    return !files(LOG).contains(LOG.resolve("%010d.log".formatted(number)));
  }

  @Test
  void aLogThatFailsFailsAllReplicas() {
    open();
    write(0, "a");
    files.failFrom(StoreCall.SYNC, 1, () -> new IOException("no disk"));
    assertThatThrownBy(() -> write(1, "b"))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(OutcomeUnknownException.class);
    await().until(() -> replicas.stream().allMatch(each -> each.failure().isPresent()));
    files.clearFailures();
    restart();
    assertThat(rows(0)).containsExactly("a");
  }

  @Test
  void afterDamageToTheLogNoReplicaIsServedAsItIs() throws Exception {
    open();
    for (int i = 0; i < 9; i++) {
      write(i % REPLICAS, "r" + i);
    }
    close();
    files.corrupt(files(LOG).getFirst(), 8 * 300);
    stores = stores();
    assertThat(stores.list()).isEmpty();
    assertThat(events).anyMatch(each -> each instanceof StoreEvent.BackgroundFailed);
    for (int i = 0; i < REPLICAS; i++) {
      assertThat(stores.wasMade(name(i))).isTrue();
    }
    assertThat(files(FilePath.of("set-aside"))).hasSize(2); // the table's replicas, and the log
  }

  @Test
  void recordsNameTheDirectory() {
    byte[] head = LogDistribution.head(name(3), "00000000000000ab");
    assertThat(FormatFile.read("server-log-head-v1.bin", head)).isEqualTo(head);
  }
}
