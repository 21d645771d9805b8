package io.stele.tables;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Tables;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A tablet takes writes before the log of the server that had it is read, and loses nothing. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class RecoveryTest {
  private static final CommitLogSettings LOG =
      new CommitLogSettings(1L << 20, 0, 1L << 20, Duration.ofMillis(5));

  private static final TabletServerSettings SETTINGS =
      TestServer.SETTINGS.withWrites(
          WriteSettings.DEFAULT
              .withLog(LOG, 1L << 30)
              .withLimits(Duration.ofSeconds(30), Duration.ofMillis(50)));

  private MemoryFileStore files = new MemoryFileStore();
  private final List<Paused> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Paused::abandon);
  }

  /** A server that stops on its way from taking writes for table t to reading the old log. */
  private static final class Paused {
    final TabletServer server;
    final List<TableEvent> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch writable = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CompletableFuture<TabletServer> opened = new CompletableFuture<>();

    Paused(MemoryFileStore files, Consumer<TabletServer> whenWritable) {
      this(files, SETTINGS, whenWritable);
    }

    Paused(
        MemoryFileStore files, TabletServerSettings settings, Consumer<TabletServer> whenWritable) {
      this.server =
          TabletServer.builder(files, new FileRoot(files))
              .settings(settings)
              .events(event -> take(event, whenWritable))
              .open();
      opened.complete(server);
    }

    private void take(TableEvent event, Consumer<TabletServer> whenWritable) {
      events.add(event);
      if (event instanceof TableEvent.Writable(String tablet)
          && tablet.contains("\"t\"")
          && writable.getCount() > 0) {
        whenWritable.accept(opened.join());
        writable.countDown();
        try {
          assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    Paused awaitWritable() {
      try {
        assertThat(writable.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return this;
    }

    Paused finish() {
      goOn.countDown();
      server.awaitLoaded();
      return this;
    }

    TableFixture table() {
      return new TableFixture(server, "t");
    }

    long applyUnsynced(Cell cell) {
      return TableFixture.answer(
          server.apply("t", TableFixture.batch(cell), Tables.ANY_TXN, false));
    }

    /** Returns when META names the file, and no crash can take that back. */
    void flush() {
      server.flush("t");
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> named(stored(server.machinery().meta().durable())).equals(chain()));
    }

    private static List<FilePath> named(TabletConfig config) {
      return config.fragments().values().stream()
          .flatMap(List::stream)
          .map(FragmentRef::path)
          .toList();
    }

    private static TabletConfig stored(MetaTable meta) {
      return meta.tablets("t").getFirst();
    }

    List<FilePath> chain() {
      return server.tablets("t").getFirst().files().stream()
          .map(file -> FilePath.of(file.path()))
          .toList();
    }

    List<LogRef> logs() {
      return stored(server.machinery().meta()).logs();
    }

    void abandon() {
      goOn.countDown();
      try {
        server.machinery().abandon();
      } catch (SteleException e) {
        // Its files are gone already.
      }
    }
  }

  /** Ends what was there before as a crash would, and starts a server that pauses. */
  private Paused restart() {
    files = files.crash(CrashMode.dropUnsynced());
    started.forEach(Paused::abandon);
    started.clear();
    Paused next = new Paused(files, _ -> {});
    started.add(next);
    return next.awaitWritable();
  }

  private void prepare(Cell... cells) {
    prepare(SETTINGS, cells);
  }

  private void prepare(TabletServerSettings settings, Cell... cells) {
    Paused first = new Paused(files, settings, _ -> {});
    first.goOn.countDown();
    started.add(first);
    first.server.create("t", TableSchema.ofFamilies("f"), List.of());
    for (Cell cell : cells) {
      first.table().apply(cell);
    }
  }

  @Test
  void writesAreTakenAndReadsWaitUntilTheLogIsRead() {
    prepare(put("1", "f:", 1, "old"), put("2", "f:", 1, "old"));
    Paused server = restart();
    assertThat(server.server.tablets("t").getFirst().stateName()).isEqualTo("fragments-loading");
    assertThat(server.logs()).hasSize(2);
    long txn = server.table().apply(put("2", "f:", 1, "new"));
    assertThat(txn).isGreaterThan(server.logs().getLast().fromTxn());
    assertThatThrownBy(() -> server.table().row("1"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("still being loaded");
    server.finish();
    assertThat(server.table().all()).containsExactly("1/f:@1=old", "2/f:@1=new");
    await().until(() -> server.logs().size() == 1);
    assertThat(logDirectories()).hasSize(2);
    await() // until META has been told that its own tablets need the old log no more, either
        .untilAsserted(
            () -> {
              server.server.runUpkeep();
              assertThat(logDirectories()).hasSize(1);
            });
  }

  private List<String> logDirectories() {
    try {
      List<String> found = new ArrayList<>();
      for (FileInfo run : files.list(FilePath.of("log"))) {
        if (!files.list(run.path()).isEmpty()) {
          found.add(run.path().name());
        }
      }
      return found;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Until then nothing changes the shape of a tablet: its chains would be in the wrong order. */
  @Test
  void aLogThatCannotBeReadIsReadLater() {
    prepare(put("1", "f:", 1, "old"), put("2", "f:", 1, "old"));
    files = files.crash(CrashMode.dropUnsynced());
    IOException full = new IOException("no space left");
    Paused server = new Paused(files, _ -> files.failFrom(StoreCall.CREATE, 1, () -> full));
    started.add(server);
    assertThatThrownBy(() -> server.awaitWritable().finish()).hasRootCause(full);
    files.clearFailures();
    server.table().apply(put("2", "f:", 1, "new"));
    server.flush();
    assertThatThrownBy(() -> server.table().row("1")).isInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> server.server.split("t", bytes("1"), bytes("1")))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("must be active");
    assertThatThrownBy(() -> server.server.unloadTable("t"))
        .isInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> server.server.alter("t", TableSchema.ofFamilies("f", "g")))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("(fragments-loading)");
    server.server.compact("t");
    FilePath flushed = server.chain().getFirst();
    server.server.runUpkeep();
    assertThat(server.table().all()).containsExactly("1/f:@1=old", "2/f:@1=new");
    assertThat(server.chain()).hasSize(2).last().isEqualTo(flushed);
    server.server.alter("t", TableSchema.ofFamilies("f", "g"));
  }

  /** Each server dies before it has read the logs; the last one reads all, in their order. */
  @Test
  void logsOfServersThatDiedOneAfterTheOtherAreReadInTheirOrder() {
    prepare(put("1", "f:", 1, "first"), put("2", "f:", 1, "first"), put("3", "f:", 1, "first"));
    Paused second = restart();
    second.table().apply(Cell.eraseRow(bytes("2")));
    second.flush();
    second.table().apply(put("3", "f:", 1, "second"));
    Paused third = restart();
    third.table().apply(put("4", "f:", 1, "third"));
    third.flush();
    Paused fourth = restart();
    assertThat(fourth.logs()).hasSize(4);
    fourth.table().apply(put("1", "f:", 1, "fourth"));
    fourth.flush();
    fourth.finish();
    assertThat(fourth.chain().stream().map(path -> path.parent().name()))
        .as("what each server flushed comes behind the logs of those before it")
        .containsExactly("00000004", "00000002", "00000004", "00000003", "00000004", "00000004");
    List<String> expected = List.of("1/f:@1=fourth", "3/f:@1=second", "4/f:@1=third");
    assertThat(fourth.table().all()).isEqualTo(expected);
    fourth.flush();
    fourth.server.compact("t");
    assertThat(fourth.table().all()).isEqualTo(expected);
  }

  /**
   * Servers die at any time, with or without having read the logs, and files are merged whenever
   * that can be: what was acknowledged is there, and what was erased does not come back.
   */
  @ParameterizedTest
  @ValueSource(longs = {4, 10, 12})
  void whateverServersDoBeforeTheyDieNothingIsLostAndNothingComesBack(long seed) {
    Random random = new Random(seed);
    Map<String, String> model = new TreeMap<>();
    prepare();
    Paused server = started.getFirst();
    for (int generation = 0; generation < 10; generation++) {
      change(server, random, model);
      if (generation > 0 && random.nextBoolean()) {
        server.finish();
        change(server, random, model);
        if (random.nextBoolean()) {
          server.flush();
          server.server.compact("t");
        }
        check(server, model, seed);
        change(server, random, model);
      }
      server = restart();
    }
    server.finish();
    check(server, model, seed);
    server.flush();
    server.server.compact("t");
    check(server, model, seed);
    assertThat(server.server.verifyMeta("")).isEmpty();
  }

  private static void change(Paused server, Random random, Map<String, String> model) {
    for (int i = random.nextInt(8); i > 0; i--) {
      String row = "r" + random.nextInt(16);
      if (random.nextInt(3) == 0) {
        server.table().apply(Cell.eraseRow(bytes(row)));
        model.remove(row);
      } else {
        String value = "v" + random.nextInt(1000);
        server.table().apply(put(row, "f:", 1, value));
        model.put(row, value);
      }
      if (random.nextInt(8) == 0) {
        server.flush();
      }
    }
  }

  private static void check(Paused server, Map<String, String> model, long seed) {
    List<String> expected = new ArrayList<>();
    model.forEach((row, value) -> expected.add(row + "/f:@1=" + value));
    assertThat(server.table().all()).as("seed %d", seed).isEqualTo(expected);
  }

  /** The machine stops at every moment at which something becomes durable. */
  @ParameterizedTest
  @EnumSource(
      value = CrashMode.Unsynced.class,
      names = {"LOST", "KEPT"})
  void aRecoveryThatTakesWritesMayCrashAnywhere(CrashMode.Unsynced unsynced) {
    CrashMode mode = new CrashMode(unsynced, CrashMode.Tail.NONE, 5);
    prepare(put("1", "f:", 1, "old"), put("2", "f:", 1, "old"));
    MemoryFileStore before = files.crash(mode);
    boolean crashed = true;
    int points = 0;
    for (int k = 1; crashed; k++) {
      MemoryFileStore second = before.crash(mode);
      second.crashAtSync(k);
      List<String> acknowledged = new CopyOnWriteArrayList<>();
      recoverAndWrite(second, acknowledged);
      crashed = second.syncPoints() >= k;
      points = k;
      files = second.crash(mode);
      Paused third = restart();
      third.table().apply(put("5", "f:", 1, "third"));
      third.finish();
      String about = "crash at sync " + k + ", " + mode;
      List<String> found = third.table().all();
      assertThat(found).as(about).contains("1/f:@1=old", "5/f:@1=third").containsAll(acknowledged);
      third.flush();
      third.server.compact("t");
      assertThat(third.table().all()).as(about).isEqualTo(found);
    }
    assertThat(points).isGreaterThan(10);
  }

  private void recoverAndWrite(MemoryFileStore store, List<String> acknowledged) {
    try {
      Paused server =
          new Paused(
              store,
              opened -> {
                TableFixture table = new TableFixture(opened, "t");
                table.apply(put("2", "f:", 1, "second"));
                acknowledged.add("2/f:@1=second");
                opened.flush("t");
                table.apply(put("3", "f:", 1, "second"));
                acknowledged.add("3/f:@1=second");
              });
      started.add(server);
      server.finish().table().apply(put("4", "f:", 1, "second"));
      acknowledged.add("4/f:@1=second");
    } catch (SteleException | CompletionException e) {
      // The machine has stopped.
    }
  }

  // ---- a server that lives after all

  /** It syncs only when somebody waits for it: what nobody waits for stays unacknowledged. */
  private static final TabletServerSettings LAZY =
      SETTINGS.withWrites(
          SETTINGS
              .writes()
              .withLog(
                  new CommitLogSettings(1L << 20, 0, 1L << 20, Duration.ofMinutes(1)), 1L << 30));

  /**
   * A server that others have taken for dead writes on, and has no lease to lose. It may get
   * numbers that are free. The last write waits for its sync, which finds the fence: nothing of
   * this is acknowledged, though it is all in the log.
   */
  private static void writeTooLate(Paused old, long end, String... rows) {
    while (old.applyUnsynced(put(rows[0], "f:", 1, "too late")) <= end) {
      // Once more.
    }
    for (String row : rows) {
      assertThat(old.applyUnsynced(put(row, "f:", 1, "too late"))).isGreaterThan(end);
    }
    assertThatThrownBy(() -> old.table().apply(put(rows[0], "f:", 1, "too late")))
        .isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> old.table().apply(put(rows[0], "f:", 1, "too late")))
        .as("its log has ended")
        .isInstanceOf(SteleException.class);
  }

  /** Its next sync finds the fence, and it ends; what it added to its last file is not read. */
  @Test
  void aServerThatWasTakenForDeadGoesOnForNobody() {
    prepare(LAZY, put("1", "f:", 1, "old"));
    Paused old = started.getFirst();
    Paused next = new Paused(files, _ -> {});
    started.add(next);
    next.awaitWritable();
    next.table().apply(put("2", "f:", 1, "new"));
    long end = next.logs().getLast().fromTxn();
    writeTooLate(old, end, "0", "1");
    next.finish();
    assertThat(next.table().row("1")).containsExactly("1/f:@1=old");
    assertThat(next.table().row("2")).containsExactly("2/f:@1=new");
  }

  /** What came too late for the first that reads a log comes too late for the next as well. */
  @Test
  void theEndOfALogIsWhereTheNextOneBegins() {
    prepare(LAZY, put("1", "f:", 1, "old"));
    Paused old = started.getFirst();
    Paused next = new Paused(files, _ -> {});
    started.add(next);
    next.awaitWritable();
    next.table().apply(put("2", "f:", 1, "new"));
    long end = next.logs().getLast().fromTxn();
    writeTooLate(old, end, "1", "3");
    Paused third = restart();
    assertThat(third.logs()).hasSize(3);
    third.finish();
    assertThat(third.table().all()).contains("2/f:@1=new").noneMatch(cell -> cell.startsWith("3"));
  }
}
