package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;

/**
 * Cells to be committed together, in the line format: what clients send and servers check.
 *
 * <pre>
 *   batch  := magic "SCB1"(4) cellCount(4) txn(8) cell*       (little-endian; cell: PackedCells)
 * </pre>
 *
 * The transaction number is zero until the batch is committed; then it is put in place, and the
 * same bytes are the record of the commit log.
 *
 * <p>The format is untrusted: {@link #parse} takes any bytes, never reads outside of them, and
 * answers either with a batch that obeys every rule (limits, kinds, strictly ascending order) or
 * with an {@link InvalidRequestException} that names the byte at fault. Everything behind it, the
 * mem fragment and the log record, then trusts the batch and copies its bytes as they are.
 */
public final class CellBatch {
  static final int MAGIC = 'S' | 'C' << 8 | 'B' << 16 | '1' << 24;

  /** Bytes before the first cell. */
  public static final int HEADER = 16;

  private static final int TXN_AT = 8;

  /** The most bytes one batch may have. */
  public static final int MAX_BYTES = 1 << 28;

  /** Walks the cells of a batch from first to last. */
  public interface Reader {
    boolean next();

    /** The same object for the life of the reader. */
    CellView cell();
  }

  private final byte[] array;
  private final int offset;
  private final int length;

  /** For bytes that are known to obey the rules. */
  CellBatch(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /** Checks bytes from outside. The array is kept, not copied: do not change it afterwards. */
  public static CellBatch parse(byte[] array, int offset, int length) {
    if (offset < 0 || length < 0 || length > array.length - offset) {
      throw new InvalidRequestException(
          "cell batch at " + offset + "+" + length + " of an array of " + array.length + " bytes");
    }
    try {
      new CellBatchVerifier(new ByteReader(array, offset, length), array).verify();
    } catch (Malformed e) {
      throw new InvalidRequestException("cell batch: " + e.getMessage(), e);
    }
    return new CellBatch(array, offset, length);
  }

  public static CellBatch parse(byte[] array) {
    return parse(array, 0, array.length);
  }

  public int cellCount() {
    return Binary.getInt(array, offset + 4);
  }

  /** The encoded batch, at {@link #offset} and {@link #length}; not to be changed. */
  public byte[] array() {
    return array;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  public byte[] toArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }

  /** The transaction that committed it; 0 before. */
  public long txn() {
    return Binary.getLong(array, offset + TXN_AT);
  }

  /**
   * This batch as committed by a transaction: itself, if it was never committed before, or a copy.
   * One thread at a time.
   */
  public CellBatch committed(long txn) {
    CellBatch stamped = this;
    if (txn() != 0) {
      stamped = new CellBatch(toArray(), 0, length);
    }
    Binary.putLong(stamped.array, stamped.offset + TXN_AT, txn);
    return stamped;
  }

  /**
   * Gives the puts that ask for it ({@link Cell#SERVER_TIME}) a timestamp, in place. One thread at
   * a time, and before others see the batch.
   *
   * @throws InvalidRequestException if a column would get the timestamp beside other versions of
   *     its own that are not older: the batch is then as it was
   */
  public void stamp(long micros) {
    PackedCells.stamp(array, offset + HEADER, length - HEADER, micros);
  }

  /** Walks the cells, which carry the batch's transaction. */
  public Reader read() {
    return new PackedCells.Reader(array, offset + HEADER, length - HEADER, txn());
  }

  /**
   * Checks bytes that a server answered: as {@link #parse}, but they carry the transaction at which
   * they were read.
   */
  public static CellBatch parseRead(byte[] array) {
    if (array.length < HEADER) {
      throw new InvalidRequestException(
          "a page of cells of " + array.length + " bytes: must be at least " + HEADER);
    }
    long txn = Binary.getLong(array, TXN_AT);
    Binary.putLong(array, TXN_AT, 0);
    CellBatch batch = parse(array);
    Binary.putLong(array, TXN_AT, txn);
    return batch;
  }

  /** A batch from a log record whose checksum matched; not verified again. */
  public static CellBatch trusted(byte[] array, int offset, int length) {
    return new CellBatch(array, offset, length);
  }
}
