package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import java.util.List;
import java.util.Optional;

/**
 * What can be done with tables as a whole. All methods may take long: call them from threads that
 * may wait. Errors are as in {@link Tables}.
 */
public interface TableAdmin {
  /**
   * Makes a table.
   *
   * @param splits the last rows of its first tablets, ascending; none for one tablet
   * @throws io.stele.base.error.ConflictException if it exists
   */
  void create(String table, TableSchema schema, List<Bytes> splits);

  /** Names in order; META0 and META1 among them only if asked for. */
  List<String> list(boolean withMeta);

  TableSchema schema(String table);

  /** The tablets in the order of their rows, as META has them and as they are loaded. */
  List<TabletInfo> tablets(String table);

  /** Changes the schema, whatever it is now; see the other one. */
  default void alter(String table, TableSchema schema) {
    alter(table, Optional.empty(), schema);
  }

  /**
   * Changes the schema; tablets follow one by one. Returns when all have.
   *
   * @param expected what the schema must be now, for those who made the new one from it: of two who
   *     add a family at once, the second would otherwise drop the first one's
   * @throws io.stele.base.error.ConflictException if it is another
   */
  void alter(String table, Optional<TableSchema> expected, TableSchema schema);

  /** Removes a table and, in time, its files. */
  void drop(String table);

  /**
   * Makes a table that has what another one has now, by naming the same files: no data is copied.
   * Every row is in it as it was at one moment, and all that was acknowledged before. From then on
   * each goes its own way. A crash leaves either no new table or all of it.
   *
   * @param source a tablet table; it is read and written meanwhile
   * @throws io.stele.base.error.ConflictException if the target exists
   */
  void copy(String source, String target);

  /**
   * Splits the tablet that holds a row.
   *
   * @param row the last row of the lower half; empty to let the server choose by size
   * @return the row at which it was split
   * @throws io.stele.base.error.InvalidRequestException if there is no row to split at
   */
  Bytes split(String table, Bytes at, Bytes row);

  /** Joins the tablet that holds a row with the one behind it. */
  void join(String table, Bytes row);

  /** Writes all that is in memory to disk. */
  void flush(String table);

  /** Merges the files of each tablet and group into one. */
  void compact(String table);

  // ---- META

  /** What is wrong with the META rows of a table, or of all if it is empty. */
  List<MetaProblem> verifyMeta(String table);

  /**
   * Repairs what can be repaired by changing one cell.
   *
   * @param apply false to be told only
   * @return every problem, with what was or would be done
   */
  List<MetaProblem> repairMeta(String table, boolean apply);

  // ---- tables apart from META

  /** Serves a table whose configuration is a file; it never moves and never splits. */
  void loadFixedTable(String table, String configFile);

  /** Stops serving all tablets of a table. */
  void unloadTable(String table);

  /** Serves all tablets of a table that META has, again. */
  void loadTable(String table);

  /** From now on META0 is looked for at this address. */
  void setMetaLocation(String address);
}
