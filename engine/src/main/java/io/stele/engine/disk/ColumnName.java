package io.stele.engine.disk;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.engine.cell.CellView;

/** A family and a qualifier, as a key of a block's list of columns. */
record ColumnName(Bytes family, Bytes qualifier) {
  static final ColumnName NONE = new ColumnName(Bytes.of((byte) 0), Bytes.EMPTY);

  static ColumnName of(CellView cell) {
    return new ColumnName(cell.family(), cell.qualifier());
  }

  boolean names(CellView cell) {
    return this != NONE
        && family.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) == 0
        && qualifier.compareTo(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength)
            == 0;
  }

  void putTo(ByteBuilder out) {
    out.putSized(family).putSized(qualifier);
  }
}
