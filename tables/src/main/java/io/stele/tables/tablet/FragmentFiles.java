package io.stele.tables.tablet;

import io.stele.base.file.FilePath;
import java.util.HashSet;
import java.util.Set;

/**
 * Names for new fragment files: {@code fragments/SERVER/NUMBER.frag}, where SERVER is the number of
 * this run of the server, so that no two files ever have the same name. It remembers which of them
 * no configuration can name yet.
 */
public final class FragmentFiles {
  public static final FilePath ROOT = FilePath.of("fragments");

  private final FilePath directory;
  private long next = 1; // guarded by this
  private final Set<FilePath> pending = new HashSet<>(); // guarded by this

  public FragmentFiles(String server) {
    this.directory = ROOT.resolve(server);
  }

  /** A name for a file that is about to be written; to be given back by {@link #settled}. */
  public synchronized FilePath create() {
    FilePath path = directory.resolve("%010d.frag".formatted(next++));
    pending.add(path);
    return path;
  }

  /** The file is named by a configuration now, or was given up. */
  public synchronized void settled(FilePath path) {
    pending.remove(path);
  }

  /** Soon to be referenced: not to be deleted though no configuration names them. */
  public synchronized Set<FilePath> pending() {
    return Set.copyOf(pending);
  }
}
