package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files that nothing needs are deleted; all others stay, whatever has become of the servers. A
 * table of many tablets is shared out evenly, also when all servers start at once.
 */
final class FileCollection {
  private static final String TABLE = "collected";
  private static final String WIDE = "wide";
  private static final int TABLETS = 60; // of the wide one
  private static final int ROUNDS = 3;
  private static final int ROWS = 60;

  private final SteleCluster cluster;
  private final Tablets tablets;
  private final Stele stele;
  private final Path files;

  FileCollection(Tablets tablets, Stele stele) {
    this.tablets = tablets;
    this.cluster = tablets.cluster();
    this.stele = stele;
    this.files = tablets.files();
  }

  void run() throws IOException {
    ManyTablets wide = new ManyTablets(stele, WIDE, TABLETS, tablets.servers().size());
    wide.create();
    stele
        .tables()
        .create(
            TABLE, TableSchema.ofFamilies("f"), List.of(Bytes.utf8("row20"), Bytes.utf8("row40")));
    for (int round = 0; round < ROUNDS; round++) {
      write(round);
      stele.tables().flush(TABLE);
    }
    stele.tables().compact(TABLE);

    aSilentServerBlocks();
    theListComesBeforeTheDeletion();
    theLogsOfTheDeadAreDeleted();

    cluster.killAll(tablets.servers());
    cluster.startAll(tablets.servers());
    tablets.await();
    checkRows();
    wide.check();
    assertThat(stele.tables().verifyMeta("")).isEmpty();
    stele.tables().drop(TABLE);
    stele.tables().drop(WIDE);
  }

  private void write(int round) {
    for (int row = 0; row < ROWS; row++) {
      CellBatchBuilder batch = new CellBatchBuilder();
      batch.put(
          Bytes.utf8("row%02d".formatted(row)),
          Bytes.utf8("f"),
          Bytes.utf8("q"),
          round,
          Bytes.utf8("value " + round));
      TableFixture.answer(stele.rows().apply(TABLE, batch.build(), Tables.ANY_TXN, true));
    }
  }

  private void checkRows() {
    List<String> expected = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      for (int round = ROUNDS - 1; round >= 0; round--) {
        expected.add("row%02d/f:q@%d=value %d".formatted(row, round, round));
      }
    }
    assertThat(new TableFixture(stele.rows(), TABLE).all()).isEqualTo(expected);
  }

  /** All files below a directory, by their paths from the root. */
  private Set<String> below(String directory) throws IOException {
    Path folder = files.resolve(directory);
    if (!Files.exists(folder)) {
      return Set.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> files.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private Set<String> named() {
    return Stream.of(TABLE, WIDE, "META0", "META1")
        .flatMap(table -> stele.tables().tablets(table).stream())
        .map(TabletInfo::files)
        .flatMap(List::stream)
        .map(TabletInfo.FileInfo::path)
        .collect(Collectors.toSet());
  }

  private void aSilentServerBlocks() throws IOException {
    int silent = tablets.servers().getFirst();
    Set<String> before = below("fragments");
    cluster.server(silent).pause();
    Garbage garbage = stele.cluster().collectFiles(true);
    cluster.server(silent).resume();
    assertThat(garbage.blocked()).contains(tablets.address(silent));
    assertThat(below("fragments")).containsAll(before);
    tablets.await();
  }

  private void theListComesBeforeTheDeletion() throws IOException {
    Garbage told =
        await("files that a compaction has made superfluous")
            .atMost(SteleCluster.RECOVERY)
            .until(() -> stele.cluster().collectFiles(false), found -> !fragments(found).isEmpty());
    assertThat(told.bytes()).isPositive();
    // While a tablet is on its way, files of servers that are gone stay.
    await("the end of all that was listed")
        .atMost(SteleCluster.RECOVERY)
        .untilAsserted(
            () -> {
              Garbage gone = stele.cluster().collectFiles(true);
              assertThat(gone.blocked()).isEmpty();
              assertThat(below("fragments"))
                  .doesNotContainAnyElementsOf(fragments(told))
                  .doesNotContainAnyElementsOf(fragments(gone));
            });
    Set<String> named = named();
    assertThat(named).isNotEmpty();
    assertThat(below("fragments")).containsAll(named);
    checkRows();
  }

  private static List<String> fragments(Garbage garbage) {
    return garbage.files().stream().filter(file -> file.startsWith("fragments/")).toList();
  }

  /** Another server replays it and writes what was in it to files: then nobody needs it. */
  private void theLogsOfTheDeadAreDeleted() throws IOException {
    write(ROUNDS - 1); // the same again, into memory and log only
    int dead = tablets.awaitOwner(TABLE, "row00");
    String run =
        stele.cluster().status().servers().stream()
            .filter(server -> server.address().equals(tablets.address(dead)))
            .map(server -> server.run())
            .findFirst()
            .orElseThrow();
    assertThat(below("log/" + run)).isNotEmpty();
    cluster.server(dead).kill();
    tablets.awaitServedBy(tablets.servers().size() - 1);
    checkRows();
    await("the end of a dead server's log")
        .atMost(SteleCluster.RECOVERY)
        .until(
            () -> {
              Garbage gone = stele.cluster().collectFiles(true);
              return gone.blocked().isEmpty() && below("log/" + run).isEmpty();
            });
    checkRows();
  }
}
