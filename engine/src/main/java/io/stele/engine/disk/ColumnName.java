package io.stele.engine.disk;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;

/** A family and a qualifier, as a key of a block's list of columns. */
record ColumnName(Bytes family, Bytes qualifier) {
  /** No cell's: only a row erasure has no family, and then it has no qualifier either. */
  static final ColumnName NONE = new ColumnName(Bytes.EMPTY, Bytes.utf8("none"));

  static ColumnName of(CellView cell) {
    return new ColumnName(cell.family(), cell.qualifier());
  }

  boolean names(CellView cell) {
    return family.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) == 0
        && qualifier.compareTo(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength)
            == 0;
  }

  void putTo(ByteBuilder out) {
    out.putSized(family).putSized(qualifier);
  }
}
