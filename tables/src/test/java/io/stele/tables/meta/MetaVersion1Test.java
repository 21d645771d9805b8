package io.stele.tables.meta;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.file.FilePath;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.testkit.golden.FormatFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** META's cells and the root configuration in version 1: they are read for ever. */
class MetaVersion1Test {
  private static final String TABLE = "users/größe !";

  private static final TableSchema SCHEMA =
      TableSchema.of(
          GroupSchema.of("any", "*").withInMemory(true),
          GroupSchema.of("main", "name", "größe")
              .withPurge(PurgePolicy.parse("max-age=5 and max-history=3 or max-age=99"))
              .withCompression(Compression.ZSTD)
              .withBlockSize(65_536));

  private static SortedMap<String, List<FragmentRef>> fragments() {
    SortedMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    fragments.put(
        "main",
        List.of(
            FragmentRef.whole(FilePath.of("fragments/1/0000000001.frag")),
            FragmentRef.restricted(
                FilePath.of("fragments/a b.frag"), Set.of(Bytes.utf8("x"), Bytes.utf8("a,b"))),
            FragmentRef.restricted(FilePath.of("fragments/3.frag"), Set.of())));
    fragments.put("any", List.of(FragmentRef.whole(FilePath.of("fragments/4.frag"))));
    return fragments;
  }

  private static TabletConfig tablet(String table, Bytes first, Optional<Bytes> last) {
    return new TabletConfig(
        table,
        first,
        last,
        "10.0.0.1:4711",
        List.of(
            new LogRef(FilePath.of("log/00000001"), 7),
            new LogRef(FilePath.of("log/server 2"), 1L << 40)),
        fragments(),
        9);
  }

  private static List<TabletConfig> tablets() {
    Bytes middle = Bytes.of((byte) 0, (byte) 0xff, (byte) '%');
    return List.of(
        tablet(TABLE, Bytes.EMPTY, Optional.of(middle)),
        TabletConfig.empty(TABLE, middle, Optional.empty()));
  }

  @Test
  void theRowsOfATable() {
    CellBatchBuilder batch = new CellBatchBuilder();
    SchemaCells.save(TABLE, SCHEMA, FamilyOrigins.CREATED.withRevision(9), batch);
    SchemaCells.saveMaker(TABLE, 17, 9, batch);
    tablets().forEach(tablet -> TabletCells.save(tablet, batch));
    byte[] stored = FormatFile.read("meta-cells-v1.bin", batch.build().toArray());
    List<Cell> schema = new ArrayList<>();
    List<Cell> rest = new ArrayList<>();
    CellBatch.Reader reader = CellBatch.parse(stored).read();
    while (reader.next()) {
      Cell cell = reader.cell().toCell();
      if (cell.kind() == CellKind.PUT) {
        (cell.row().equals(MetaRows.schema(TABLE)) ? schema : rest).add(cell);
      }
    }
    assertThat(SchemaCells.load(TABLE, schema)).isEqualTo(SCHEMA);
    assertThat(SchemaCells.maker(schema)).hasValue(17);
    CellBatchBuilder others = new CellBatchBuilder();
    rest.forEach(others::add);
    assertThat(TabletCells.loadAll(others.build())).isEqualTo(tablets());
  }

  @Test
  void theRoot() {
    TabletConfig root = tablet(TableNames.META0, Bytes.EMPTY, Optional.empty());
    byte[] stored = FormatFile.read("root-config-v1.bin", RootConfig.encode(root).toArray());
    assertThat(RootConfig.decode(Bytes.wrap(stored))).isEqualTo(root);
  }
}
