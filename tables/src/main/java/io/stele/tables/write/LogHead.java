package io.stele.tables.write;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;

/**
 * What stands before a batch in a record of the commit log.
 *
 * <pre>
 *   record := previousTxn(varint) tableLength(varint) table(utf-8) batch
 * </pre>
 *
 * Transactions of a log need not follow each other without a gap: a server skips those that a
 * tablet brings along from elsewhere. The previous transaction in each record shows that none is
 * missing.
 *
 * @param previousTxn of the record before it, in this file or an earlier one; 0 in the first
 */
public record LogHead(long previousTxn, Bytes table) {

  static byte[] encode(long previousTxn, Bytes table) {
    ByteBuilder out = new ByteBuilder(12 + table.length());
    return out.putVarint(previousTxn).putSized(table).toArray();
  }

  /** A record, taken apart; the batch keeps the array. */
  public record Parsed(LogHead head, CellBatch batch) {}

  /** Takes a record apart whose checksum matched. */
  public static Parsed parse(byte[] array, int offset, int length) throws Malformed {
    ByteReader in = new ByteReader(array, offset, length);
    long previous = in.readVarint();
    Bytes table = in.readSized("table");
    if (in.remaining() < CellBatch.HEADER) {
      throw in.malformed("batch of " + in.remaining() + " bytes, at least " + CellBatch.HEADER);
    }
    return new Parsed(
        new LogHead(previous, table), CellBatch.trusted(array, in.position(), in.remaining()));
  }
}
