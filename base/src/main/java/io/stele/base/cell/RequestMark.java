package io.stele.base.cell;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.Optional;

/**
 * The name of a request that a client may repeat after a lost answer. It is committed with the
 * change that it names, as a cell of a row of the change, so it is durable exactly if the change
 * is, and goes wherever the row goes: through log, files, splits and moves. A tablet that finds the
 * mark of a request does not carry the request out again.
 *
 * <pre>
 *   row                of the change: the first that more is done to than to erase it, if one is
 *   family             the one byte 0, which no schema can have
 *   qualifier          id: 8 to 64 bytes, different for every request
 *   timestamp          the server's, when it was committed
 *   value              lifetime in seconds(2, big-endian; the highest bit: FIRST) answer
 * </pre>
 *
 * <p>FIRST stands in a request that its client has not sent before: no server can have carried it
 * out, so none has to look for it in the row.
 *
 * <p>Reads pass marks over, erasures do not concern them, and flushes and compactions drop them
 * when their lifetime is over.
 *
 * @param id of the request
 * @param seconds for how long the client may repeat it
 */
public record RequestMark(Bytes id, int seconds) {
  /** Of all marks. Schemas cannot name it: it is a control character. */
  public static final Bytes FAMILY = Bytes.wrap(new byte[] {0});

  /** Above the family of marks and below all others. */
  public static final Bytes NEXT_FAMILY = Bytes.wrap(new byte[] {0, 0});

  public static final int SHORTEST_ID = 8;
  public static final int LONGEST_ID = 64;
  public static final int LONGEST_SECONDS = 3_600;

  private static final int LIFETIME_BYTES = 2;
  private static final int FIRST = 0x80; // in the first byte of the lifetime
  private static final long MICROS = 1_000_000;

  public RequestMark {
    if (id.length() < SHORTEST_ID || id.length() > LONGEST_ID) {
      throw new InvalidRequestException(
          "the id of a request has %d bytes: must be %d to %d"
              .formatted(id.length(), SHORTEST_ID, LONGEST_ID));
    }
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      throw new InvalidRequestException(
          "a request that may be repeated for %d seconds: must be 1 to %d"
              .formatted(seconds, LONGEST_SECONDS));
    }
  }

  /** True of cells that are marks. */
  public static boolean is(CellView cell) {
    return cell.familyLength == 1 && cell.familyArray[cell.familyOffset] == 0;
  }

  /** When the mark that a committed cell holds is of no more use, in microseconds. */
  public static long expiry(CellView cell) {
    return cell.timestamp + seconds(cell) * MICROS;
  }

  private static int seconds(CellView cell) {
    return cell.valueLength < LIFETIME_BYTES
        ? 0
        : ((cell.valueArray[cell.valueOffset] & 0xff & ~FIRST) << 8)
            | (cell.valueArray[cell.valueOffset + 1] & 0xff);
  }

  /** What the request was answered, of a cell that is a mark. */
  public static Bytes answer(CellView cell) {
    return cell.valueLength < LIFETIME_BYTES
        ? Bytes.EMPTY
        : Bytes.copyOf(
            cell.valueArray, cell.valueOffset + LIFETIME_BYTES, cell.valueLength - LIFETIME_BYTES);
  }

  /**
   * A mark and the row that it is in.
   *
   * @param first whether its client has not sent the request before
   */
  public record InRow(Bytes row, RequestMark mark, Bytes answer, boolean first) {}

  /**
   * The mark of a batch. Only erasures of rows come before it.
   *
   * @throws InvalidRequestException if it is not one that may be committed
   */
  public static Optional<InRow> of(CellBatch batch) {
    CellBatch.Reader reader = batch.read();
    CellView cell = reader.cell();
    while (reader.next()) {
      if (is(cell)) {
        if (cell.kind != CellKind.PUT || cell.timestamp != Cell.SERVER_TIME) {
          throw new InvalidRequestException(
              "the mark of a request in row \"%s\": must be a put at the server's time"
                  .formatted(cell.row()));
        }
        RequestMark mark = new RequestMark(cell.qualifier(), seconds(cell));
        boolean first = (cell.valueArray[cell.valueOffset] & FIRST) != 0;
        return Optional.of(new InRow(cell.row(), mark, answer(cell), first));
      }
      if (cell.kind != CellKind.ERASE_ROW) {
        break;
      }
    }
    return Optional.empty();
  }

  /** The mark as a cell of a row. */
  public Cell cell(Bytes row, Bytes answer) {
    return cell(row, answer, false);
  }

  private Cell cell(Bytes row, Bytes answer, boolean first) {
    byte[] value =
        new ByteBuilder(LIFETIME_BYTES + answer.length())
            .putByte((seconds >>> 8) | (first ? FIRST : 0))
            .putByte(seconds)
            .put(answer)
            .toArray();
    return Cell.put(row, FAMILY, id, Cell.SERVER_TIME, Bytes.wrap(value));
  }

  /**
   * A batch with this mark.
   *
   * @param answer what the request is answered, as far as it must be remembered
   */
  public CellBatch mark(CellBatch batch, Bytes answer) {
    return mark(batch, answer, false);
  }

  /** A batch with this mark, for the first attempt; for others see {@link #again}. */
  public CellBatch markFirst(CellBatch batch) {
    return mark(batch, Bytes.EMPTY, true);
  }

  private CellBatch mark(CellBatch batch, Bytes answer, boolean first) {
    CellBatch.Reader reader = batch.read();
    CellView cell = reader.cell();
    CellBatchWriter out = new CellBatchWriter(batch.length() + id.length() + answer.length() + 32);
    boolean marked = false;
    while (reader.next()) {
      if (!marked && cell.kind != CellKind.ERASE_ROW) {
        out.add(cell(cell.row(), answer, first).view());
        marked = true;
      }
      out.add(cell);
    }
    if (!marked) {
      out.add(cell(cell.row(), answer, first).view());
    }
    return out.finish(batch.txn()).orElseThrow();
  }

  /** A batch that is sent again: its mark no longer says that it is the first attempt. */
  public static CellBatch again(CellBatch batch) {
    byte[] array = batch.toArray();
    CellBatch copy = CellBatch.trusted(array, 0, array.length);
    CellBatch.Reader reader = copy.read();
    CellView cell = reader.cell();
    while (reader.next()) {
      if (is(cell) && cell.valueLength >= LIFETIME_BYTES) {
        array[cell.valueOffset] = (byte) (array[cell.valueOffset] & ~FIRST);
        break;
      }
    }
    return copy;
  }

  /** A batch without marks: itself if it has none. */
  public static CellBatch without(CellBatch batch) {
    if (of(batch).isEmpty()) {
      return batch;
    }
    CellBatch.Reader reader = batch.read();
    CellBatchWriter out = new CellBatchWriter(batch.length());
    while (reader.next()) {
      if (!is(reader.cell())) {
        out.add(reader.cell());
      }
    }
    return out.finish(batch.txn())
        .orElseThrow(() -> new InvalidRequestException("a batch with a mark and no change"));
  }
}
