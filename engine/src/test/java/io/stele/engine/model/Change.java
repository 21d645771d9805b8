package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import java.util.Set;

/** One change, and in plain words what it does to a value that was put before it. */
public sealed interface Change {
  Bytes row();

  /** The engine's form of it. */
  Cell toCell();

  /** Is a value that was put before this change gone after it? */
  boolean removes(Put put);

  /** True if it stays when only some families are left in the table. */
  boolean belongsTo(Set<Bytes> families);

  record Put(Bytes row, Bytes family, Bytes qualifier, long timestamp, Bytes value)
      implements Change {
    private static final int SHOWN = 32;

    @Override
    public Cell toCell() {
      return Cell.put(row, family, qualifier, timestamp, value);
    }

    @Override
    public boolean removes(Put put) {
      return sameColumn(put, row, family, qualifier) && put.timestamp == timestamp;
    }

    @Override
    public boolean belongsTo(Set<Bytes> families) {
      return families.contains(family);
    }

    @Override
    public String toString() {
      String shown = value.length() <= SHOWN ? value.toString() : "(" + value.length() + " bytes)";
      return "put " + row + "/" + family + ":" + qualifier + "@" + timestamp + "=" + shown;
    }
  }

  record EraseCell(Bytes row, Bytes family, Bytes qualifier, long timestamp) implements Change {
    @Override
    public Cell toCell() {
      return Cell.eraseCell(row, family, qualifier, timestamp);
    }

    @Override
    public boolean removes(Put put) {
      return sameColumn(put, row, family, qualifier) && put.timestamp == timestamp;
    }

    @Override
    public boolean belongsTo(Set<Bytes> families) {
      return families.contains(family);
    }
  }

  record EraseColumn(Bytes row, Bytes family, Bytes qualifier, long from, long to)
      implements Change {
    @Override
    public Cell toCell() {
      return Cell.eraseColumn(row, family, qualifier, from, to);
    }

    @Override
    public boolean removes(Put put) {
      return sameColumn(put, row, family, qualifier) && from <= put.timestamp && put.timestamp < to;
    }

    @Override
    public boolean belongsTo(Set<Bytes> families) {
      return families.contains(family);
    }
  }

  record EraseFamily(Bytes row, Bytes family) implements Change {
    @Override
    public Cell toCell() {
      return Cell.eraseFamily(row, family);
    }

    @Override
    public boolean removes(Put put) {
      return put.row.equals(row) && put.family.equals(family);
    }

    @Override
    public boolean belongsTo(Set<Bytes> families) {
      return families.contains(family);
    }
  }

  record EraseRow(Bytes row) implements Change {
    @Override
    public Cell toCell() {
      return Cell.eraseRow(row);
    }

    @Override
    public boolean removes(Put put) {
      return put.row.equals(row);
    }

    @Override
    public boolean belongsTo(Set<Bytes> families) {
      return true;
    }
  }

  private static boolean sameColumn(Put put, Bytes row, Bytes family, Bytes qualifier) {
    return put.row.equals(row) && put.family.equals(family) && put.qualifier.equals(qualifier);
  }
}
