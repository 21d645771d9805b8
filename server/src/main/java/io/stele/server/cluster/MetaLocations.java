package io.stele.server.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.table.TabletLocation;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the tablets of META are: META0's one is named by the root, META1's by META0. What was found
 * is kept until somebody finds that it is no longer so. Any number of threads.
 */
final class MetaLocations {
  private final MetaTable meta;
  private final Map<String, List<TabletLocation>> known = new ConcurrentHashMap<>();

  /**
   * Nothing is known yet.
   *
   * @param meta reaches META by what is found here: META1 is looked up in META0, and that in the
   *     root, so it comes to an end
   */
  MetaLocations(MetaTable meta) {
    this.meta = meta;
  }

  /** The address of the server that has a row of a META table, as far as is known. */
  String addressOf(String metaTable, Bytes row) {
    for (TabletLocation tablet : known(metaTable)) {
      if (tablet.holds(row)) {
        if (tablet.address().isEmpty()) {
          break;
        }
        return tablet.address();
      }
    }
    throw new NotServingException(
        "no server has the tablet of %s with %s at the moment"
            .formatted(metaTable, MetaRows.describe(row)));
  }

  /** What is known of a META table; it is looked up if that is nothing. */
  List<TabletLocation> known(String metaTable) {
    List<TabletLocation> tablets = known.get(metaTable);
    return tablets == null ? look(metaTable) : tablets;
  }

  /** Looks where the tablet with a row is now, and those behind it. */
  List<TabletLocation> look(String metaTable, Bytes row) {
    return look(metaTable).stream().dropWhile(tablet -> isBefore(tablet, row)).toList();
  }

  private static boolean isBefore(TabletLocation tablet, Bytes row) {
    return tablet.last().isPresent() && tablet.last().get().compareTo(row) < 0;
  }

  /** Looks where they are now. */
  List<TabletLocation> look(String metaTable) {
    if (MetaLevel.of(metaTable) == MetaLevel.META1) {
      throw new NotServingException("table \"" + metaTable + "\" is no part of META");
    }
    List<TabletLocation> found =
        meta.tablets(metaTable).stream().map(MetaLocations::location).toList();
    if (found.isEmpty()) {
      throw new NotServingException(
          metaTable.equals(TableNames.META0)
              ? "the cluster has no tables yet: its master makes META when the first server has"
                  + " come"
              : metaTable + " has no tablets yet: the master is about to make one");
    }
    known.put(metaTable, found);
    return found;
  }

  /** What was found of a META table is out of date. */
  void forget(String metaTable) {
    known.remove(metaTable);
  }

  private static TabletLocation location(TabletConfig config) {
    return new TabletLocation(config.first(), config.last(), config.location());
  }
}
