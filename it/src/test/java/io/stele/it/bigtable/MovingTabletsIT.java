package io.stele.it.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.Backup;
import com.google.cloud.bigtable.admin.v2.models.CreateBackupRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.admin.v2.models.RestoreTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.it.process.SteleCluster;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.threeten.bp.Instant;

/** Two servers of a cluster: either shows all tables, wherever their tablets are and go. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class MovingTabletsIT {
  private static final TableId TABLE = TableId.of("moving");

  private static List<String> keys(BigtableDataClient data, TableId table) {
    return StreamSupport.stream(data.readRows(Query.create(table)).spliterator(), false)
        .map(row -> row.getKey().toStringUtf8())
        .toList();
  }

  @Test
  void rowsAreReadAndWrittenWhileTabletsMove() throws Exception {
    try (SteleCluster cluster =
            SteleCluster.named("moving-tablets")
                .with(1, "metastore,master,tables")
                .with(1, "tables")
                .set(
                    "tables.shared=true",
                    "tables.files=" + SteleCluster.DATA + "/shared",
                    "tables.session=5s")
                .start();
        BigtableTableAdminClient admin = Clients.admin(cluster.server(0));
        BigtableTableAdminClient elsewhere = Clients.admin(cluster.server(1));
        BigtableDataClient data = Clients.data(cluster.server(1));
        Stele stele = cluster.client()) {
      String first = cluster.server(0).address();
      String second = cluster.server(1).address();
      CreateTableRequest request =
          CreateTableRequest.of("moving").addFamily("f", GCRules.GCRULES.maxVersions(1));
      List.of("row-025", "row-050", "row-075")
          .forEach(key -> request.addSplit(ByteString.copyFromUtf8(key)));
      admin.createTable(request);
      assertThat(elsewhere.getTable("moving")).isEqualTo(admin.getTable("moving"));
      BulkMutation bulk = BulkMutation.create(TABLE);
      IntStream.range(0, 100)
          .forEach(
              i -> bulk.add("row-%03d".formatted(i), Mutation.create().setCell("f", "q", "v" + i)));
      data.bulkMutateRows(bulk);
      for (String to : List.of(second, first, second)) {
        for (TabletInfo tablet : stele.tables().tablets("moving")) {
          Bytes row = tablet.last().orElse(Bytes.utf8("row-099"));
          if (!tablet.location().equals(to)) {
            var _ = stele.cluster().move("moving", row, to);
          }
          data.mutateRow(RowMutation.create(TABLE, row.toUtf8()).setCell("f", "moved", "to " + to));
          assertThat(keys(data, TABLE)).hasSize(100);
        }
      }
      Backup backup =
          elsewhere.createBackup(
              CreateBackupRequest.of("cluster", "b")
                  .setSourceTableId("moving")
                  .setExpireTime(Instant.now().plusSeconds(3600)));
      assertThat(backup.getSizeBytes()).isPositive();
      admin.deleteTable("moving");
      admin.restoreTable(RestoreTableRequest.of("cluster", "b").setTableId("again"));
      assertThat(keys(data, TableId.of("again"))).hasSize(100);
    }
  }
}
