package io.stele.tables.compact;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.RowRange;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many bytes on disk tablets have, also those whose files are closed (cold tablets).
 *
 * <pre>
 *   files open                               the part of its rows, by the indexes of the files
 *   closed, but measured when they were open that number, as long as rows and files are the same
 *   closed                                   the lengths of its files: at most that many
 * </pre>
 *
 * The last number is too high for a tablet that shares files with others, after a split or a flush.
 * So a tablet is small if this class says so; one that it takes for large may not be, and its files
 * are opened once to find out ({@link #measure}). No file is opened to answer {@link #atMost}.
 *
 * <p>Any number of threads.
 */
public final class TabletSizes {
  private record Measured(RowRange rows, List<FilePath> files, long bytes) {}

  private final FileStore store;
  private final Map<FilePath, Long> lengths = new ConcurrentHashMap<>();
  private final Map<Tablet, Measured> measured = Collections.synchronizedMap(new WeakHashMap<>());

  public TabletSizes(FileStore store) {
    this.store = store;
  }

  /**
   * An upper bound of a tablet's bytes. The caller has borrowed the view.
   *
   * @return nothing if one of its files is absent
   */
  public OptionalLong atMost(TabletView tablet) {
    OptionalLong exact = measure(tablet);
    if (exact.isPresent()) {
      return exact;
    }
    Measured before = measured.get(tablet.tablet());
    if (before != null
        && before.rows().equals(tablet.range())
        && before.files().equals(tablet.paths())) {
      return OptionalLong.of(before.bytes());
    }
    long sum = 0;
    for (FilePath path : tablet.paths()) {
      Optional<Long> length = length(path);
      if (length.isEmpty()) {
        return OptionalLong.empty();
      }
      sum += length.get();
    }
    return OptionalLong.of(sum);
  }

  /** A tablet's bytes, to be remembered; nothing if its files are closed. */
  OptionalLong measure(TabletView tablet) {
    OptionalLong exact = TabletSize.of(tablet);
    exact.ifPresent(
        bytes ->
            measured.put(tablet.tablet(), new Measured(tablet.range(), tablet.paths(), bytes)));
    return exact;
  }

  /** The length of a file; nothing if it is absent. Files never change, so it is asked once. */
  private Optional<Long> length(FilePath path) {
    Long known = lengths.get(path);
    if (known != null) {
      return Optional.of(known);
    }
    try {
      Optional<Long> found = store.stat(path).map(FileInfo::length);
      found.ifPresent(length -> lengths.put(path, length));
      return found;
    } catch (IOException e) {
      throw new UnavailableException("file " + path + " cannot be looked at: " + e, e);
    }
  }

  /** Forgets all files but these. */
  public void keepOnly(Set<FilePath> named) {
    lengths.keySet().retainAll(named);
  }
}
