package io.stele.tables.compact;

import io.stele.base.file.FilePath;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.tablet.TabletView;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** How much of its files is a tablet's. */
public final class TabletSize {
  private TabletSize() {}

  /**
   * About how many bytes on disk are of a tablet's rows. The caller has borrowed the view: indexes
   * are read.
   *
   * @return nothing if its files are not open
   */
  public static OptionalLong of(TabletView tablet) {
    if (!tablet.isWarm()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        distinct(tablet).values().stream()
            .mapToLong(fragment -> fragment.bytesIn(tablet.range()))
            .sum());
  }

  /** Each open file once, though several groups may use it after a schema change. */
  static Map<FilePath, DiskFragment> distinct(TabletView tablet) {
    Map<FilePath, DiskFragment> files = new HashMap<>();
    tablet.fragments().forEach(fragment -> files.put(fragment.path(), fragment));
    return files;
  }
}
