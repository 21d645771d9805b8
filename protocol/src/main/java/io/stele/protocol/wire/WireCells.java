package io.stele.protocol.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.CellPage;
import io.stele.protocol.v1.TablePage;
import java.util.Optional;

/** Bytes and packed cells on the wire. Arrays are shared where nobody writes to them any more. */
public final class WireCells {
  private static final int TXN_AT = 8; // see CellBatch

  private WireCells() {}

  public static ByteString toWire(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.sharedArray());
  }

  public static Bytes bytes(ByteString wire) {
    return wire.isEmpty() ? Bytes.EMPTY : Bytes.wrap(wire.toByteArray());
  }

  /** The packed cells without the transaction that committed them, if any did. */
  public static ByteString toWire(CellBatch cells) {
    if (cells.txn() == 0) {
      return UnsafeByteOperations.unsafeWrap(cells.array(), cells.offset(), cells.length());
    }
    byte[] copy = cells.toArray();
    Binary.putLong(copy, TXN_AT, 0);
    return UnsafeByteOperations.unsafeWrap(copy);
  }

  /** Checks every byte: whoever sent them is not trusted. */
  public static CellBatch cells(ByteString wire) {
    if (wire.size() > WireLimits.MAX_BATCH_BYTES) {
      throw new InvalidRequestException(
          "cell batch of "
              + wire.size()
              + " bytes: at most "
              + WireLimits.MAX_BATCH_BYTES
              + " can be sent at once");
    }
    return CellBatch.parse(wire.toByteArray());
  }

  /** Sent as they are: the transaction in them does no harm. */
  public static TablePage toWire(CellPage page) {
    TablePage.Builder wire = TablePage.newBuilder().setTxn(page.txn()).setMore(page.more());
    page.cells()
        .ifPresent(
            cells ->
                wire.setCells(
                    UnsafeByteOperations.unsafeWrap(
                        cells.array(), cells.offset(), cells.length())));
    return wire.build();
  }

  public static CellPage page(TablePage wire) {
    return new CellPage(
        wire.getTxn(),
        wire.hasCells() ? Optional.of(answered(wire.getCells())) : Optional.empty(),
        wire.getMore());
  }

  /** Cells of an answer, which may name the transaction that they are of. */
  private static CellBatch answered(ByteString wire) {
    byte[] cells = wire.toByteArray();
    if (cells.length < TXN_AT + Long.BYTES) {
      return CellBatch.parse(cells); // which tells what is wrong with them
    }
    long txn = Binary.getLong(cells, TXN_AT);
    Binary.putLong(cells, TXN_AT, 0);
    CellBatch batch = CellBatch.parse(cells);
    return txn == 0 ? batch : batch.committed(txn);
  }
}
