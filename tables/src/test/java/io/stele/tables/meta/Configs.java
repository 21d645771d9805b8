package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.file.FilePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tablets of a table {@code t}, written as the seed does: last row, first row. */
final class Configs {
  private Configs() {}

  /** A tablet {@code (last, first..last)} that shares one file with all others. */
  static TabletConfig tablet(String first, String last) {
    return tablet(first, last, "shared");
  }

  /** A tablet with these files; no end if {@code last} is an exclamation mark. */
  static TabletConfig tablet(String first, String last, String... files) {
    List<FragmentRef> chain = new ArrayList<>();
    for (String file : files) {
      chain.add(FragmentRef.whole(FilePath.of("fragments/" + file)));
    }
    SortedMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    fragments.put("default", chain);
    return new TabletConfig(
        "t",
        Bytes.utf8(first),
        last.equals("!") ? Optional.empty() : Optional.of(Bytes.utf8(last)),
        "server:1",
        List.of(new LogRef(FilePath.of("logs/1"), 7)),
        fragments,
        3);
  }

  static TableRows rows(TabletConfig... tablets) {
    return TableRows.of("t", List.of(tablets));
  }

  static List<Cell> puts(CellBatchBuilder builder) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = builder.build().read();
    while (reader.next()) {
      if (reader.cell().kind == CellKind.PUT) {
        cells.add(reader.cell().toCell());
      }
    }
    return cells;
  }

  static List<Cell> puts(TabletConfig config) {
    CellBatchBuilder builder = new CellBatchBuilder();
    TabletCells.save(config, builder);
    return puts(builder);
  }
}
