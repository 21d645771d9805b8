package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.settings.Settings;
import io.stele.base.table.Cluster;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.client.table.Row;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three servers of a cluster in one process: one holds the metastore. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ClusterServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int ROWS = 300;

  @TempDir Path folder;

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Events events = new Events((_, problem) -> told.add(problem.toString()));
  private final List<Server> servers = new ArrayList<>();
  private Stele stele;

  ClusterServersTest() {
    events.subscribe(Event.class, event -> told.add(event.text()));
  }

  private Server start(String name, String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.data=" + folder.resolve(name),
                "server.port=0",
                "server.raft-port=0",
                "tables.shared=true",
                "tables.files=" + folder.resolve("files"),
                "tables.cache=4MiB",
                "tables.memory=32MiB",
                "tables.session=2s"));
    all.addAll(List.of(flags));
    Settings settings = ServerSchema.SCHEMA.reader().flags(all).merge();
    Server server = Server.start(settings, events);
    servers.add(server);
    return server;
  }

  private static String address(Server server) {
    return server.addresses().nativeAddress();
  }

  @BeforeEach
  void startThree() throws IOException {
    String metastore = address(start("n1"));
    for (String name : List.of("n2", "n3")) {
      start(name, "server.roles=tables,master", "server.metastore=" + metastore);
    }
    stele = Stele.connect(servers.stream().map(ClusterServersTest::address).toArray(String[]::new));
    awaitServing(3);
  }

  @AfterEach
  void stop() {
    stele.close();
    servers.reversed().forEach(Server::close);
  }

  /** Waits until so many servers take part, and every tablet is served. */
  private Cluster.Status awaitServing(int count) {
    return await("that " + count + " servers serve all tablets; told: " + told)
        .atMost(PATIENCE)
        .until(
            () -> {
              try {
                return Optional.of(stele.cluster().status());
              } catch (SteleException e) {
                return Optional.<Cluster.Status>empty();
              }
            },
            found ->
                found
                    .filter(
                        status ->
                            status.servers().size() == count
                                && status.unserved().isEmpty()
                                && status.tablets() >= 2)
                    .isPresent())
        .orElseThrow();
  }

  private static String row(int n) {
    return "r%04d".formatted(n);
  }

  private Table makeTable() {
    List<Bytes> splits =
        IntStream.range(1, 6).mapToObj(n -> Bytes.utf8(row(n * ROWS / 6))).toList();
    stele.tables().create("t", TableSchema.ofFamilies("f"), splits);
    Table table = stele.table("t");
    for (int n = 0; n < ROWS; n++) {
      table.put(row(n), "f", "n", Integer.toString(n));
    }
    return table;
  }

  private static List<String> rows(Table table) {
    List<String> rows = new ArrayList<>();
    try (RowScan scan = table.scan(ReadPredicate.ALL)) {
      Optional<Row> row = scan.next();
      while (row.isPresent()) {
        rows.add(row.get().key().toUtf8());
        row = scan.next();
      }
    }
    return rows;
  }

  private List<String> homes() {
    return stele.tables().tablets("t").stream().map(TabletInfo::location).distinct().toList();
  }

  @Test
  void tabletsAreSpreadAndAServerThatStopsHandsItsOwnOver() {
    Table table = makeTable();
    List<String> all = IntStream.range(0, ROWS).mapToObj(ClusterServersTest::row).toList();
    assertThat(rows(table)).isEqualTo(all);
    assertThat(homes()).hasSize(3);
    assertThatThrownBy(() -> stele.table("none").get("r"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("none");

    Server leaving = servers.removeLast();
    String gone = address(leaving);
    leaving.close();

    assertThat(told)
        .anyMatch(text -> text.equals("tablet server " + gone + " has left the cluster"));
    await("that tablets are moved while they are served, not given up")
        .atMost(PATIENCE)
        .until(
            () ->
                told.stream()
                    .anyMatch(
                        text ->
                            text.startsWith("moved ") && text.contains("from " + gone + " to ")));
    awaitServing(2);
    assertThat(rows(table)).isEqualTo(all);
    assertThat(homes()).doesNotContain(gone);
    table.put("r9", "f", "n", "9");
    assertThat(table.get("r9")).isPresent();
  }
}
