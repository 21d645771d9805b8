package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import java.util.List;

/** Finds the servers that tablets are on. Answers may be out of date by the time they are used. */
public interface TabletLocator {
  /**
   * The tablets of a table from the one that holds a row on, in order, without holes.
   *
   * @param most of them; at least one
   * @throws io.stele.base.error.NotFoundException if there is no such table
   */
  List<TabletLocation> locate(String table, Bytes row, int most);
}
