package io.stele.base.file;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which names a {@link MemoryFileStore} holds, now and after a crash. Under the store's lock.
 *
 * <p>A directory's names become durable together, when {@link #settle} is called for it.
 */
final class MemoryNames {
  private final TreeMap<FilePath, MemoryContent> live = new TreeMap<>();

  /** Invariant: every directory that a live file lies in is in here; the root always. */
  private final TreeSet<FilePath> directories = new TreeSet<>();

  /** What a crash finds. */
  private final TreeMap<FilePath, MemoryContent> durable = new TreeMap<>();

  /**
   * By directory, the names that may not be durable as they are. Invariant: every other name stands
   * for the same content in {@code live} and in {@code durable}.
   */
  private final Map<FilePath, Set<FilePath>> unsettled = new HashMap<>();

  MemoryNames() {
    directories.add(FilePath.ROOT);
  }

  boolean exists(FilePath path) {
    return live.containsKey(path) || directories.contains(path);
  }

  boolean isDirectory(FilePath path) {
    return directories.contains(path);
  }

  /** The content of a file that must exist. */
  MemoryContent file(FilePath path, String purpose) throws IOException {
    MemoryContent content = find(path);
    if (content != null) {
      return content;
    }
    if (directories.contains(path)) {
      throw new IOException("cannot " + purpose + " " + path + ": it is a directory");
    }
    throw new NoSuchFileException(path.value());
  }

  @Nullable MemoryContent find(FilePath path) {
    return live.get(path);
  }

  /** Refuses a path that would lie in a file. */
  void checkPlace(FilePath path) throws NotDirectoryException {
    if (!hasPlace(path)) {
      throw new NotDirectoryException(path.parent().value());
    }
  }

  private boolean hasPlace(FilePath path) {
    for (FilePath above = path; !above.equals(FilePath.ROOT); ) {
      above = above.parent();
      if (live.containsKey(above)) {
        return false;
      }
    }
    return true;
  }

  void put(FilePath path, MemoryContent content) {
    live.put(path, content);
    changed(path);
    for (FilePath above = path; !above.equals(FilePath.ROOT); ) {
      above = above.parent();
      directories.add(above);
    }
  }

  void remove(FilePath path) {
    live.remove(path);
    changed(path);
  }

  private void changed(FilePath path) {
    unsettled.computeIfAbsent(path.parent(), _ -> new HashSet<>()).add(path);
  }

  boolean delete(FilePath path) throws IOException {
    if (path.equals(FilePath.ROOT)) {
      throw new IOException("cannot delete the root of a store");
    }
    if (!directories.contains(path)) {
      changed(path);
      return live.remove(path) != null;
    }
    if (!list(path).isEmpty()) {
      throw new DirectoryNotEmptyException(path.value());
    }
    return directories.remove(path);
  }

  /** The paths directly in a directory, in order. */
  List<FilePath> list(FilePath directory) throws NotDirectoryException {
    if (live.containsKey(directory)) {
      throw new NotDirectoryException(directory.value());
    }
    TreeSet<FilePath> found = new TreeSet<>(liesIn(directory, live.navigableKeySet()));
    found.addAll(liesIn(directory, directories));
    return List.copyOf(found);
  }

  long totalBytes() {
    return live.values().stream().mapToLong(MemoryContent::length).sum();
  }

  /** Makes a directory durable: the names that are in it, and that others are not. */
  void settle(FilePath directory) {
    Set<FilePath> paths = unsettled.remove(directory);
    for (FilePath path : paths == null ? Set.<FilePath>of() : paths) {
      MemoryContent content = live.get(path);
      if (content == null) {
        durable.remove(path);
      } else {
        durable.put(path, content);
      }
    }
    // What is a directory now is durable as one: a deleted file of that name cannot come back.
    for (FilePath above = directory; !above.equals(FilePath.ROOT); above = above.parent()) {
      durable.remove(above);
    }
  }

  /**
   * What a crash leaves.
   *
   * @param inFlight the change that was under way, which a random crash may find done
   */
  MemoryNames survivor(CrashMode mode, @Nullable Consumer<MemoryNames> inFlight) {
    if (mode.unsynced() == CrashMode.Unsynced.KEPT) {
      return afterKill();
    }
    SplittableRandom random = new SplittableRandom(mode.seed());
    MemoryNames found = copy();
    if (inFlight != null && mode.random() && random.nextBoolean()) {
      inFlight.accept(found);
    }
    MemoryNames result = new MemoryNames();
    TreeSet<FilePath> candidates = new TreeSet<>(found.live.keySet());
    candidates.addAll(found.durable.keySet());
    for (FilePath path : candidates) {
      MemoryContent content = found.choose(path, mode, random);
      if (content != null && result.hasPlace(path)) {
        result.put(path, content.survivor(mode, random));
      }
    }
    result.durable.putAll(result.live);
    result.unsettled.clear();
    return result;
  }

  private @Nullable MemoryContent choose(FilePath path, CrashMode mode, SplittableRandom random) {
    MemoryContent settled = durable.get(path);
    MemoryContent newest = live.get(path);
    if (settled == newest) {
      return settled;
    }
    return mode.random() && random.nextBoolean() ? newest : settled;
  }

  /** All that is there, no more durable than before: the power may still fail. */
  private MemoryNames afterKill() {
    Map<MemoryContent, MemoryContent> copies = new HashMap<>();
    MemoryNames result = copy();
    result.live.replaceAll((path, file) -> copies.computeIfAbsent(file, MemoryContent::copy));
    result.durable.replaceAll((path, file) -> copies.computeIfAbsent(file, MemoryContent::copy));
    return result;
  }

  private MemoryNames copy() {
    MemoryNames copy = new MemoryNames();
    copy.live.putAll(live);
    copy.directories.addAll(directories);
    copy.durable.putAll(durable);
    unsettled.forEach((directory, paths) -> copy.unsettled.put(directory, new HashSet<>(paths)));
    return copy;
  }

  private static List<FilePath> liesIn(FilePath directory, NavigableSet<FilePath> paths) {
    List<FilePath> found = new ArrayList<>();
    String prefix = directory.equals(FilePath.ROOT) ? "" : directory.value() + "/";
    // No name starts below a space, so this is where the directory's own names begin.
    for (FilePath path : paths.tailSet(directory.resolve(" "), true)) {
      if (!path.value().startsWith(prefix)) {
        break;
      }
      if (path.parent().equals(directory)) {
        found.add(path);
      }
    }
    return found;
  }
}
