package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.model.Change;
import io.stele.engine.model.HistoryGenerator;
import io.stele.engine.model.ModelTable;
import io.stele.engine.model.Purge;
import io.stele.engine.model.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Drives a store on files that may crash or fail, and knows what must be left of it: every
 * transaction that was acknowledged, and of those that were not, whole ones and only the first.
 */
final class CrashDriver {
  private static final Set<Bytes> FAMILIES = Set.of(Bytes.utf8("f"), Bytes.utf8("g"));

  private final StoreSettings settings;
  private final String about;
  private final SplittableRandom random;

  /** What the store may hold; two after a restriction of which it is not known if it happened. */
  private List<ModelTable> possible;

  private long acknowledged;

  CrashDriver(StoreSettings settings, long seed, String about) {
    this(settings, seed, about, List.of(new ModelTable(Purge.NONE)), 0);
  }

  private CrashDriver(
      StoreSettings settings, long seed, String about, List<ModelTable> possible, long known) {
    this.settings = settings;
    this.random = new SplittableRandom(seed);
    this.about = about;
    this.possible = new ArrayList<>(possible);
    this.acknowledged = known;
  }

  /** One that knows the same and goes on by itself. */
  CrashDriver copy(long seed, String newAbout) {
    return new CrashDriver(
        settings, seed, newAbout, possible.stream().map(ModelTable::copy).toList(), acknowledged);
  }

  Store open(FileStore files) {
    return new Store.Builder(files)
        .settings(settings)
        .random(RandomSource.seeded(random.nextLong()))
        .open();
  }

  /**
   * Writes, flushes, compacts and restricts until all is done or a call fails.
   *
   * @return what failed, or null
   */
  @Nullable SteleException run(Store store, int steps) {
    List<List<Change>> batches = HistoryGenerator.batches(random.nextLong(), steps);
    try {
      for (List<Change> batch : batches) {
        int dice = random.nextInt(40);
        if (dice == 0) {
          restrict(store);
        } else if (dice < 4) {
          store.compact();
        } else if (dice < 9) {
          flush(store);
        } else {
          apply(store, batch, dice < 33);
        }
      }
      flush(store);
      return null;
    } catch (SteleException e) {
      assertThat(e)
          .as(about)
          .isInstanceOfAny(
              OutcomeUnknownException.class, UnavailableException.class, ExhaustedException.class);
      return e;
    }
  }

  void apply(Store store, List<Change> changes, boolean wait) {
    CellBatchBuilder batch = new CellBatchBuilder();
    changes.forEach(change -> batch.add(change.toCell()));
    long expected = store.assignedTxn() + 1;
    possible.forEach(model -> assertThat(model.commit(changes)).as(about).isEqualTo(expected));
    long txn = store.apply(batch.build(), wait);
    assertThat(txn).as(about).isEqualTo(expected);
    if (wait) {
      acknowledged = txn;
    }
  }

  private void flush(Store store) {
    long txn = store.assignedTxn();
    store.flush();
    assertThat(store.flushedTxn()).as(about).isGreaterThanOrEqualTo(txn);
    acknowledged = txn;
  }

  private void restrict(Store store) {
    List<ModelTable> without = possible.stream().map(ModelTable::copy).toList();
    possible.forEach(model -> model.restrict(FAMILIES));
    List<ModelTable> with = List.copyOf(possible);
    possible.addAll(without);
    store.restrict(FAMILIES);
    possible = new ArrayList<>(with);
    acknowledged = store.assignedTxn();
  }

  /** Compares a store that was just opened with what must be there. */
  void check(Store store, FileStore files) {
    long txn = store.assignedTxn();
    assertThat(txn)
        .as("%s: the newest transaction; acknowledged %d", about, acknowledged)
        .isBetween(acknowledged, possible.getFirst().txn());
    assertThat(store.durableTxn()).as(about).isEqualTo(txn);
    possible.forEach(model -> model.forgetAfter(txn));
    var found = TestCells.readAll(store);
    possible.removeIf(
        model -> possible.size() > 1 && !model.read(Question.ALL, Long.MAX_VALUE, 0).equals(found));
    assertThat(found)
        .as("%s: all cells at transaction %d", about, txn)
        .isEqualTo(possible.getFirst().read(Question.ALL, Long.MAX_VALUE, 0));
    acknowledged = txn;
    checkFiles(store, files);
  }

  /** No stray files; if the store compacts by itself, once it has finished. */
  private void checkFiles(Store store, FileStore files) {
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThat(files.list(FilePath.of("fragments")).stream().map(FileInfo::path))
                    .as("%s: no stray files", about)
                    .containsExactlyElementsOf(named(store)));
  }

  private static List<FilePath> named(Store store) {
    return store.chain().fragments().stream()
        .filter(DiskFragment.class::isInstance)
        .map(fragment -> ((DiskFragment) fragment).path())
        .sorted()
        .toList();
  }

  /**
   * Looks at what a crash left, and then uses it: writes, flushes, compacts, closes and opens
   * again, and crashes once more.
   */
  void checkCrash(MemoryFileStore crashed, CrashMode mode) {
    MemoryFileStore files = crashed.crash(mode);
    try (Store store = open(files)) {
      check(store, files);
      assertThat(run(store, 12)).as(about).isNull();
      store.compact();
    }
    MemoryFileStore after;
    try (Store store = open(files)) {
      check(store, files);
      run(store, 4);
      after = files.crash(CrashMode.dropUnsynced());
    }
    try (Store store = open(after)) {
      check(store, after);
    }
  }
}
