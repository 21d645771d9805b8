package io.stele.tables.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.engine.cache.BlockCache;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.CommitLock;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The files of a tablet server in version 1, apart from fragments; they are read for ever. */
class ServerFilesVersion1Test {
  private static final FilePath CONFIG = FilePath.of("fixed.config");

  private final MemoryFileStore files = new MemoryFileStore();

  private static TabletConfig tablet() {
    TreeMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    fragments.put("default", List.of(FragmentRef.whole(FilePath.of("fragments/1.frag"))));
    return new TabletConfig(
        "fixed",
        Bytes.EMPTY,
        Optional.empty(),
        "",
        List.of(new LogRef(FilePath.of("log/00000001"), 7)),
        fragments,
        3);
  }

  @Test
  void theConfigurationOfAFixedTableAndTheListOfThem() throws IOException {
    TableSchema schema = TableSchema.ofFamilies("f", "größe");
    Table table =
        new Table(
            "fixed",
            TableView.empty(schema),
            new CommitLock(),
            new FragmentGraph(files, new BlockCache(1 << 20), (_, _) -> {}),
            Optional.of(CONFIG),
            _ -> {});
    FixedTable.save(files, table, tablet());
    files.replace(CONFIG, FormatFile.read("fixed-table-v1.bin", StoredBytes.read(files, CONFIG)));
    assertThat(FixedTable.load(files, CONFIG, "fixed"))
        .contains(new FixedTable.Config(schema, tablet()));

    new FixedTables(files).add("fixed", CONFIG);
    FilePath list = FilePath.of("FIXED");
    files.replace(list, FormatFile.read("fixed-tables-v1.txt", StoredBytes.read(files, list)));
    assertThat(new FixedTables(files).configs()).containsExactly(tablet());
  }

  @Test
  void theNumberOfARun() throws IOException {
    FilePath file = FilePath.of("SERVER");
    assertThat(ServerRun.next(files)).isEqualTo("00000001");
    files.replace(file, FormatFile.read("server-run-v1.txt", StoredBytes.read(files, file)));
    assertThat(ServerRun.next(files)).isEqualTo("00000002");
  }
}
