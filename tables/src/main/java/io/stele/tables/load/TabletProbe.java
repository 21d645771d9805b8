package io.stele.tables.load;

import io.stele.tables.meta.TabletConfig;

/**
 * Finds out whether the server at a tablet's location still serves it: a tablet has one owner, and
 * to load it here as well would make two.
 */
public interface TabletProbe {
  /** For where no other server can be: the files are this server's alone. */
  TabletProbe ALONE = _ -> false;

  boolean isServed(TabletConfig tablet);
}
