package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.AuthorizedView;
import com.google.bigtable.admin.v2.Backup;
import com.google.bigtable.admin.v2.BigtableTableAdminGrpc;
import com.google.bigtable.admin.v2.CheckConsistencyRequest;
import com.google.bigtable.admin.v2.CheckConsistencyResponse;
import com.google.bigtable.admin.v2.CopyBackupRequest;
import com.google.bigtable.admin.v2.CreateAuthorizedViewRequest;
import com.google.bigtable.admin.v2.CreateBackupRequest;
import com.google.bigtable.admin.v2.CreateSchemaBundleRequest;
import com.google.bigtable.admin.v2.CreateTableFromSnapshotRequest;
import com.google.bigtable.admin.v2.CreateTableRequest;
import com.google.bigtable.admin.v2.DeleteAuthorizedViewRequest;
import com.google.bigtable.admin.v2.DeleteBackupRequest;
import com.google.bigtable.admin.v2.DeleteSchemaBundleRequest;
import com.google.bigtable.admin.v2.DeleteSnapshotRequest;
import com.google.bigtable.admin.v2.DeleteTableRequest;
import com.google.bigtable.admin.v2.DropRowRangeRequest;
import com.google.bigtable.admin.v2.GenerateConsistencyTokenRequest;
import com.google.bigtable.admin.v2.GenerateConsistencyTokenResponse;
import com.google.bigtable.admin.v2.GetAuthorizedViewRequest;
import com.google.bigtable.admin.v2.GetBackupRequest;
import com.google.bigtable.admin.v2.GetSchemaBundleRequest;
import com.google.bigtable.admin.v2.GetSnapshotRequest;
import com.google.bigtable.admin.v2.GetTableRequest;
import com.google.bigtable.admin.v2.ListAuthorizedViewsRequest;
import com.google.bigtable.admin.v2.ListAuthorizedViewsResponse;
import com.google.bigtable.admin.v2.ListBackupsRequest;
import com.google.bigtable.admin.v2.ListBackupsResponse;
import com.google.bigtable.admin.v2.ListSchemaBundlesRequest;
import com.google.bigtable.admin.v2.ListSchemaBundlesResponse;
import com.google.bigtable.admin.v2.ListSnapshotsRequest;
import com.google.bigtable.admin.v2.ListSnapshotsResponse;
import com.google.bigtable.admin.v2.ListTablesRequest;
import com.google.bigtable.admin.v2.ListTablesResponse;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest;
import com.google.bigtable.admin.v2.RestoreTableRequest;
import com.google.bigtable.admin.v2.SchemaBundle;
import com.google.bigtable.admin.v2.Snapshot;
import com.google.bigtable.admin.v2.SnapshotTableRequest;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.UndeleteTableMetadata;
import com.google.bigtable.admin.v2.UndeleteTableRequest;
import com.google.bigtable.admin.v2.UpdateAuthorizedViewRequest;
import com.google.bigtable.admin.v2.UpdateBackupRequest;
import com.google.bigtable.admin.v2.UpdateSchemaBundleRequest;
import com.google.bigtable.admin.v2.UpdateTableMetadata;
import com.google.bigtable.admin.v2.UpdateTableRequest;
import com.google.iam.v1.GetIamPolicyRequest;
import com.google.iam.v1.Policy;
import com.google.iam.v1.SetIamPolicyRequest;
import com.google.iam.v1.TestIamPermissionsRequest;
import com.google.iam.v1.TestIamPermissionsResponse;
import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code google.bigtable.admin.v2.BigtableTableAdmin}. */
public final class TableAdminService extends BigtableTableAdminGrpc.BigtableTableAdminImplBase {
  private static final String VIEWS =
      "Stele has no views of a part of a table; give those who may see less a table of their own";
  private static final String BUNDLES = "schemas of values are of use to SQL only";

  private final Tables rows;
  private final NotedTables tables;
  private final TableChanges changes;
  private final Backups backups;
  private final Snapshots snapshots;
  private final ConsistencyTokens tokens;
  private final DoneOperations operations;
  private final BigtableCalls calls;

  public TableAdminService(
      Tables rows,
      TableAdmin admin,
      Notes notes,
      NotedTypes types,
      DoneOperations operations,
      Clock clock,
      BigtableCalls calls) {
    this.rows = rows;
    this.tables = new NotedTables(admin, notes, types, clock);
    this.changes = new TableChanges(tables, notes);
    this.backups = new Backups(tables, changes, notes, operations);
    this.snapshots = new Snapshots(tables, changes, notes, operations);
    this.tokens = new ConsistencyTokens(tables);
    this.operations = operations;
    this.calls = calls;
  }

  /** Ends what was kept for a time that is over: backups, snapshots, deleted tables. */
  public void forgetOld() {
    backups.forgetOld();
    snapshots.forgetOld();
    changes.forgetDeleted();
    operations.forgetOld();
  }

  private static Empty done(Runnable work) {
    work.run();
    return Empty.getDefaultInstance();
  }

  private static Table.View view(Table.View asked, Table.View usual) {
    return asked == Table.View.VIEW_UNSPECIFIED ? usual : asked;
  }

  private ListTablesResponse list(ListTablesRequest request) {
    InstanceName instance = InstanceName.parse(request.getParent());
    SortedMap<String, String> names = new TreeMap<>();
    tables.list().forEach(name -> names.put(name, name));
    Table.View view = view(request.getView(), Table.View.NAME_ONLY);
    ListTablesResponse.Builder response = ListTablesResponse.newBuilder();
    String next =
        Paging.page(
            names,
            request.getPageSize(),
            request.getPageToken(),
            name ->
                response.addTables(
                    view == Table.View.NAME_ONLY
                        ? Table.newBuilder().setName(instance.table(name).toString()).build()
                        : tables.show(instance.table(name), view)));
    return response.setNextPageToken(next).build();
  }

  private Operation update(UpdateTableRequest request) {
    Timestamp start = tables.now();
    Table table = changes.update(request);
    return operations.done(
        table.getName(),
        UpdateTableMetadata.newBuilder()
            .setName(table.getName())
            .setStartTime(start)
            .setEndTime(tables.now())
            .build(),
        table);
  }

  private Operation undelete(UndeleteTableRequest request) {
    Timestamp start = tables.now();
    Table table = changes.undelete(TableName.parse(request.getName()));
    return operations.done(
        table.getName(),
        UndeleteTableMetadata.newBuilder()
            .setName(table.getName())
            .setStartTime(start)
            .setEndTime(tables.now())
            .build(),
        table);
  }

  private void dropRows(DropRowRangeRequest request) {
    TableName name = TableName.parse(request.getName());
    var _ = tables.schema(name);
    switch (request.getTargetCase()) {
      case ROW_KEY_PREFIX -> {
        if (request.getRowKeyPrefix().isEmpty()) {
          throw new InvalidRequestException(
              "row_key_prefix without a byte: must have one; all rows are"
                  + " delete_all_data_from_table");
        }
        long _ =
            rows.deleteRows(
                name.table(), RowRange.prefix(Bytes.wrap(request.getRowKeyPrefix().toByteArray())));
      }
      case DELETE_ALL_DATA_FROM_TABLE -> {
        if (!request.getDeleteAllDataFromTable()) {
          throw new InvalidRequestException(
              "delete_all_data_from_table is false: must be true, or row_key_prefix be given");
        }
        rows.truncate(name.table());
      }
      case TARGET_NOT_SET ->
          throw new InvalidRequestException(
              "neither row_key_prefix nor delete_all_data_from_table: must be one of them");
    }
  }

  private <R> void refuse(StreamObserver<R> caller, String what, String why) {
    calls.answer(
        caller,
        () -> {
          throw Refusal.notOffered(what, why);
        });
  }

  @Override
  public void createTable(CreateTableRequest request, StreamObserver<Table> caller) {
    calls.answer(caller, () -> changes.create(request));
  }

  @Override
  public void listTables(ListTablesRequest request, StreamObserver<ListTablesResponse> caller) {
    calls.answer(caller, () -> list(request));
  }

  @Override
  public void getTable(GetTableRequest request, StreamObserver<Table> caller) {
    calls.answer(
        caller,
        () ->
            tables.show(
                TableName.parse(request.getName()),
                view(request.getView(), Table.View.SCHEMA_VIEW)));
  }

  @Override
  public void updateTable(UpdateTableRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> update(request));
  }

  @Override
  public void deleteTable(DeleteTableRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> changes.delete(TableName.parse(request.getName()))));
  }

  @Override
  public void undeleteTable(UndeleteTableRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> undelete(request));
  }

  @Override
  public void modifyColumnFamilies(
      ModifyColumnFamiliesRequest request, StreamObserver<Table> caller) {
    calls.answer(caller, () -> changes.modify(request));
  }

  @Override
  public void dropRowRange(DropRowRangeRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> dropRows(request)));
  }

  @Override
  public void generateConsistencyToken(
      GenerateConsistencyTokenRequest request,
      StreamObserver<GenerateConsistencyTokenResponse> caller) {
    calls.answer(
        caller,
        () ->
            GenerateConsistencyTokenResponse.newBuilder()
                .setConsistencyToken(tokens.make(TableName.parse(request.getName())))
                .build());
  }

  @Override
  public void checkConsistency(
      CheckConsistencyRequest request, StreamObserver<CheckConsistencyResponse> caller) {
    calls.answer(
        caller,
        () ->
            CheckConsistencyResponse.newBuilder()
                .setConsistent(
                    tokens.check(TableName.parse(request.getName()), request.getConsistencyToken()))
                .build());
  }

  @Override
  public void createBackup(CreateBackupRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> backups.create(request));
  }

  @Override
  public void getBackup(GetBackupRequest request, StreamObserver<Backup> caller) {
    calls.answer(caller, () -> backups.get(request.getName()));
  }

  @Override
  public void updateBackup(UpdateBackupRequest request, StreamObserver<Backup> caller) {
    calls.answer(caller, () -> backups.update(request));
  }

  @Override
  public void deleteBackup(DeleteBackupRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> backups.delete(request.getName())));
  }

  @Override
  public void listBackups(ListBackupsRequest request, StreamObserver<ListBackupsResponse> caller) {
    calls.answer(caller, () -> backups.list(request));
  }

  @Override
  public void restoreTable(RestoreTableRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> backups.restore(request));
  }

  @Override
  public void copyBackup(CopyBackupRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> backups.copy(request));
  }

  @Override
  public void snapshotTable(SnapshotTableRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> snapshots.make(request));
  }

  @Override
  public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> caller) {
    calls.answer(caller, () -> snapshots.get(request.getName()));
  }

  @Override
  public void listSnapshots(
      ListSnapshotsRequest request, StreamObserver<ListSnapshotsResponse> caller) {
    calls.answer(caller, () -> snapshots.list(request));
  }

  @Override
  public void deleteSnapshot(DeleteSnapshotRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> snapshots.delete(request.getName())));
  }

  @Override
  public void createTableFromSnapshot(
      CreateTableFromSnapshotRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> snapshots.restore(request));
  }

  @Override
  public void getIamPolicy(GetIamPolicyRequest request, StreamObserver<Policy> caller) {
    calls.answer(caller, () -> Access.policy());
  }

  @Override
  public void setIamPolicy(SetIamPolicyRequest request, StreamObserver<Policy> caller) {
    calls.answer(
        caller,
        () -> {
          throw Access.cannotSet(request.getResource());
        });
  }

  @Override
  public void testIamPermissions(
      TestIamPermissionsRequest request, StreamObserver<TestIamPermissionsResponse> caller) {
    calls.answer(caller, () -> Access.test(request));
  }

  // ---- what is not offered

  @Override
  public void createAuthorizedView(
      CreateAuthorizedViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "CreateAuthorizedView", VIEWS);
  }

  @Override
  public void createSchemaBundle(
      CreateSchemaBundleRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "CreateSchemaBundle", BUNDLES);
  }

  @Override
  public void listAuthorizedViews(
      ListAuthorizedViewsRequest request, StreamObserver<ListAuthorizedViewsResponse> caller) {
    refuse(caller, "ListAuthorizedViews", VIEWS);
  }

  @Override
  public void listSchemaBundles(
      ListSchemaBundlesRequest request, StreamObserver<ListSchemaBundlesResponse> caller) {
    refuse(caller, "ListSchemaBundles", BUNDLES);
  }

  @Override
  public void getAuthorizedView(
      GetAuthorizedViewRequest request, StreamObserver<AuthorizedView> caller) {
    refuse(caller, "GetAuthorizedView", VIEWS);
  }

  @Override
  public void getSchemaBundle(GetSchemaBundleRequest request, StreamObserver<SchemaBundle> caller) {
    refuse(caller, "GetSchemaBundle", BUNDLES);
  }

  @Override
  public void updateAuthorizedView(
      UpdateAuthorizedViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "UpdateAuthorizedView", VIEWS);
  }

  @Override
  public void updateSchemaBundle(
      UpdateSchemaBundleRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "UpdateSchemaBundle", BUNDLES);
  }

  @Override
  public void deleteAuthorizedView(
      DeleteAuthorizedViewRequest request, StreamObserver<Empty> caller) {
    refuse(caller, "DeleteAuthorizedView", VIEWS);
  }

  @Override
  public void deleteSchemaBundle(DeleteSchemaBundleRequest request, StreamObserver<Empty> caller) {
    refuse(caller, "DeleteSchemaBundle", BUNDLES);
  }
}
