package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster;
import io.stele.base.table.RowOutcome;
import io.stele.client.Stele;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sixteen servers start at once, four in each of four processes: from an empty store, where one of
 * them comes to have META, and from one with a thousand tablets, of which each gets its share.
 */
class ManyServersIT {
  private static final int PROCESSES = 4;
  private static final int SERVERS_EACH = 4;
  private static final int SERVERS = PROCESSES * SERVERS_EACH;
  private static final Duration SESSION = Duration.ofSeconds(8); // all start in the same moment
  private static final int TABLETS = 1_000;
  private static final String TABLE = "wide";

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void sixteenServersStartAtOnce() {
    Setup setup = Setup.of("many-servers", 0).withSession(SESSION);
    try (TabletCluster cluster = TabletCluster.startMembersOnly(setup)) {
      List<ServerPack> packs = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        packs.add(
            new ServerPack(
                cluster.data().resolve("pack" + i),
                cluster.logs().resolve("pack" + i + ".log"),
                SERVERS_EACH,
                cluster.serverArguments()));
      }
      try {
        run(cluster, packs);
      } finally {
        packs.forEach(ServerPack::close);
      }
    }
  }

  private static void run(TabletCluster cluster, List<ServerPack> packs) {
    startAll(cluster, packs);
    try (Stele stele = cluster.client()) {
      List<Bytes> splits = new ArrayList<>();
      for (int i = 1; i < TABLETS; i++) {
        splits.add(Bytes.utf8("row%04d".formatted(i)));
      }
      stele.tables().create(TABLE, TableSchema.ofFamilies("f"), splits);
      writeAll(stele);
      awaitShares(stele);

      packs.forEach(ServerPack::kill9);
      startAll(cluster, packs);
      assertThat(new TableFixture(stele.rows(), TABLE).all()).hasSize(TABLETS);
      awaitShares(stele);
      assertThat(stele.tables().verifyMeta("")).isEmpty();
    }
  }

  private static void startAll(TabletCluster cluster, List<ServerPack> packs) {
    packs.forEach(ServerPack::launch);
    packs.forEach(ServerPack::awaitReady);
    cluster.awaitServed(SERVERS);
  }

  /** One row to each tablet. */
  private static void writeAll(Stele stele) {
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 1; i <= TABLETS; i++) {
      CellBatchBuilder row = new CellBatchBuilder();
      row.put(
          Bytes.utf8("row%04d".formatted(i)), Bytes.utf8("f"), Bytes.utf8("q"), 1, Bytes.utf8("v"));
      rows.add(row.build());
    }
    List<RowOutcome> outcomes = TableFixture.answer(stele.rows().applyRows(TABLE, rows));
    assertThat(outcomes).allMatch(outcome -> outcome.failure().isEmpty());
  }

  /** Tablets may be on their way from one server to another when they are looked at. */
  private static void awaitShares(Stele stele) {
    await("that each server has its share")
        .atMost(TabletCluster.RECOVERY)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> checkShares(stele));
  }

  private static void checkShares(Stele stele) {
    Cluster.Status status = stele.cluster().status();
    assertThat(status.unserved()).isEmpty();
    assertThat(status.tablets()).isEqualTo(TABLETS + 2); // and those of META
    assertThat(status.servers())
        .as("each has about its share: %s", status)
        .hasSize(SERVERS)
        .allMatch(server -> server.tablets() > TABLETS / SERVERS / 2)
        .allMatch(server -> server.tablets() < TABLETS / SERVERS * 2);
  }
}
