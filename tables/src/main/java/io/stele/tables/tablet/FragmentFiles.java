package io.stele.tables.tablet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.file.FilePath;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Names for new fragment files: {@code fragments/SERVER/NUMBER.frag}, where SERVER is the number of
 * this run of the server, so that no two files ever have the same name. It remembers which of them
 * no configuration can name yet.
 */
public final class FragmentFiles {
  public static final FilePath ROOT = FilePath.of("fragments");

  private final FilePath directory;

  @GuardedBy("this")
  private long next = 1;

  @GuardedBy("this")
  private final Set<FilePath> pending = new HashSet<>();

  @GuardedBy("this")
  private final Map<FilePath, Integer> pinned = new HashMap<>(); // how often

  public FragmentFiles(String server) {
    this.directory = ROOT.resolve(server);
  }

  /** A name for a file that is about to be written; to be given back by {@link #settled}. */
  public synchronized FilePath create() {
    FilePath path = path(next++);
    pending.add(path);
    return path;
  }

  private FilePath path(long number) {
    return directory.resolve("%010d.frag".formatted(number));
  }

  /** What must stay of this run's files, whatever META says. */
  public synchronized Range unsettled() {
    return new Range(pending.stream().min(FilePath::compareTo), path(next));
  }

  /**
   * Files that may yet be named in META: the oldest under way and all later ones.
   *
   * @param oldest none if none is under way
   * @param next the one that is made next
   */
  public record Range(Optional<FilePath> oldest, FilePath next) {}

  /** The file is named by a configuration now, or was given up. */
  public synchronized void settled(FilePath path) {
    pending.remove(path);
  }

  /** Keeps files that a tablet has, and that a table to be made will name. */
  public synchronized void pin(Collection<FilePath> paths) {
    paths.forEach(path -> pinned.merge(path, 1, Integer::sum));
  }

  /** META names them in the new table too, or it was given up; each as often as it was pinned. */
  public synchronized void unpin(Collection<FilePath> paths) {
    paths.forEach(path -> pinned.computeIfPresent(path, (_, n) -> n == 1 ? null : n - 1));
  }

  public synchronized Set<FilePath> pinned() {
    return Set.copyOf(pinned.keySet());
  }

  /** Soon to be referenced: not to be deleted though no configuration names them. */
  public synchronized Set<FilePath> pending() {
    return Set.copyOf(pending);
  }
}
