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
 *   record := previousTxn(varint) [more] tableLength(varint) table(utf-8) batch
 *   more   := 0(varint) fields(varint) [micros(varint)]     the table's name is never empty, so the
 *                                                           0 cannot be its length
 *   fields := 1 if micros is there                          other bits: written by a newer version
 * </pre>
 *
 * Version 1 had no {@code more}.
 *
 * <p>Transactions of a log need not follow each other without a gap: a server skips those that a
 * tablet brings along from elsewhere. The previous transaction in each record shows that none is
 * missing.
 *
 * @param previousTxn of the record before it, in this file or an earlier one; 0 in the first
 * @param micros no cell in this record or in one before it was given a later time by the server; 0
 *     if that is not known. Cells with a time of the client's own are not meant
 */
public record LogHead(long previousTxn, long micros, Bytes table) {
  private static final int MORE = 0;
  private static final long HAS_MICROS = 1;

  static byte[] encode(long previousTxn, long micros, Bytes table) {
    ByteBuilder out = new ByteBuilder(24 + table.length());
    out.putVarint(previousTxn).putVarint(MORE).putVarint(HAS_MICROS).putVarint(micros);
    return out.putSized(table).toArray();
  }

  /** A record, taken apart; the batch keeps the array. */
  public record Parsed(LogHead head, CellBatch batch) {}

  /** Takes a record apart whose checksum matched. */
  public static Parsed parse(byte[] array, int offset, int length) throws Malformed {
    ByteReader in = new ByteReader(array, offset, length);
    long previous = in.readVarint();
    long micros = 0;
    Bytes table = in.readSized("table");
    if (table.isEmpty()) {
      long fields = in.readVarint();
      if (fields != HAS_MICROS) {
        throw in.malformed("fields " + fields + ", only " + HAS_MICROS + " is known");
      }
      micros = in.readVarint();
      table = in.readSized("table");
    }
    if (in.remaining() < CellBatch.HEADER) {
      throw in.malformed("batch of " + in.remaining() + " bytes, at least " + CellBatch.HEADER);
    }
    return new Parsed(
        new LogHead(previous, micros, table),
        CellBatch.trusted(array, in.position(), in.remaining()));
  }
}
