package io.stele.server.front;

import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocator;

/**
 * Replicated tables as this server has them. The last three methods throw {@code NotServing} as
 * long as it does not serve them yet, or no longer.
 */
public interface ReplicatedKind {
  /** Whether a table is known to be a replicated one; does not wait, and may be out of date. */
  boolean has(String table);

  /**
   * Whether a table is a replicated one, by the metastore.
   *
   * @throws io.stele.base.error.UnavailableException if it cannot be asked
   */
  boolean look(String table);

  Tables rows();

  TableAdmin admin();

  TabletLocator locator();
}
