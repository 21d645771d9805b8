package io.stele.gateway.bigtable.data;

import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.ReadRowsResponse.CellChunk;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts rows together from chunks as a strict client does: what breaks a rule is refused. */
public final class RowAssembler {
  /** A cell as a client sees it. */
  public record ReadCell(
      ByteString row,
      String family,
      ByteString qualifier,
      long timestamp,
      ByteString value,
      List<String> labels) {
    @Override
    public String toString() {
      return row.toStringUtf8()
          + "/"
          + family
          + ":"
          + qualifier.toStringUtf8()
          + "@"
          + timestamp
          + "="
          + value.toStringUtf8()
          + labels;
    }
  }

  private static final Comparator<ByteString> ORDER =
      ByteString.unsignedLexicographicalComparator();

  private final boolean reversed;
  private final List<ReadCell> committed = new ArrayList<>();
  private final List<ReadCell> row = new ArrayList<>();
  private @Nullable ByteString lastRow;
  private @Nullable ByteString rowKey;
  private @Nullable String family;
  private @Nullable ByteString qualifier;
  private @Nullable CellChunk first; // of a value that has more pieces
  private ByteString value = ByteString.EMPTY;
  private int rows;

  public RowAssembler(boolean reversed) {
    this.reversed = reversed;
  }

  public void add(ReadRowsResponse response) {
    response.getChunksList().forEach(this::add);
    if (!response.getLastScannedRowKey().isEmpty()) {
      check(rowKey == null, "last_scanned_row_key within a row");
      checkOrder(response.getLastScannedRowKey());
      lastRow = response.getLastScannedRowKey();
    }
  }

  private void add(CellChunk chunk) {
    if (chunk.getResetRow()) {
      check(rowKey != null, "reset outside of a row");
      check(
          chunk.equals(CellChunk.newBuilder().setResetRow(true).build()), "data beside reset_row");
      row.clear();
      endRow();
      return;
    }
    if (rowKey == null) {
      startRow(chunk);
    } else {
      check(
          chunk.getRowKey().isEmpty() || chunk.getRowKey().equals(rowKey),
          "another row before the commit");
    }
    if (first == null) {
      startCell(chunk);
    } else {
      check(
          !chunk.hasFamilyName() && !chunk.hasQualifier() && chunk.getTimestampMicros() == 0,
          "a new cell within a value");
    }
    addValue(chunk);
    if (chunk.getCommitRow()) {
      check(first == null, "commit within a value");
      committed.addAll(row);
      row.clear();
      lastRow = rowKey;
      rows++;
      endRow();
    }
  }

  private void startRow(CellChunk chunk) {
    check(!chunk.getRowKey().isEmpty(), "no row key");
    check(chunk.hasFamilyName() && chunk.hasQualifier(), "a row that begins without a column");
    checkOrder(chunk.getRowKey());
    rowKey = chunk.getRowKey();
  }

  private void checkOrder(ByteString key) {
    if (lastRow != null) {
      int order = ORDER.compare(lastRow, key);
      check(reversed ? order > 0 : order < 0, "rows out of order");
    }
  }

  private void startCell(CellChunk chunk) {
    if (chunk.hasFamilyName()) {
      check(chunk.hasQualifier(), "a new family without a qualifier");
      family = chunk.getFamilyName().getValue();
    }
    if (chunk.hasQualifier()) {
      check(family != null, "a qualifier without a family");
      qualifier = chunk.getQualifier().getValue();
    }
    first = chunk;
    value = ByteString.EMPTY;
  }

  private void addValue(CellChunk chunk) {
    value = value.concat(chunk.getValue());
    if (chunk.getValueSize() > 0) {
      check(!chunk.getCommitRow(), "commit before the value's end");
      return;
    }
    CellChunk begun = first;
    check(begun.getValueSize() == 0 || begun.getValueSize() == value.size(), "another length");
    row.add(
        new ReadCell(
            rowKey, family, qualifier, begun.getTimestampMicros(), value, begun.getLabelsList()));
    first = null;
  }

  private void endRow() {
    rowKey = null;
    family = null;
    qualifier = null;
    first = null;
  }

  /** What was committed, once the stream has ended. */
  public List<ReadCell> finish() {
    check(rowKey == null, "the stream ends within a row");
    return committed;
  }

  /** What was committed so far. */
  public List<ReadCell> committed() {
    return List.copyOf(committed);
  }

  public int rows() {
    return rows;
  }

  private static void check(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalStateException(problem);
    }
  }
}
