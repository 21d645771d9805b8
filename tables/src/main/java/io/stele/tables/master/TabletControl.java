package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.table.TabletInfo;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.List;
import java.util.Optional;

/**
 * What is asked of one tablet server of a cluster, by the master and by other servers. All methods
 * may take long.
 *
 * <p>Orders carry the master's fencing token: a server that has seen a higher one refuses with
 * {@code Fenced}. That alone keeps nothing safe; what does is that META takes a tablet's
 * configuration only from who has it, or from who takes it over from what it read.
 */
public interface TabletControl {
  /**
   * Serves tablets: reads their configurations, replays what their last server left in its log, and
   * takes them over in META. Those that are here already are {@code done}.
   *
   * @return in the order of the tablets
   */
  List<TabletOutcome> load(long token, List<TabletKey> tablets);

  /** Writes what tablets have in memory to files and gives them up in META. */
  List<TabletOutcome> unload(long token, List<TabletKey> tablets);

  /** Joins a tablet with the one behind it; both must be here. */
  void join(long token, TabletKey lower);

  /** Splits a tablet; by size where no row is given. Answers the row. */
  Bytes split(long token, TabletKey tablet, Optional<Bytes> row);

  /** Puts the schema into force that META has; nothing if no tablet of the table is here. */
  void reloadSchema(long token, String table);

  /** Empties the tablets of a table that are here. */
  void truncate(long token, String table);

  /**
   * Writes the memory of a table's tablets that are here to files, as it is at one moment.
   *
   * @return those tablets as they are then, without an owner; of each row the files have all that
   *     was committed until that moment, and nothing later
   */
  List<TabletConfig> snapshot(long token, String table);

  /** Writes the memory of a table's tablets that are here to files. */
  void flush(String table);

  /** Merges the files of a table's tablets that are here. */
  void compact(String table);

  /** The tablets of a table that are here. */
  List<TabletInfo> tablets(String table);

  /**
   * Commits cells to the tablets of a META table that are here: all of them or, if one is not,
   * nothing. Returns when they are durable. See {@link io.stele.tables.meta.MetaAccess#apply}.
   */
  long applyMeta(String metaTable, CellBatch cells, long commitMaxTxn);

  /** What it has and needs at this moment. */
  ServerReport report();
}
