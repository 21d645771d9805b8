package io.stele.gateway.bigtable.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.Tables;
import io.stele.testkit.table.MemoryTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rows of all sizes from the last to the first, with room for few of them. */
class ReversePagesTest {
  @Test
  void rowsComeFromTheLastToTheFirst() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      MemoryTables tables = new MemoryTables();
      List<Bytes> splits =
          random.nextBoolean() ? List.of() : List.of(Bytes.utf8("r010"), Bytes.utf8("r020"));
      tables.create("t", TableSchema.ofFamilies("f"), splits);
      TreeMap<String, List<String>> model = fill(tables, random);
      List<RowRange> ranges = ranges(random);
      List<String> wanted = new ArrayList<>();
      model
          .descendingMap()
          .forEach(
              (row, cells) -> {
                if (ranges.stream().anyMatch(range -> range.contains(Bytes.utf8(row)))) {
                  wanted.addAll(cells);
                }
              });
      int kept = 100 + random.nextInt(2_000);
      assertThat(read(tables, ranges, kept, 1 + random.nextInt(500)))
          .as("seed %s, %s bytes kept", seed, kept)
          .isEqualTo(wanted);
    }
  }

  private static TreeMap<String, List<String>> fill(Tables tables, Random random) {
    TreeMap<String, List<String>> model = new TreeMap<>();
    int rows = random.nextInt(30);
    for (int row = 0; row < rows; row++) {
      String key = "r%03d".formatted(random.nextInt(30));
      if (model.containsKey(key)) {
        continue;
      }
      CellBatchBuilder batch = new CellBatchBuilder();
      List<String> cells = new ArrayList<>();
      int columns = random.nextInt(5) == 0 ? 60 : 1 + random.nextInt(5); // some are long
      for (int column = 0; column < columns; column++) {
        String qualifier = "c%02d".formatted(column);
        Bytes value = Bytes.wrap(new byte[random.nextInt(100)]);
        batch.put(Bytes.utf8(key), Bytes.utf8("f"), Bytes.utf8(qualifier), 1, value);
        cells.add(key + "/" + qualifier);
      }
      tables.apply("t", batch.build(), Tables.ANY_TXN, true).join();
      model.put(key, cells);
    }
    return model;
  }

  private static List<RowRange> ranges(Random random) {
    if (random.nextBoolean()) {
      return List.of(RowRange.ALL);
    }
    List<RowRange> ranges = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int from = random.nextInt(30);
      Bytes start = Bytes.utf8("r%03d".formatted(from));
      ranges.add(
          random.nextBoolean()
              ? RowRange.row(start)
              : new RowRange(start, Bytes.utf8("r%03d".formatted(from + 1 + random.nextInt(10)))));
    }
    return ranges;
  }

  private static List<String> read(
      Tables tables, List<RowRange> ranges, int keptBytes, int pageBytes) {
    List<String> found = new ArrayList<>();
    try (ReversePages pages =
        new ReversePages(tables, "t", ReadPredicate.ALL.withRows(ranges), keptBytes)) {
      CellPage page;
      do {
        page = pages.next(pageBytes);
        if (page.cells().isPresent()) {
          CellBatch.Reader reader = page.cells().get().read();
          while (reader.next()) {
            found.add(reader.cell().row().toUtf8() + "/" + reader.cell().qualifier().toUtf8());
          }
        }
      } while (page.more());
    }
    return found;
  }
}
