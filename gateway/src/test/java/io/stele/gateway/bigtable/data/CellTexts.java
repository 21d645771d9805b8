package io.stele.gateway.bigtable.data;

import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import java.util.ArrayList;
import java.util.List;

/** Cells in words, so that two answers which say the same are equal. */
final class CellTexts {
  private CellTexts() {}

  /** Copies of one cell may come in any order. */
  static List<String> of(List<ReadCell> cells) {
    List<String> texts = new ArrayList<>();
    List<String> same = new ArrayList<>();
    ReadCell previous = null;
    for (ReadCell cell : cells) {
      if (previous == null || !isSame(previous, cell)) {
        same.sort(null);
        texts.addAll(same);
        same.clear();
      }
      same.add(cell.toString());
      previous = cell;
    }
    same.sort(null);
    texts.addAll(same);
    return texts;
  }

  private static boolean isSame(ReadCell a, ReadCell b) {
    return a.row().equals(b.row())
        && a.family().equals(b.family())
        && a.qualifier().equals(b.qualifier())
        && a.timestamp() == b.timestamp();
  }
}
