package io.stele.it.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.gax.rpc.AlreadyExistsException;
import com.google.api.gax.rpc.NotFoundException;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.Backup;
import com.google.cloud.bigtable.admin.v2.models.ConsistencyRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateBackupRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.admin.v2.models.ModifyColumnFamiliesRequest;
import com.google.cloud.bigtable.admin.v2.models.RestoreTableRequest;
import com.google.cloud.bigtable.admin.v2.models.Table;
import com.google.cloud.bigtable.admin.v2.models.Type;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import io.stele.base.process.ServerProcess;
import io.stele.it.process.Servers;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.threeten.bp.Instant;

/** Google's Java client with a server that is a process. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@ResourceLock(Servers.SHARED)
class JavaClientIT {
  private static ServerProcess server;
  private static BigtableTableAdminClient admin;
  private static BigtableDataClient data;

  @BeforeAll
  static void start() throws IOException {
    server = Servers.shared();
    admin = Clients.admin(server);
    data = Clients.data(server);
  }

  @AfterAll
  static void close() {
    data.close();
    admin.close();
  }

  private static Table create(String table, String... splits) {
    CreateTableRequest request = CreateTableRequest.of(table).addFamily("f").addFamily("g");
    List.of(splits).forEach(key -> request.addSplit(ByteString.copyFromUtf8(key)));
    return admin.createTable(request);
  }

  private static TableId id(String table) {
    return TableId.of(table);
  }

  private static void fill(String table, int rows) {
    BulkMutation bulk = BulkMutation.create(id(table));
    IntStream.range(0, rows)
        .forEach(
            i ->
                bulk.add(
                    "row-%04d".formatted(i), Mutation.create().setCell("f", "q", 1000, "v" + i)));
    data.bulkMutateRows(bulk);
  }

  private static List<String> keys(Query query) {
    return StreamSupport.stream(data.readRows(query).spliterator(), false)
        .map(row -> row.getKey().toStringUtf8())
        .toList();
  }

  @Test
  void rowsAreWrittenReadAndChanged() {
    create("crud");
    data.mutateRow(
        RowMutation.create(id("crud"), "r")
            .setCell("f", "a", 2000, "new")
            .setCell("f", "a", 1000, "old")
            .setCell(
                "g", ByteString.copyFrom(new byte[] {0, -1}), ByteString.copyFromUtf8("bytes")));
    Row row = data.readRow(id("crud"), "r");
    assertThat(row.getCells("f", "a"))
        .extracting(cell -> cell.getValue().toStringUtf8())
        .containsExactly("new", "old");
    assertThat(data.readRow(id("crud"), "none")).isNull();
    assertThat(data.readRow(id("crud"), "r", FILTERS.limit().cellsPerColumn(1)).getCells())
        .hasSize(2);
    assertThat(
            data.checkAndMutateRow(
                ConditionalRowMutation.create(id("crud"), "r")
                    .condition(FILTERS.value().exactMatch("new"))
                    .then(Mutation.create().setCell("f", "seen", 1000, "yes"))))
        .isTrue();
    data.readModifyWriteRow(ReadModifyWriteRow.create(id("crud"), "r").increment("f", "n", 5));
    Row changed =
        data.readModifyWriteRow(
            ReadModifyWriteRow.create(id("crud"), "r")
                .increment("f", "n", 37)
                .append("f", "seen", "!"));
    assertThat(changed.getCells("f", "seen").getFirst().getValue().toStringUtf8())
        .isEqualTo("yes!");
    assertThat(changed.getCells("f", "n").getFirst().getValue().asReadOnlyByteBuffer().getLong())
        .isEqualTo(42);
    data.mutateRow(RowMutation.create(id("crud"), "r").deleteRow());
    assertThat(data.readRow(id("crud"), "r")).isNull();
    data.mutateRow(RowMutation.create(id("crud"), "r").setCell("f", "a", 0, "again"));
    assertThat(data.readRow(id("crud"), "r").getCells())
        .as("what is written after a deletion is there, whatever its timestamp")
        .hasSize(1);
  }

  @Test
  void scansGoOverManyTablets() {
    create("scans", "row-0100", "row-0200", "row-0300", "row-0400");
    fill("scans", 500);
    assertThat(keys(Query.create(id("scans")))).hasSize(500).isSorted();
    assertThat(keys(Query.create(id("scans")).range("row-0095", "row-0205"))).hasSize(110);
    assertThat(keys(Query.create(id("scans")).prefix("row-03").limit(7))).hasSize(7);
    assertThat(keys(Query.create(id("scans")).reversed(true).limit(2)))
        .containsExactly("row-0499", "row-0498");
    assertThat(
            keys(
                Query.create(id("scans"))
                    .filter(
                        FILTERS
                            .chain()
                            .filter(FILTERS.key().regex("row-.*7"))
                            .filter(FILTERS.value().regex("v1.*"))
                            .filter(FILTERS.value().strip()))))
        .hasSize(11);
    assertThat(data.sampleRowKeys(id("scans"))).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void tablesAreMadeChangedAndDropped() {
    Table made =
        admin.createTable(
            CreateTableRequest.of("tables")
                .addFamily("few", GCRules.GCRULES.maxVersions(2))
                .addFamily("sums", Type.int64Sum()));
    assertThat(admin.getTable("tables").getColumnFamilies())
        .hasSameSizeAs(made.getColumnFamilies());
    assertThatThrownBy(() -> admin.createTable(CreateTableRequest.of("tables")))
        .isInstanceOf(AlreadyExistsException.class);
    assertThat(admin.listTables()).contains("tables").noneMatch(name -> name.contains("/"));
    for (int i = 1; i <= 4; i++) {
      data.mutateRow(
          RowMutation.create(id("tables"), "r")
              .setCell("few", "q", i * 1000L, "v" + i)
              .addToCell("sums", "q", 0, i));
    }
    Row row = data.readRow(id("tables"), "r");
    assertThat(row.getCells("few")).extracting(RowCell::getTimestamp).containsExactly(4000L, 3000L);
    assertThat(row.getCells("sums").getFirst().getValue().asReadOnlyByteBuffer().getLong())
        .isEqualTo(10);
    Table changed =
        admin.modifyFamilies(
            ModifyColumnFamiliesRequest.of("tables")
                .addFamily("more")
                .updateFamily(
                    "few",
                    GCRules.GCRULES
                        .intersection()
                        .rule(GCRules.GCRULES.maxVersions(1))
                        .rule(GCRules.GCRULES.maxAge(1, TimeUnit.DAYS)))
                .dropFamily("sums"));
    assertThat(changed.getColumnFamilies()).hasSize(2);
    assertThat(data.readRow(id("tables"), "r").getCells())
        .as("one by the new rule, since all are old")
        .hasSize(1);
    admin.dropRowRange("tables", "r");
    assertThat(data.readRow(id("tables"), "r")).isNull();
    assertThat(admin.exists("tables")).isTrue();
    admin.deleteTable("tables");
    assertThat(admin.exists("tables")).isFalse();
    assertThatThrownBy(() -> data.readRow(id("tables"), "r")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void backupsAreRestoredAndOutliveTheirTables() throws Exception {
    create("kept");
    fill("kept", 50);
    Backup backup =
        admin.createBackup(
            CreateBackupRequest.of("cluster", "monday")
                .setSourceTableId("kept")
                .setExpireTime(Instant.now().plusSeconds(24 * 3600)));
    assertThat(backup.getState()).isEqualTo(Backup.State.READY);
    assertThat(backup.getSizeBytes()).isPositive();
    admin.dropAllRows("kept");
    admin.deleteTable("kept");
    admin.restoreTable(RestoreTableRequest.of("cluster", "monday").setTableId("restored"));
    assertThat(keys(Query.create(id("restored")))).hasSize(50);
    assertThat(admin.listBackups("cluster")).containsExactly("monday");
    admin.deleteBackup("cluster", "monday");
    assertThat(admin.listBackups("cluster")).isEmpty();
    assertThat(keys(Query.create(id("restored")))).hasSize(50);
    admin.awaitConsistency(ConsistencyRequest.forReplication("restored"));
  }

  @Test
  void whatWasAcknowledgedSurvivesACrashAndClientsGoOn() {
    create("crash", "row-0050");
    fill("crash", 100);
    String before = Clients.address(server);
    server.kill();
    server.start();
    assertThat(Clients.address(server)).isEqualTo(before);
    assertThat(keys(Query.create(id("crash")))).hasSize(100);
    data.mutateRow(RowMutation.create(id("crash"), "row-9999").setCell("f", "q", "after"));
    assertThat(data.readRow(id("crash"), "row-9999")).isNotNull();
    assertThat(admin.getTable("crash").getColumnFamilies()).hasSize(2);
  }
}
