package io.stele.gateway.bigtable.read;

import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.ReadRowsResponse.CellChunk;
import com.google.bigtable.v2.RequestStats;
import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.StringValue;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.cell.CellView;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes cells as chunks.
 *
 * <pre>
 *   row_key    of a row's first chunk only
 *   family     where it is another than the cell's before, or the row is new
 *   qualifier  likewise, and wherever there is a family
 *   timestamp, labels   of a cell's first chunk only
 *   value      in pieces if it is long: all but the last have value_size, the length of the whole
 *   commit_row of a row's last chunk
 * </pre>
 *
 * <p>Which chunk is a row's last is known only when the row ends, so one is always held back. Bytes
 * of cells are not copied: they belong to pages, which nobody changes.
 */
final class ChunkWriter {
  private static final int FIRST_MESSAGE_BYTES = 32 << 10;
  private static final int PIECE_BYTES = 1 << 20;
  private static final int CHUNK_OVERHEAD = 24;

  private final Consumer<ReadRowsResponse> out;
  private final int pieceBytes;
  private int messageBytes;
  private ReadRowsResponse.Builder message = ReadRowsResponse.newBuilder();
  private int bytes;
  private CellChunk.@Nullable Builder held;
  private final CellView previous = new CellView(); // the cell before, if the row is begun
  private boolean inRow;
  private @Nullable StringValue family; // of the cell before, of whichever row

  ChunkWriter(Consumer<ReadRowsResponse> out) {
    this(out, PIECE_BYTES);
  }

  /**
   * Writes messages that begin small, for those who want little, and double.
   *
   * @param pieceBytes the most of a value in a chunk, and about the most of all in a message
   */
  ChunkWriter(Consumer<ReadRowsResponse> out, int pieceBytes) {
    this.out = out;
    this.pieceBytes = pieceBytes;
    this.messageBytes = Math.min(FIRST_MESSAGE_BYTES, pieceBytes);
  }

  /** The next cell of the row. */
  void cell(CellView cell, boolean stripped, String label) {
    release();
    CellChunk.Builder chunk = CellChunk.newBuilder();
    boolean sameFamily = family != null && cell.sameFamily(previous);
    if (!sameFamily) {
      family = StringValue.of(text(cell.familyArray, cell.familyOffset, cell.familyLength));
    }
    if (!inRow) {
      chunk.setRowKey(wrap(cell.rowArray, cell.rowOffset, cell.rowLength));
      bytes += cell.rowLength;
    }
    if (!inRow || !sameFamily) {
      chunk.setFamilyName(family);
      bytes += cell.familyLength;
    }
    if (!inRow || !sameFamily || !cell.sameQualifier(previous)) {
      chunk.setQualifier(
          BytesValue.of(wrap(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength)));
      bytes += cell.qualifierLength;
    }
    chunk.setTimestampMicros(cell.timestamp);
    if (!label.isEmpty()) {
      chunk.addLabels(label);
    }
    value(chunk, cell.valueArray, cell.valueOffset, stripped ? 0 : cell.valueLength);
    previous.pointTo(cell);
    inRow = true;
  }

  private void value(CellChunk.Builder first, byte[] array, int offset, int length) {
    CellChunk.Builder chunk = first;
    int from = 0;
    while (length - from > pieceBytes) {
      held = chunk.setValue(wrap(array, offset + from, pieceBytes)).setValueSize(length);
      bytes += pieceBytes;
      release();
      chunk = CellChunk.newBuilder();
      from += pieceBytes;
    }
    held = chunk.setValue(wrap(array, offset + from, length - from));
    bytes += length - from + CHUNK_OVERHEAD;
  }

  boolean inRow() {
    return inRow;
  }

  /** The row is complete. */
  void commitRow() {
    if (held != null) {
      held.setCommitRow(true);
    }
    inRow = false;
    release();
  }

  private void release() {
    if (held != null) {
      message.addChunks(held);
      held = null;
      if (bytes >= messageBytes) {
        flush();
        messageBytes = Math.min(pieceBytes, messageBytes * 2);
      }
    }
  }

  /** Sends what is there, but for the chunk that may be a row's last. */
  void flush() {
    if (message.getChunksCount() > 0) {
      send();
    }
  }

  /** Tells that rows up to this one had nothing to send. Not within a row. */
  void scanned(byte[] row, int offset, int length) {
    flush();
    message.setLastScannedRowKey(wrap(row, offset, length));
    send();
  }

  void stats(RequestStats stats) {
    message.setRequestStats(stats);
    send();
  }

  private void send() {
    ReadRowsResponse built = message.build();
    message = ReadRowsResponse.newBuilder();
    bytes = 0;
    out.accept(built);
  }

  private static ByteString wrap(byte[] array, int offset, int length) {
    return length == 0 ? ByteString.EMPTY : UnsafeByteOperations.unsafeWrap(array, offset, length);
  }

  private static String text(byte[] array, int offset, int length) {
    return new String(array, offset, length, StandardCharsets.UTF_8);
  }
}
