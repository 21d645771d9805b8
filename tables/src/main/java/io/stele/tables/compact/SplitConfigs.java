package io.stele.tables.compact;

import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.Table;
import java.util.List;

/** Saves configurations of several tablets in one step. */
public interface SplitConfigs {
  /**
   * Writes some rows of META and erases others, all or none of them, and returns when that is
   * durable.
   *
   * @param inPlace run as soon as it is durable, before anything else of the table is saved: a save
   *     that waits would tell META of the old rows again. Not run if it fails
   * @throws io.stele.base.error.SteleException if it may not be; META may then have it or not
   */
  void save(Table table, List<TabletConfig> written, List<TabletKey> erased, Runnable inPlace);
}
