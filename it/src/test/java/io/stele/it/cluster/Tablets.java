package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.table.Cluster;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.it.process.FaultRun;
import io.stele.it.process.SteleCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/**
 * The tablets of a cluster: who serves them, and when all of them are served.
 *
 * @param cluster whose members with the role {@code master} compete for it
 */
record Tablets(SteleCluster cluster) implements FaultRun.Recovery {
  /** Sessions of tablet servers. */
  static final Duration SESSION = Duration.ofSeconds(3);

  private static final Duration POLL = Duration.ofMillis(100);

  /**
   * A plan with so many members, of which the first two may be the master, and so many servers on
   * shared files.
   */
  static SteleCluster.Plan plan(String name, int members, int servers) {
    return SteleCluster.named(name)
        .with(Math.min(2, members), "metastore,master")
        .with(Math.max(0, members - 2), "metastore")
        .with(servers, "tables")
        .set(
            "tables.shared=true",
            "tables.files=" + SteleCluster.DATA + "/shared",
            "tables.session=" + SESSION.toMillis() + "ms");
  }

  /** Where fragments and logs are. */
  Path files() {
    return cluster.data().resolve("shared");
  }

  /** A client that fails after so long. */
  Stele client(Duration timeout) {
    return cluster.client(0, SteleCluster.patience(timeout));
  }

  /** The numbers of the tablet servers. */
  List<Integer> servers() {
    return cluster.with("tables");
  }

  String address(int number) {
    return cluster.server(number).address();
  }

  /** Waits until every server is there and every tablet is served. */
  @Override
  public void await() {
    awaitServedBy(servers().size());
  }

  /** Waits until so many servers are there, and serve all tablets. */
  void awaitServedBy(int count) {
    try (Stele client = client(Duration.ofSeconds(5))) {
      Awaitility.await(
              "all tablets to be served by " + count + " servers; logs in " + cluster.logs())
          .atMost(SteleCluster.RECOVERY)
          .pollInterval(POLL)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(
              () -> {
                Cluster.Status status = client.cluster().status();
                assertThat(status.servers())
                    .as("servers of %s", status)
                    .hasSize(count)
                    .allMatch(server -> server.problem().isEmpty());
                assertThat(status.unserved()).as("unserved").isEmpty();
                assertThat(client.tables().tablets("META1")).isNotEmpty();
              });
    }
  }

  @Override
  public int master() {
    return awaitNumber("a master", client -> client.cluster().status().master());
  }

  /** The number of the server that has the tablet with this row. */
  int awaitOwner(String table, String row) {
    return awaitNumber(
        "an owner of row " + row + " of table " + table,
        client ->
            client.tables().tablets(table).stream()
                .filter(holds(Bytes.utf8(row)))
                .map(TabletInfo::location)
                .findFirst()
                .orElse(""));
  }

  private int awaitNumber(String what, Function<Stele, String> address) {
    try (Stele client = client(Duration.ofSeconds(5))) {
      return Awaitility.await(what)
          .atMost(SteleCluster.RECOVERY)
          .pollInterval(POLL)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> cluster.numberOf(address.apply(client)), number -> number >= 0);
    }
  }

  private static Predicate<TabletInfo> holds(Bytes row) {
    return tablet ->
        (tablet.first().isEmpty() || tablet.first().compareTo(row) < 0)
            && (tablet.last().isEmpty() || tablet.last().get().compareTo(row) >= 0);
  }
}
