package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster.Garbage;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that nothing needs go; all others stay, whatever has become of the servers. */
class FileGcIT {
  private static final String TABLE = "t";
  private static final int SERVERS = 3;
  private static final int ROUNDS = 3;
  private static final int ROWS = 60;

  @Test
  @Timeout(value = 4, unit = TimeUnit.MINUTES)
  void filesGoOnceNothingNeedsThem() throws Exception {
    try (TabletCluster cluster =
            TabletCluster.start(Setup.of("file-gc", SERVERS).withSession(Duration.ofSeconds(8)));
        Stele stele = cluster.client()) {
      stele
          .tables()
          .create(
              TABLE,
              TableSchema.ofFamilies("f"),
              List.of(Bytes.utf8("row20"), Bytes.utf8("row40")));
      for (int round = 0; round < ROUNDS; round++) {
        write(stele, round);
        stele.tables().flush(TABLE);
      }
      stele.tables().compact(TABLE);
      Path files = Path.of(cluster.files());

      aSilentServerBlocks(cluster, stele, files);
      whatIsToGoIsToldFirst(stele, files);
      theLogsOfTheDeadGo(cluster, stele, files);
      everybodyStartsAgain(cluster);
      checkRows(stele);
      assertThat(stele.tables().verifyMeta("")).isEmpty();
    }
  }

  private static void write(Stele stele, int round) {
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

  private static void checkRows(Stele stele) {
    List<String> expected = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      for (int round = ROUNDS - 1; round >= 0; round--) {
        expected.add("row%02d/f:q@%d=value %d".formatted(row, round, round));
      }
    }
    assertThat(new TableFixture(stele.rows(), TABLE).all()).isEqualTo(expected);
  }

  /** All files below a directory, by their paths from the root. */
  private static Set<String> below(Path root, String directory) throws IOException {
    Path folder = root.resolve(directory);
    if (!Files.exists(folder)) {
      return Set.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<String> named(Stele stele) {
    return Stream.of(TABLE, "META0", "META1")
        .flatMap(table -> stele.tables().tablets(table).stream())
        .map(TabletInfo::files)
        .flatMap(List::stream)
        .map(TabletInfo.FileInfo::path)
        .collect(Collectors.toSet());
  }

  private static void aSilentServerBlocks(TabletCluster cluster, Stele stele, Path files)
      throws IOException {
    Set<String> before = below(files, "fragments");
    cluster.server(0).pause();
    Garbage garbage = stele.cluster().collectFiles(true);
    cluster.server(0).resume();
    assertThat(garbage.blocked()).contains(cluster.serverAddress(0));
    assertThat(below(files, "fragments")).containsAll(before);
    cluster.awaitServed();
  }

  private static void whatIsToGoIsToldFirst(Stele stele, Path files) throws IOException {
    Garbage told =
        await("files that a compaction has made superfluous")
            .atMost(TabletCluster.RECOVERY)
            .until(() -> stele.cluster().collectFiles(false), found -> !fragments(found).isEmpty());
    assertThat(below(files, "fragments")).containsAll(fragments(told));
    assertThat(told.bytes()).isPositive();
    Garbage gone = stele.cluster().collectFiles(true);
    assertThat(gone.blocked()).isEmpty();
    assertThat(gone.files()).containsAll(told.files());
    assertThat(below(files, "fragments")).doesNotContainAnyElementsOf(fragments(gone));
    Set<String> named = named(stele);
    assertThat(named).isNotEmpty();
    assertThat(below(files, "fragments")).containsAll(named);
    checkRows(stele);
  }

  private static List<String> fragments(Garbage garbage) {
    return garbage.files().stream().filter(file -> file.startsWith("fragments/")).toList();
  }

  /** Another replays it, and writes what was in it to files: then nobody needs it. */
  private static void theLogsOfTheDeadGo(TabletCluster cluster, Stele stele, Path files)
      throws IOException {
    write(stele, ROUNDS - 1); // the same again, into memory and log only
    int dead = cluster.awaitOwner(TABLE, "row00");
    String run =
        stele.cluster().status().servers().stream()
            .filter(server -> server.address().equals(cluster.serverAddress(dead)))
            .map(server -> server.run())
            .findFirst()
            .orElseThrow();
    assertThat(below(files, "log/" + run)).isNotEmpty();
    cluster.server(dead).kill9();
    cluster.awaitServed(SERVERS - 1);
    checkRows(stele);
    await("the end of a dead server's log")
        .atMost(TabletCluster.RECOVERY)
        .until(
            () -> {
              Garbage gone = stele.cluster().collectFiles(true);
              return gone.blocked().isEmpty() && below(files, "log/" + run).isEmpty();
            });
    checkRows(stele);
    cluster.server(dead).start();
    cluster.awaitServed();
  }

  private static void everybodyStartsAgain(TabletCluster cluster) {
    for (int i = 0; i < SERVERS; i++) {
      cluster.server(i).kill9();
    }
    for (int i = 0; i < SERVERS; i++) {
      cluster.server(i).launch();
    }
    for (int i = 0; i < SERVERS; i++) {
      cluster.server(i).awaitReady();
    }
    cluster.awaitServed();
  }
}
