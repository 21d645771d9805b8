package io.stele.tables.files;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.StoreSpace;
import io.stele.base.table.StoredFiles.Emptied;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Files that nothing seemed to need, kept for a while in case that was wrong. They lie in the store
 * that they come from, under the time at which they were moved and their old path:
 *
 * <pre>
 *   trash/20261117T221500Z/fragments/s000000000017/0000000042.frag
 * </pre>
 *
 * <p>What does not look like that is left alone. Any number of threads and processes.
 */
public final class Trash {
  static final FilePath ROOT = FilePath.of("trash");

  /** Below this share of free space files are deleted before their time. */
  private static final double LOW_SPACE = 0.10;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final List<FileStore> stores;
  private final Clock clock;
  private final Duration keep;

  /**
   * The trash of a file store and a log store, which may be the same.
   *
   * @param keep how long a file stays, unless space runs low
   */
  public Trash(FileStore files, FileStore logs, Clock clock, Duration keep) {
    this.stores = files.equals(logs) ? List.of(files) : List.of(files, logs);
    this.clock = clock;
    this.keep = keep;
  }

  /**
   * What {@link #tidy} deleted.
   *
   * @param early those that were not old enough, because space ran low
   */
  public record Tidied(Emptied old, Emptied early) {}

  /** A file in the trash: where it is, where it was, and since when. */
  private record Item(FileStore store, FileInfo file, FilePath original, Instant since) {}

  /** Moves files of a store here; those that are gone already are left out. */
  public void add(FileStore store, Collection<FilePath> paths) throws IOException {
    FilePath folder = ROOT.resolve(TIME.format(now()));
    for (FilePath path : paths) {
      try {
        store.rename(path, folder.resolve(path.value()));
      } catch (NoSuchFileException e) {
        // Another collector was quicker.
      }
    }
  }

  private Instant now() {
    return Instant.ofEpochSecond(TimeUnit.MICROSECONDS.toSeconds(clock.micros()));
  }

  /** All files here, oldest first. */
  public List<TrashedFile> list() {
    return attempt(this::items).stream()
        .map(
            item ->
                new TrashedFile(
                    item.original().value(),
                    item.file().length(),
                    TimeUnit.SECONDS.toMicros(item.since().getEpochSecond())))
        .toList();
  }

  private List<Item> items() throws IOException {
    List<Item> found = new ArrayList<>();
    for (FileStore store : stores) {
      for (FileInfo folder : store.list(ROOT)) {
        Optional<Instant> since = time(folder.path().name());
        if (since.isPresent()) {
          for (FileInfo file : below(store, folder.path())) {
            String original = file.path().value().substring(folder.path().value().length() + 1);
            found.add(new Item(store, file, FilePath.of(original), since.get()));
          }
        }
      }
    }
    found.sort(Comparator.comparing(Item::since));
    return found;
  }

  private static Optional<Instant> time(String name) {
    try {
      return Optional.of(TIME.parse(name, Instant::from));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static List<FileInfo> below(FileStore store, FilePath directory) throws IOException {
    List<FileInfo> found = new ArrayList<>();
    for (FileInfo entry : store.list(directory)) {
      if (entry.directory()) {
        found.addAll(below(store, entry.path()));
      } else {
        found.add(entry);
      }
    }
    return found;
  }

  /**
   * Moves files back to where they were.
   *
   * @param path a file, or a directory for all that were in it, such as {@code fragments}
   * @return their paths; where a file is there again already, it stays in the trash
   */
  public List<String> restore(String path) {
    FilePath wanted = FilePath.of(path);
    return attempt(() -> restoreBelow(wanted.value()));
  }

  private List<String> restoreBelow(String wanted) throws IOException {
    List<String> restored = new ArrayList<>();
    for (Item item : items().reversed()) { // of several with one path the newest
      String original = item.original().value();
      if (original.equals(wanted) || original.startsWith(wanted + "/")) {
        try {
          item.store().rename(item.file().path(), item.original());
          restored.add(original);
          prune(item);
        } catch (FileAlreadyExistsException e) {
          // It is there.
        }
      }
    }
    return restored.reversed();
  }

  /** Deletes what is old enough, and then, where space runs low, the oldest of the rest. */
  public Tidied tidy() {
    Emptied old = empty(keep);
    return new Tidied(old, attempt(() -> delete(item -> isLow(item.store()))));
  }

  private static boolean isLow(FileStore store) throws IOException {
    Optional<StoreSpace> space = store.space();
    return space.isPresent() && space.get().freeBytes() < LOW_SPACE * space.get().totalBytes();
  }

  /** Deletes what has been here for at least so long. */
  public Emptied empty(Duration age) {
    Instant newest = now().minus(age);
    return attempt(() -> delete(item -> !item.since().isAfter(newest)));
  }

  private interface Choice {
    boolean test(Item item) throws IOException;
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  private static <T> T attempt(Work<T> work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw new UnavailableException("the trash cannot be used: " + e, e);
    }
  }

  private Emptied delete(Choice choice) throws IOException {
    int files = 0;
    long bytes = 0;
    for (Item item : items()) {
      if (choice.test(item) && item.store().delete(item.file().path())) {
        files++;
        bytes += item.file().length();
        prune(item);
      }
    }
    return new Emptied(files, bytes);
  }

  /** Deletes the directories that a file was in, as far as they are empty. */
  private static void prune(Item item) throws IOException {
    FilePath at = item.file().path().parent();
    while (!at.equals(ROOT) && item.store().list(at).isEmpty()) {
      item.store().delete(at);
      at = at.parent();
    }
  }
}
