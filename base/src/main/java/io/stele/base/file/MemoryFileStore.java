package io.stele.base.file;

import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory, for tests and for stores that need not last: it knows what would be durable, and
 * can crash, fail and run full.
 *
 * <p>{@link #crash} gives the store as a restarted machine would find it. The promises of {@link
 * FileStore} and no more survive it: synced bytes of files whose names were synced, replacements,
 * renames. A deletion is not promised to be durable, so a crash undoes it unless its directory was
 * synced since, which the first sync of any file in it, and every replacement and rename, does;
 * that also settles the names of files in it that are not synced themselves, which then come back
 * empty.
 *
 * <p>Every call that makes something durable is a <em>sync point</em>. To crash a history at each
 * of them: run it once and ask for {@link #syncPoints}; then run it on new stores with {@link
 * #crashAtSync} 1, 2, …, and look at what each {@link #crash} left.
 *
 * <pre>{@code
 * MemoryFileStore store = new MemoryFileStore();
 * store.crashAtSync(7);
 * assertThatThrownBy(() -> history.run(store)).isInstanceOf(IOException.class);
 * history.check(store.crash(CrashMode.tornTails(seed, CrashMode.Tail.GARBAGE)));
 * }</pre>
 */
public final class MemoryFileStore implements FileStore {
  private final Clock clock;

  /** The time of every directory, none of which has one of its own. */
  private final Instant opened;

  private final StoreFaults faults = new StoreFaults();

  /** Guards all fields below, and the contents of the files but for reads. */
  private final ReentrantLock lock = new ReentrantLock();

  private final MemoryNames names;
  private long capacity = Long.MAX_VALUE;
  private long syncPoints;
  private long crashAt;

  /** The change of names that was under way when the store crashed: it may have happened. */
  private @Nullable Consumer<MemoryNames> inFlight;

  /** Why no call succeeds any more; null while the store lives. */
  private final AtomicReference<@Nullable String> dead = new AtomicReference<>();

  /** An empty store with the machine's clock. */
  public MemoryFileStore() {
    this(Clock.system());
  }

  /** An empty store that takes its files' times from {@code clock}. */
  public MemoryFileStore(Clock clock) {
    this(clock, new MemoryNames());
  }

  private MemoryFileStore(Clock clock, MemoryNames names) {
    this.clock = clock;
    this.names = names;
    this.opened = now();
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    return change(
        StoreCall.CREATE,
        () -> {
          names.checkPlace(path);
          if (names.exists(path)) {
            throw new FileAlreadyExistsException(path.value());
          }
          MemoryContent content = new MemoryContent(now());
          names.put(path, content);
          return new MemoryWritableFile(this, path, content);
        });
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    return change(
        StoreCall.OPEN, () -> new MemoryReadableFile(this, path, names.file(path, "open")));
  }

  @Override
  public void sync(FilePath path) throws IOException {
    change(
        StoreCall.SYNC,
        () -> {
          MemoryContent content = names.file(path, "sync");
          syncPoint(changed -> changed.settle(path.parent()));
          content.sync();
          return null;
        });
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    MemoryContent fresh = new MemoryContent(content, now());
    change(
        StoreCall.REPLACE,
        () -> {
          names.checkPlace(path);
          if (names.isDirectory(path)) {
            throw new IOException("cannot replace " + path + ": it is a directory");
          }
          // Both are there for a moment.
          checkRoom(path, content.length);
          syncPoint(
              changed -> {
                changed.put(path, fresh);
                changed.settle(path.parent());
              });
          return null;
        });
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    change(
        StoreCall.RENAME,
        () -> {
          MemoryContent content = names.file(from, "rename");
          names.checkPlace(to);
          if (names.exists(to)) {
            throw new FileAlreadyExistsException(to.value());
          }
          syncPoint(
              changed -> {
                changed.put(to, content);
                changed.remove(from);
                changed.settle(to.parent());
                changed.settle(from.parent());
              });
          return null;
        });
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return change(StoreCall.DELETE, () -> names.delete(path));
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    change(
        StoreCall.SYNC,
        () -> {
          syncPoint(changed -> changed.settle(directory));
          return null;
        });
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    return change(StoreCall.STAT, () -> Optional.ofNullable(info(path)));
  }

  @Override
  public List<FileInfo> list(FilePath directory) throws IOException {
    return change(
        StoreCall.LIST,
        () -> {
          List<FileInfo> found = new ArrayList<>();
          for (FilePath child : names.list(directory)) {
            FileInfo info = info(child);
            if (info != null) {
              found.add(info);
            }
          }
          return List.copyOf(found);
        });
  }

  @Override
  public Optional<StoreSpace> space() {
    lock.lock();
    try {
      return capacity == Long.MAX_VALUE
          ? Optional.empty()
          : Optional.of(new StoreSpace(Math.max(0, capacity - names.totalBytes()), capacity));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String describe() {
    return "memory:";
  }

  /** Ends this store; {@link #crash} still gives what it held. */
  @Override
  public void close() {
    dead.compareAndSet(null, "it was closed");
  }

  /**
   * Ends this store, and gives a new one that holds what a crash at this moment leaves. May be
   * called again, to see what another crash at the same moment would have left.
   */
  public MemoryFileStore crash(CrashMode mode) {
    lock.lock();
    try {
      dead.compareAndSet(null, "it crashed");
      return new MemoryFileStore(clock, names.survivor(mode, inFlight));
    } finally {
      lock.unlock();
    }
  }

  /** How many calls of this store so far would have made something durable. */
  public long syncPoints() {
    lock.lock();
    try {
      return syncPoints;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the {@code k}th sync point from now, counted from 1, fail without effect, and every later
   * call with it. Returns its number among all sync points of this store, as {@link #syncPoints}
   * counts them.
   */
  public long crashAtSync(long k) {
    if (k < 1) {
      throw new IllegalArgumentException(
          "cannot crash at sync point " + k + " from now: the next one is 1");
    }
    lock.lock();
    try {
      crashAt = syncPoints + k;
      return crashAt;
    } finally {
      lock.unlock();
    }
  }

  /** How often a call was made so far, failed ones included. */
  public long calls(StoreCall call) {
    return faults.count(call);
  }

  /** Fails the {@code n}th {@code call} from now, counted from 1, without effect. */
  public void failNth(StoreCall call, long n, Supplier<? extends IOException> failure) {
    faults.add(call, n, false, failure);
  }

  /** Fails the {@code n}th {@code call} from now, counted from 1, and all later ones. */
  public void failFrom(StoreCall call, long n, Supplier<? extends IOException> failure) {
    faults.add(call, n, true, failure);
  }

  /** Forgets the failures that were asked for. */
  public void clearFailures() {
    faults.clear();
  }

  /** Bounds the bytes of all files together; a write that passes it is done in part, then fails. */
  public void capacity(long bytes) {
    lock.lock();
    try {
      capacity = bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Flips one bit of a file, counted from 0, as a failing disk would: open readers see it too. */
  public void corrupt(FilePath path, long bitIndex) throws IOException {
    lock.lock();
    try {
      MemoryContent content = names.file(path, "corrupt");
      if (bitIndex < 0 || bitIndex / 8 >= content.length()) {
        throw new IllegalArgumentException(
            "no bit " + bitIndex + " in " + path + " of " + content.length() + " bytes");
      }
      content.flip(bitIndex);
    } finally {
      lock.unlock();
    }
  }

  /** Cuts a file to its first {@code length} bytes. */
  public void truncate(FilePath path, long length) throws IOException {
    lock.lock();
    try {
      MemoryContent content = names.file(path, "truncate");
      if (length < 0 || length > content.length()) {
        throw new IllegalArgumentException(
            "cannot cut " + path + " of " + content.length() + " bytes to " + length);
      }
      content.truncate((int) length);
    } finally {
      lock.unlock();
    }
  }

  /** Something done under the store's lock. */
  interface Change<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /** Runs a call of the store or of one of its files. */
  <T extends @Nullable Object> T change(StoreCall call, Change<T> body) throws IOException {
    check(call);
    lock.lock();
    try {
      checkAlive();
      return body.run();
    } finally {
      lock.unlock();
    }
  }

  /** Counts a call that needs no lock. */
  void check(StoreCall call) throws IOException {
    checkAlive();
    faults.check(call);
  }

  private void checkAlive() throws IOException {
    String reason = dead.get();
    if (reason != null) {
      throw new IOException("file store in memory: " + reason);
    }
  }

  /** Applies a change of names that is durable when this returns. Under the lock. */
  void syncPoint(Consumer<MemoryNames> effect) throws IOException {
    syncPoints++;
    if (syncPoints == crashAt) {
      inFlight = effect;
      dead.compareAndSet(null, "it crashed at sync point " + syncPoints);
      checkAlive();
    }
    effect.accept(names);
  }

  /** How many of {@code wanted} more bytes fit. Under the lock. */
  int room(int wanted) {
    return capacity == Long.MAX_VALUE
        ? wanted
        : (int) Math.max(0, Math.min(wanted, capacity - names.totalBytes()));
  }

  /** Refuses bytes that do not fit. Under the lock. */
  void checkRoom(FilePath path, long wanted) throws IOException {
    long used = names.totalBytes();
    if (wanted > capacity - used) {
      throw new IOException(
          "no space left for "
              + wanted
              + " bytes of "
              + path
              + ": "
              + used
              + " of "
              + capacity
              + " bytes are in use");
    }
  }

  final Instant now() {
    return Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS);
  }

  private @Nullable FileInfo info(FilePath path) {
    if (names.isDirectory(path)) {
      return new FileInfo(path, true, 0, opened);
    }
    MemoryContent content = names.find(path);
    return content == null ? null : new FileInfo(path, false, content.length(), content.modified());
  }
}
