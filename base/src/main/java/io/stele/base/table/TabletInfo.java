package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import java.util.List;
import java.util.Optional;

/**
 * One tablet, for people and tools.
 *
 * @param first the row before its first; empty for the first tablet
 * @param last its last row; none for the last tablet
 * @param state its number in the life of a tablet, 0 to 7, and its name
 * @param location the server's address; empty if there is none
 * @param memoryBytes of the whole table on that server, since its tablets there share the memory
 * @param files of all groups
 */
public record TabletInfo(
    String table,
    Bytes first,
    Optional<Bytes> last,
    int state,
    String stateName,
    String location,
    long memoryBytes,
    long fileBytes,
    List<FileInfo> files) {

  /** A file in the chain of a group; families are those that count, none for all. */
  public record FileInfo(String group, String path, long bytes, List<String> families) {}

  public RowRange range() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }
}
