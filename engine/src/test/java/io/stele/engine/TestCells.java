package io.stele.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.model.Version;
import java.util.ArrayList;
import java.util.List;

/** Short ways to write and read cells in tests. */
public final class TestCells {
  public static final Bytes FAMILY = Bytes.utf8("f");
  public static final Bytes COLUMN = Bytes.utf8("c");

  private TestCells() {}

  public static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  /** One value, in the usual column. */
  public static CellBatch put(String row, long timestamp, String value) {
    return batch(cell(row, timestamp, value));
  }

  public static Cell cell(String row, long timestamp, String value) {
    return Cell.put(bytes(row), FAMILY, COLUMN, timestamp, bytes(value));
  }

  public static CellBatch batch(Cell... cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (Cell cell : cells) {
      batch.add(cell);
    }
    return batch.build();
  }

  /** The newest value of the usual column; empty text if there is none. */
  public static String get(Store store, String row) {
    return store.get(bytes(row), FAMILY, COLUMN).map(Bytes::toUtf8).orElse("");
  }

  /** Everything that a reader sees now. */
  public static List<Version> readAll(Store store) {
    try (Scan scan = store.scan(ReadPredicate.ALL)) {
      return rest(scan);
    }
  }

  /** What is left of a scan. */
  public static List<Version> rest(CellCursor scan) {
    List<Version> found = new ArrayList<>();
    while (scan.next()) {
      found.add(Version.of(scan.cell()));
    }
    return found;
  }

  /** What is left of a scan, as {@code row@timestamp=value}. */
  public static List<String> texts(List<Version> versions) {
    return versions.stream()
        .map(v -> v.row().toUtf8() + "@" + v.timestamp() + "=" + v.value().toUtf8())
        .toList();
  }
}
