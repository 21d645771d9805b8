package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import java.util.Optional;

/**
 * Where a tablet is.
 *
 * @param first the row before its first; empty for the first tablet
 * @param last its last row; none for the last tablet
 * @param address of its server; empty if none has it at the moment
 */
public record TabletLocation(Bytes first, Optional<Bytes> last, String address) {
  /** In place of an address: all of the table is at the server that answers, however reached. */
  public static final String HERE = ".";

  public boolean holds(Bytes row) {
    return (first.isEmpty() || first.compareTo(row) < 0)
        && (last.isEmpty() || last.get().compareTo(row) >= 0);
  }
}
