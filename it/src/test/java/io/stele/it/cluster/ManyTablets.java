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
import io.stele.it.process.SteleCluster;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of many tablets, with one row in each, of which each server has about its share.
 *
 * @param tablets how many
 * @param servers how many share them
 */
record ManyTablets(Stele stele, String table, int tablets, int servers) {

  /** Creates it; returns when every server has its share. */
  void create() {
    List<Bytes> splits = new ArrayList<>();
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 1; i <= tablets; i++) {
      Bytes row = Bytes.utf8("row%04d".formatted(i));
      if (i < tablets) {
        splits.add(row);
      }
      CellBatchBuilder cells = new CellBatchBuilder();
      cells.put(row, Bytes.utf8("f"), Bytes.utf8("q"), 1, Bytes.utf8("v"));
      rows.add(cells.build());
    }
    stele.tables().create(table, TableSchema.ofFamilies("f"), splits);
    List<RowOutcome> outcomes = TableFixture.answer(stele.rows().applyRows(table, rows));
    assertThat(outcomes).allMatch(outcome -> outcome.failure().isEmpty());
    awaitShares();
  }

  /** Checks that all rows are there, and waits until every server has its share again. */
  void check() {
    assertThat(new TableFixture(stele.rows(), table).all()).hasSize(tablets);
    awaitShares();
  }

  /** Tablets may be on their way from one server to another when they are looked at. */
  private void awaitShares() {
    await("that each server has its share")
        .atMost(SteleCluster.RECOVERY)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () -> {
              Cluster.Status status = stele.cluster().status();
              assertThat(status.unserved()).isEmpty();
              assertThat(status.servers())
                  .as("each has about its share: %s", status)
                  .hasSize(servers)
                  .allMatch(server -> server.tablets() > tablets / servers / 2)
                  .allMatch(server -> server.tablets() < tablets / servers * 2);
            });
  }
}
