package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.CreateTableFromSnapshotMetadata;
import com.google.bigtable.admin.v2.CreateTableFromSnapshotRequest;
import com.google.bigtable.admin.v2.ListSnapshotsRequest;
import com.google.bigtable.admin.v2.ListSnapshotsResponse;
import com.google.bigtable.admin.v2.Snapshot;
import com.google.bigtable.admin.v2.SnapshotTableMetadata;
import com.google.bigtable.admin.v2.SnapshotTableRequest;
import com.google.bigtable.admin.v2.Table;
import com.google.longrunning.Operation;
import com.google.protobuf.Timestamp;
import io.stele.base.error.InvalidRequestException;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;

/** Snapshots: as backups, by the older calls. */
final class Snapshots {
  private static final long MICROS = 1_000_000;

  private final NotedTables tables;
  private final TableChanges changes;
  private final DoneOperations operations;
  private final StoredCopies<Snapshot> snapshots;

  Snapshots(NotedTables tables, TableChanges changes, Notes notes, DoneOperations operations) {
    this.tables = tables;
    this.changes = changes;
    this.operations = operations;
    this.snapshots =
        new StoredCopies<>(
            "snapshot",
            tables,
            notes,
            Snapshot.parser(),
            snapshot -> snapshot.getState() == Snapshot.State.READY,
            snapshot ->
                snapshot.hasDeleteTime()
                    ? NotedTables.micros(snapshot.getDeleteTime())
                    : Long.MAX_VALUE);
  }

  Operation make(SnapshotTableRequest request) {
    TableName source = TableName.parse(request.getName());
    ClusterName cluster = ClusterName.parse(request.getCluster());
    String name = cluster + "/snapshots/" + TableChanges.checkName(request.getSnapshotId());
    Timestamp start = tables.now();
    return changes.alone(
        () -> {
          Snapshot.Builder begun =
              Snapshot.newBuilder()
                  .setName(name)
                  .setSourceTable(tables.show(source, Table.View.SCHEMA_VIEW))
                  .setCreateTime(start)
                  .setDescription(request.getDescription())
                  .setState(Snapshot.State.CREATING);
          if (request.hasTtl()) {
            begun.setDeleteTime(deleteTime(request));
          }
          Snapshot made =
              snapshots.make(
                  name,
                  begun.build(),
                  source.table(),
                  each ->
                      each.toBuilder()
                          .setDataSizeBytes(tables.bytes(snapshots.table(name)))
                          .setState(Snapshot.State.READY)
                          .build());
          return operations.done(
              name,
              SnapshotTableMetadata.newBuilder()
                  .setOriginalRequest(request)
                  .setRequestTime(start)
                  .setFinishTime(tables.now())
                  .build(),
              made);
        });
  }

  private Timestamp deleteTime(SnapshotTableRequest request) {
    long micros = request.getTtl().getSeconds() * MICROS + request.getTtl().getNanos() / 1000;
    if (micros <= 0) {
      throw new InvalidRequestException(
          "ttl of a snapshot of " + micros + " microseconds: must be above 0");
    }
    return NotedTables.timestamp(tables.micros() + micros);
  }

  Snapshot get(String name) {
    return snapshots.get(name);
  }

  ListSnapshotsResponse list(ListSnapshotsRequest request) {
    ListSnapshotsResponse.Builder response = ListSnapshotsResponse.newBuilder();
    String next =
        Paging.page(
            snapshots.list(ClusterName.parse(request.getParent()).prefix()),
            request.getPageSize(),
            request.getPageToken(),
            response::addSnapshots);
    return response.setNextPageToken(next).build();
  }

  void delete(String name) {
    changes.alone(
        () -> {
          snapshots.delete(name);
          return name;
        });
  }

  Operation restore(CreateTableFromSnapshotRequest request) {
    InstanceName instance = InstanceName.parse(request.getParent());
    TableName target = instance.table(TableChanges.checkName(request.getTableId()));
    Timestamp start = tables.now();
    return changes.alone(
        () -> {
          Snapshot source = snapshots.get(request.getSourceSnapshot());
          tables.copy(snapshots.table(source.getName()), target.table());
          return operations.done(
              target.toString(),
              CreateTableFromSnapshotMetadata.newBuilder()
                  .setOriginalRequest(request)
                  .setRequestTime(start)
                  .setFinishTime(tables.now())
                  .build(),
              tables.show(target, Table.View.SCHEMA_VIEW));
        });
  }

  void forgetOld() {
    changes.alone(
        () -> {
          snapshots.forgetOld();
          return tables;
        });
  }
}
