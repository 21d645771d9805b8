package io.stele.metastore.state;

import io.stele.base.cell.CellView;
import io.stele.engine.merge.History;

/**
 * Which {@link Rows} are history, for the engine: versions of keys, and the keys that a revision
 * changed. Since cluster version 3 the engine drops of them what is below the floor, on each member
 * when it happens to rewrite a file. So what lies below the floor is not part of the state: who
 * looks at all of it does so by {@link ReadableCells}.
 */
final class StoredHistory implements History {
  static final StoredHistory ALL = new StoredHistory();

  private StoredHistory() {}

  @Override
  public Part part(CellView put) {
    if (Rows.isVersion(put)) {
      if (StoredVersion.isDeletion(put)) {
        return Part.DELETION;
      }
      return StoredVersion.isFirst(put) ? Part.FIRST : Part.NEXT;
    }
    return Rows.isChange(put) ? Part.NOTE : Part.NONE;
  }

  @Override
  public long change(CellView put) {
    return Rows.isVersion(put) ? put.timestamp : Rows.numberOf(put);
  }
}
