package io.stele.gateway.bigtable.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.bigtable.admin.v2.AppProfile;
import com.google.bigtable.admin.v2.Backup;
import com.google.bigtable.admin.v2.BigtableInstanceAdminGrpc;
import com.google.bigtable.admin.v2.BigtableTableAdminGrpc;
import com.google.bigtable.admin.v2.CheckConsistencyRequest;
import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.CopyBackupRequest;
import com.google.bigtable.admin.v2.CreateAppProfileRequest;
import com.google.bigtable.admin.v2.CreateBackupRequest;
import com.google.bigtable.admin.v2.CreateInstanceRequest;
import com.google.bigtable.admin.v2.CreateTableFromSnapshotRequest;
import com.google.bigtable.admin.v2.CreateTableRequest;
import com.google.bigtable.admin.v2.DeleteBackupRequest;
import com.google.bigtable.admin.v2.DeleteTableRequest;
import com.google.bigtable.admin.v2.DropRowRangeRequest;
import com.google.bigtable.admin.v2.GcRule;
import com.google.bigtable.admin.v2.GenerateConsistencyTokenRequest;
import com.google.bigtable.admin.v2.GetBackupRequest;
import com.google.bigtable.admin.v2.GetInstanceRequest;
import com.google.bigtable.admin.v2.GetTableRequest;
import com.google.bigtable.admin.v2.Instance;
import com.google.bigtable.admin.v2.ListAppProfilesRequest;
import com.google.bigtable.admin.v2.ListAuthorizedViewsRequest;
import com.google.bigtable.admin.v2.ListBackupsRequest;
import com.google.bigtable.admin.v2.ListInstancesRequest;
import com.google.bigtable.admin.v2.ListTablesRequest;
import com.google.bigtable.admin.v2.ListTablesResponse;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest.Modification;
import com.google.bigtable.admin.v2.RestoreTableRequest;
import com.google.bigtable.admin.v2.SnapshotTableRequest;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.Type;
import com.google.bigtable.admin.v2.UndeleteTableRequest;
import com.google.bigtable.admin.v2.UpdateTableRequest;
import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.ReadChangeStreamRequest;
import com.google.iam.v1.TestIamPermissionsRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.Operation;
import com.google.longrunning.OperationsGrpc;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.FieldMask;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.gateway.bigtable.BigtableServer;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import io.stele.testkit.table.MemoryTables;
import io.stele.testkit.table.TableFixture;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The services for tables and instances, over tables in memory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TableAdminServiceTest {
  private static final String INSTANCE = "projects/p/instances/i";
  private static final String CLUSTER = INSTANCE + "/clusters/c";
  private static final long START = 1_000_000_000L; // seconds

  private final AtomicLong micros = new AtomicLong(START * 1_000_000);
  private final Clock clock =
      new Clock() {
        @Override
        public long micros() {
          return micros.get();
        }

        @Override
        public long nanos() {
          return System.nanoTime();
        }
      };
  private final MemoryTables tables = new MemoryTables(clock);
  private final BigtableServer server =
      BigtableServer.listen(
          "127.0.0.1",
          0,
          tables,
          tables,
          clock,
          RandomSource.system(),
          () -> true,
          Optional.empty());
  private final ManagedChannel channel =
      NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
  private final BigtableTableAdminGrpc.BigtableTableAdminBlockingStub admin =
      BigtableTableAdminGrpc.newBlockingStub(channel);
  private final BigtableInstanceAdminGrpc.BigtableInstanceAdminBlockingStub instances =
      BigtableInstanceAdminGrpc.newBlockingStub(channel);

  @AfterEach
  void close() {
    channel.shutdownNow();
    server.close();
  }

  private static String name(String table) {
    return INSTANCE + "/tables/" + table;
  }

  private static ColumnFamily family(int versions) {
    return ColumnFamily.newBuilder()
        .setGcRule(GcRule.newBuilder().setMaxNumVersions(versions))
        .build();
  }

  private Table create(String table, String... families) {
    Table.Builder made = Table.newBuilder();
    for (String each : families) {
      made.putColumnFamilies(each, family(1));
    }
    return admin.createTable(
        CreateTableRequest.newBuilder()
            .setParent(INSTANCE)
            .setTableId(table)
            .setTable(made)
            .addInitialSplits(split("g"))
            .addInitialSplits(split("b"))
            .build());
  }

  private static CreateTableRequest.Split split(String key) {
    return CreateTableRequest.Split.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
  }

  private Table get(String table) {
    return admin.getTable(GetTableRequest.newBuilder().setName(name(table)).build());
  }

  private void write(String table, String row) {
    tables
        .apply(
            table,
            new CellBatchBuilder()
                .put(Bytes.utf8(row), Bytes.utf8("f"), Bytes.utf8("q"), 1000, Bytes.utf8("v"))
                .build(),
            Tables.ANY_TXN,
            true)
        .join();
  }

  private List<String> rows(String table) {
    return new TableFixture(tables, table).all();
  }

  private static void assertRefused(Status.Code code, String says, Runnable call) {
    StatusRuntimeException refused = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(refused).as("refused with %s", code).isNotNull();
    assertThat(refused.getStatus().getCode()).isEqualTo(code);
    assertThat(refused.getStatus().getDescription()).contains(says);
  }

  // ---- tables

  @Test
  void aTableIsMadeListedAndTold() {
    Table made = create("t", "f", "g");
    assertThat(made.getName()).isEqualTo(name("t"));
    assertThat(get("t")).isEqualTo(made);
    assertThat(made.getColumnFamiliesMap())
        .containsOnlyKeys("f", "g")
        .containsEntry("f", family(1));
    assertThat(tables.tablets("t")).hasSize(3);
    assertThat(tables.schema("t").group("f").orElseThrow().purge())
        .isEqualTo(new PurgePolicy.MaxHistory(1));
    create("a", "f");
    create("empty");
    assertThat(get("empty").getColumnFamiliesMap()).isEmpty();
    ListTablesResponse first =
        admin.listTables(ListTablesRequest.newBuilder().setParent(INSTANCE).setPageSize(2).build());
    assertThat(first.getTablesList())
        .extracting(Table::getName)
        .containsExactly(name("a"), name("empty"));
    ListTablesResponse rest =
        admin.listTables(
            ListTablesRequest.newBuilder()
                .setParent("projects/other/instances/x")
                .setPageToken(first.getNextPageToken())
                .setView(Table.View.FULL)
                .build());
    assertThat(rest.getNextPageToken()).isEmpty();
    assertThat(rest.getTablesList()).hasSize(1);
    assertThat(rest.getTables(0).getName()).isEqualTo("projects/other/instances/x/tables/t");
    assertThat(rest.getTables(0).getClusterStatesMap()).containsOnlyKeys("stele");
  }

  @Test
  void tablesThatWereMadeElsewhereAreShownAndChanged() {
    tables.create(
        "native",
        TableSchema.of(
            GroupSchema.of("default", "f", "g").withPurge(PurgePolicy.parse("max-age=5000000"))),
        List.of());
    assertThat(get("native").getColumnFamiliesOrThrow("f").getGcRule().getMaxAge().getSeconds())
        .isEqualTo(5);
    Table changed = modify("native", Modification.newBuilder().setId("f").setUpdate(family(4)));
    assertThat(changed.getColumnFamiliesOrThrow("f")).isEqualTo(family(4));
    assertThat(changed.getColumnFamiliesOrThrow("g").getGcRule().getMaxAge().getSeconds())
        .isEqualTo(5);
    tables.alter("native", TableSchema.of(GroupSchema.of("default", "f", "h")));
    assertThat(get("native").getColumnFamiliesOrThrow("f").getGcRule())
        .as("what was noted counts no more")
        .isEqualTo(GcRule.getDefaultInstance());
  }

  @Test
  void whatCannotBeMadeIsRefused() {
    create("t", "f");
    assertRefused(Status.Code.ALREADY_EXISTS, "\"t\"", () -> create("t", "f"));
    assertRefused(Status.Code.INVALID_ARGUMENT, "a/b", () -> create("a/b", "f"));
    assertRefused(Status.Code.INVALID_ARGUMENT, "no way", () -> create("u", "no way"));
    assertRefused(Status.Code.NOT_FOUND, name("none"), () -> get("none"));
    assertRefused(Status.Code.NOT_FOUND, "META1", () -> get("META1"));
    assertRefused(
        Status.Code.UNIMPLEMENTED,
        "ListAuthorizedViews",
        () ->
            admin.listAuthorizedViews(
                ListAuthorizedViewsRequest.newBuilder().setParent(name("t")).build()));
  }

  private Table modify(String table, Modification.Builder... changes) {
    ModifyColumnFamiliesRequest.Builder request =
        ModifyColumnFamiliesRequest.newBuilder().setName(name(table));
    List.of(changes).forEach(request::addModifications);
    return admin.modifyColumnFamilies(request.build());
  }

  @Test
  void familiesChangeTogetherOrNotAtAll() {
    create("t", "f");
    Table changed =
        modify(
            "t",
            Modification.newBuilder().setId("g").setCreate(family(2)),
            Modification.newBuilder().setId("f").setDrop(true),
            Modification.newBuilder().setId("g").setUpdate(family(3)));
    assertThat(changed.getColumnFamiliesMap()).isEqualTo(Map.of("g", family(3)));
    assertRefused(
        Status.Code.NOT_FOUND,
        "\"f\"",
        () ->
            modify(
                "t",
                Modification.newBuilder().setId("h").setCreate(family(2)),
                Modification.newBuilder().setId("f").setDrop(true)));
    assertThat(get("t")).isEqualTo(changed);
    assertRefused(
        Status.Code.ALREADY_EXISTS,
        "\"g\"",
        () -> modify("t", Modification.newBuilder().setId("g").setCreate(family(2))));
    assertThat(modify("t", Modification.newBuilder().setId("g").setDrop(true)))
        .extracting(Table::getColumnFamiliesCount)
        .isEqualTo(0);
  }

  @Test
  void aggregatesAreNotedAndThoseThatAreNotOfferedNamed() {
    Type.Aggregate sum =
        Type.Aggregate.newBuilder()
            .setInputType(Type.newBuilder().setInt64Type(Type.Int64.getDefaultInstance()))
            .setSum(Type.Aggregate.Sum.getDefaultInstance())
            .build();
    ColumnFamily summing =
        ColumnFamily.newBuilder().setValueType(Type.newBuilder().setAggregateType(sum)).build();
    create("t", "f");
    assertThat(
            modify("t", Modification.newBuilder().setId("s").setCreate(summing))
                .getColumnFamiliesOrThrow("s")
                .getValueType())
        .isEqualTo(summing.getValueType());
    ColumnFamily counting =
        ColumnFamily.newBuilder()
            .setValueType(
                Type.newBuilder()
                    .setAggregateType(
                        sum.toBuilder()
                            .setHllppUniqueCount(
                                Type.Aggregate.HyperLogLogPlusPlusUniqueCount
                                    .getDefaultInstance())))
            .build();
    assertRefused(
        Status.Code.UNIMPLEMENTED,
        "hllpp_unique_count",
        () -> modify("t", Modification.newBuilder().setId("h").setCreate(counting)));
  }

  @Test
  void rowsAreDroppedByPrefixOrAll() {
    create("t", "f");
    List.of("a1", "a2", "b1").forEach(row -> write("t", row));
    admin.dropRowRange(
        DropRowRangeRequest.newBuilder()
            .setName(name("t"))
            .setRowKeyPrefix(ByteString.copyFromUtf8("a"))
            .build());
    assertThat(rows("t")).hasSize(1);
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "neither",
        () -> admin.dropRowRange(DropRowRangeRequest.newBuilder().setName(name("t")).build()));
    admin.dropRowRange(
        DropRowRangeRequest.newBuilder()
            .setName(name("t"))
            .setDeleteAllDataFromTable(true)
            .build());
    assertThat(rows("t")).isEmpty();
  }

  // ---- deletion

  private void delete(String table) {
    admin.deleteTable(DeleteTableRequest.newBuilder().setName(name(table)).build());
  }

  private Table undelete(String table) throws InvalidProtocolBufferException {
    return admin
        .undeleteTable(UndeleteTableRequest.newBuilder().setName(name(table)).build())
        .getResponse()
        .unpack(Table.class);
  }

  @Test
  void aDeletedTableComesBackWithItsRowsAndRules() throws Exception {
    Table made = create("t", "f");
    write("t", "a");
    delete("t");
    assertRefused(Status.Code.NOT_FOUND, "\"" + name("t") + "\"", () -> get("t"));
    assertThat(undelete("t")).isEqualTo(made);
    assertThat(rows("t")).hasSize(1);
    delete("t");
    create("t", "other");
    assertRefused(
        Status.Code.ALREADY_EXISTS,
        "\"" + name("t") + "\"",
        () -> admin.undeleteTable(UndeleteTableRequest.newBuilder().setName(name("t")).build()));
    delete("t");
    assertThat(undelete("t").getColumnFamiliesMap()).containsOnlyKeys("other");
    delete("t");
    micros.addAndGet(TimeUnit.DAYS.toMicros(8));
    assertRefused(
        Status.Code.NOT_FOUND,
        "seven days",
        () -> admin.undeleteTable(UndeleteTableRequest.newBuilder().setName(name("t")).build()));
  }

  @Test
  void aProtectedTableStays() {
    create("t", "f");
    UpdateTableRequest protection =
        UpdateTableRequest.newBuilder()
            .setTable(Table.newBuilder().setName(name("t")).setDeletionProtection(true))
            .setUpdateMask(FieldMask.newBuilder().addPaths("deletion_protection"))
            .build();
    Operation updated = admin.updateTable(protection);
    assertThat(updated.getDone()).isTrue();
    assertThat(
            OperationsGrpc.newBlockingStub(channel)
                .getOperation(GetOperationRequest.newBuilder().setName(updated.getName()).build()))
        .isEqualTo(updated);
    assertRefused(Status.Code.FAILED_PRECONDITION, "deletion protection", () -> delete("t"));
    admin.updateTable(
        protection.toBuilder().setTable(Table.newBuilder().setName(name("t"))).build());
    delete("t");
  }

  // ---- backups

  private Backup backup(String id, String table, long expires)
      throws InvalidProtocolBufferException {
    return admin
        .createBackup(
            CreateBackupRequest.newBuilder()
                .setParent(CLUSTER)
                .setBackupId(id)
                .setBackup(
                    Backup.newBuilder()
                        .setSourceTable(name(table))
                        .setExpireTime(Timestamp.newBuilder().setSeconds(expires)))
                .build())
        .getResponse()
        .unpack(Backup.class);
  }

  private Table restore(String backup, String table) throws InvalidProtocolBufferException {
    return admin
        .restoreTable(
            RestoreTableRequest.newBuilder()
                .setParent(INSTANCE)
                .setTableId(table)
                .setBackup(backup)
                .build())
        .getResponse()
        .unpack(Table.class);
  }

  @Test
  void aBackupIsRestoredWhateverBecameOfItsTable() throws Exception {
    create("t", "f");
    write("t", "a");
    Backup made = backup("b", "t", START + 1000);
    assertThat(made.getState()).isEqualTo(Backup.State.READY);
    assertThat(admin.getBackup(GetBackupRequest.newBuilder().setName(made.getName()).build()))
        .isEqualTo(made);
    write("t", "later");
    delete("t");
    Table restored = restore(made.getName(), "r");
    assertThat(restored.getColumnFamiliesMap()).containsEntry("f", family(1));
    assertThat(restored.getRestoreInfo().getBackupInfo().getBackup()).isEqualTo(made.getName());
    assertThat(rows("r")).hasSize(1);
    assertRefused(
        Status.Code.ALREADY_EXISTS,
        "\"r\"",
        () ->
            admin.restoreTable(
                RestoreTableRequest.newBuilder()
                    .setParent(INSTANCE)
                    .setTableId("r")
                    .setBackup(made.getName())
                    .build()));
    assertThat(admin.listTables(ListTablesRequest.newBuilder().setParent(INSTANCE).build()))
        .extracting(ListTablesResponse::getTablesCount)
        .isEqualTo(1);
  }

  @Test
  void backupsAreCopiedListedAndEndInTime() throws Exception {
    create("t", "f");
    Backup made = backup("b", "t", START + 1000);
    String other = INSTANCE + "/clusters/other";
    Backup copy =
        admin
            .copyBackup(
                CopyBackupRequest.newBuilder()
                    .setParent(other)
                    .setBackupId("b2")
                    .setSourceBackup(made.getName())
                    .setExpireTime(Timestamp.newBuilder().setSeconds(START + 5000))
                    .build())
            .getResponse()
            .unpack(Backup.class);
    assertThat(copy.getSourceBackup()).isEqualTo(made.getName());
    assertThat(backups("-")).containsExactly(made.getName(), copy.getName());
    assertThat(backups("c")).containsExactly(made.getName());
    micros.addAndGet(2000L * 1_000_000);
    assertThat(backups("-")).containsExactly(copy.getName());
    assertRefused(
        Status.Code.NOT_FOUND,
        made.getName(),
        () -> admin.deleteBackup(DeleteBackupRequest.newBuilder().setName(made.getName()).build()));
    backup("b", "t", START + 3000); // the name is free again
    admin.deleteBackup(DeleteBackupRequest.newBuilder().setName(copy.getName()).build());
    assertThat(backups("other")).isEmpty();
    assertThat(tables.list(false)).noneMatch(name -> name.contains("/clusters/other/"));
  }

  @Test
  void whatEndsInTimeLeavesNothingBehind() throws Exception {
    create("t", "f");
    backup("b", "t", START + 1000);
    create("u", "f");
    delete("u");
    assertThat(hidden()).hasSize(2);
    Notes notes = new Notes(tables, tables);
    TableAdminService upkeep =
        new TableAdminService(
            tables,
            tables,
            notes,
            new NotedTypes(notes, clock, Runnable::run),
            new DoneOperations(notes, clock, RandomSource.system()),
            clock,
            new BigtableCalls(Runnable::run));
    upkeep.forgetOld();
    assertThat(hidden()).hasSize(2);
    micros.addAndGet(2000L * 1_000_000);
    upkeep.forgetOld();
    assertThat(hidden()).containsExactly("bigtable/deleted/u");
    micros.addAndGet(TimeUnit.DAYS.toMicros(7));
    upkeep.forgetOld();
    assertThat(hidden()).isEmpty();
    assertThat(notes.list("")).extracting(Notes.Note::key).containsExactly("table/t");
  }

  private List<String> hidden() {
    return tables.list(false).stream()
        .filter(name -> name.contains("/") && !name.equals(Notes.TABLE))
        .toList();
  }

  private List<String> backups(String cluster) {
    return admin
        .listBackups(
            ListBackupsRequest.newBuilder().setParent(INSTANCE + "/clusters/" + cluster).build())
        .getBackupsList()
        .stream()
        .map(Backup::getName)
        .toList();
  }

  @Test
  void snapshotsDoTheSameByTheirOwnCalls() throws Exception {
    create("t", "f");
    write("t", "a");
    Operation made =
        admin.snapshotTable(
            SnapshotTableRequest.newBuilder()
                .setName(name("t"))
                .setCluster(CLUSTER)
                .setSnapshotId("s")
                .setTtl(Duration.newBuilder().setSeconds(100))
                .build());
    assertThat(made.getDone()).isTrue();
    admin.createTableFromSnapshot(
        CreateTableFromSnapshotRequest.newBuilder()
            .setParent(INSTANCE)
            .setTableId("r")
            .setSourceSnapshot(CLUSTER + "/snapshots/s")
            .build());
    assertThat(rows("r")).hasSize(1);
    assertThat(get("r").getColumnFamiliesMap()).containsEntry("f", family(1));
  }

  @Test
  void whatIsNotOfferedSaysWhy() {
    assertRefused(
        Status.Code.UNIMPLEMENTED,
        "change stream",
        () ->
            BigtableGrpc.newBlockingStub(channel)
                .readChangeStream(ReadChangeStreamRequest.getDefaultInstance())
                .hasNext());
  }

  @Test
  void tokensAreOfTheirTable() {
    create("t", "f");
    create("u", "f");
    String token =
        admin
            .generateConsistencyToken(
                GenerateConsistencyTokenRequest.newBuilder().setName(name("t")).build())
            .getConsistencyToken();
    CheckConsistencyRequest check =
        CheckConsistencyRequest.newBuilder().setName(name("t")).setConsistencyToken(token).build();
    assertThat(admin.checkConsistency(check).getConsistent()).isTrue();
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        token,
        () -> admin.checkConsistency(check.toBuilder().setName(name("u")).build()));
  }

  // ---- instances

  @Test
  void everyInstanceIsThereAndThoseThatWereMadeAreListed() {
    assertThat(instances.getInstance(GetInstanceRequest.newBuilder().setName(INSTANCE).build()))
        .extracting(Instance::getState)
        .isEqualTo(Instance.State.READY);
    CreateInstanceRequest made =
        CreateInstanceRequest.newBuilder()
            .setParent("projects/p")
            .setInstanceId("mine")
            .setInstance(Instance.newBuilder().setDisplayName("My own"))
            .build();
    assertThat(instances.createInstance(made).getDone()).isTrue();
    assertRefused(Status.Code.ALREADY_EXISTS, "mine", () -> instances.createInstance(made));
    assertThat(
            instances
                .listInstances(ListInstancesRequest.newBuilder().setParent("projects/p").build())
                .getInstancesList())
        .extracting(Instance::getDisplayName)
        .containsExactly("My own", "stele");
  }

  @Test
  void appProfilesAreKept() {
    AppProfile made =
        instances.createAppProfile(
            CreateAppProfileRequest.newBuilder()
                .setParent(INSTANCE)
                .setAppProfileId("batch")
                .setAppProfile(AppProfile.newBuilder().setDescription("nightly"))
                .build());
    assertThat(
            instances
                .listAppProfiles(ListAppProfilesRequest.newBuilder().setParent(INSTANCE).build())
                .getAppProfilesList())
        .hasSize(2)
        .contains(made);
  }

  @Test
  void whoeverAsksMayDoEverything() {
    assertThat(
            admin
                .testIamPermissions(
                    TestIamPermissionsRequest.newBuilder()
                        .setResource(name("t"))
                        .addPermissions("bigtable.tables.readRows")
                        .build())
                .getPermissionsList())
        .containsExactly("bigtable.tables.readRows");
  }
}
