package io.stele.tables.files;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.RowRange;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import io.stele.tables.meta.MetaVerifier;
import java.io.IOException;
import java.util.function.Predicate;

/** Looks at the files that META names, for those who verify and repair it. */
public final class MetaFiles {
  private final FileStore files;

  public MetaFiles(FileStore files) {
    this.files = files;
  }

  /** A verifier of META that looks at these files. */
  public MetaVerifier verifier(Predicate<String> locationExists) {
    return new MetaVerifier(this::exists, locationExists, this::mayHold);
  }

  private boolean exists(FilePath path) {
    try {
      return files.stat(path).isPresent();
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /** Whether the rows of a fragment, from its first to its last, reach into a range. */
  private boolean mayHold(FilePath path, RowRange rows) {
    if (!exists(path)) {
      return false;
    }
    try (DiskFragment fragment = DiskFragment.open(files, path, new BlockCache(0))) {
      FragmentProperties properties = fragment.properties();
      return rows.intersect(new RowRange(properties.firstRow(), properties.lastRow().successor()))
          .isPresent();
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  private static UnavailableException unreadable(FilePath path, IOException e) {
    return new UnavailableException("file " + path + " cannot be looked at: " + e, e);
  }
}
