package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import java.util.Optional;

/**
 * Names a tablet: what its META row says.
 *
 * @param last its last row; none if it has no end
 */
public record TabletKey(String table, Optional<Bytes> last) implements Comparable<TabletKey> {
  public Bytes metaRow() {
    return MetaRows.tablet(table, last);
  }

  /** In the order of META rows. */
  @Override
  public int compareTo(TabletKey other) {
    return metaRow().compareTo(other.metaRow());
  }

  @Override
  public String toString() {
    return MetaRows.describe(new MetaRows.MetaRow.Tablet(table, last));
  }
}
