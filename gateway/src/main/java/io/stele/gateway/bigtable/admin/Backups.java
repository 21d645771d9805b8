package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.Backup;
import com.google.bigtable.admin.v2.BackupInfo;
import com.google.bigtable.admin.v2.CopyBackupMetadata;
import com.google.bigtable.admin.v2.CopyBackupRequest;
import com.google.bigtable.admin.v2.CreateBackupMetadata;
import com.google.bigtable.admin.v2.CreateBackupRequest;
import com.google.bigtable.admin.v2.ListBackupsRequest;
import com.google.bigtable.admin.v2.ListBackupsResponse;
import com.google.bigtable.admin.v2.OperationProgress;
import com.google.bigtable.admin.v2.RestoreInfo;
import com.google.bigtable.admin.v2.RestoreSourceType;
import com.google.bigtable.admin.v2.RestoreTableMetadata;
import com.google.bigtable.admin.v2.RestoreTableRequest;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.UpdateBackupRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Timestamp;
import io.stele.base.error.InvalidRequestException;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import java.util.List;

/** Backups are hidden tables of the same files, and what is restored is a table of theirs. */
final class Backups {
  private final NotedTables tables;
  private final TableChanges changes;
  private final DoneOperations operations;
  private final StoredCopies<Backup> backups;

  Backups(NotedTables tables, TableChanges changes, Notes notes, DoneOperations operations) {
    this.tables = tables;
    this.changes = changes;
    this.operations = operations;
    this.backups =
        new StoredCopies<>(
            "backup",
            tables,
            notes,
            Backup.parser(),
            backup -> backup.getState() == Backup.State.READY,
            backup -> NotedTables.micros(backup.getExpireTime()));
  }

  private static String name(ClusterName cluster, String id) {
    if (cluster.cluster().equals(ClusterName.ANY)) {
      throw new InvalidRequestException(
          "backup in cluster \"" + cluster + "\": must be one cluster's");
    }
    return cluster + "/backups/" + TableChanges.checkName(id);
  }

  private Timestamp checkExpiry(Timestamp expiry) {
    if (NotedTables.micros(expiry) <= tables.micros()) {
      throw new InvalidRequestException(
          "expire_time of "
              + expiry.getSeconds()
              + " seconds since 1970: must be given, and in the future");
    }
    return expiry;
  }

  Operation create(CreateBackupRequest request) {
    String name = name(ClusterName.parse(request.getParent()), request.getBackupId());
    Backup given = request.getBackup();
    TableName source = TableName.parse(given.getSourceTable());
    Backup begun =
        Backup.newBuilder()
            .setName(name)
            .setSourceTable(source.toString())
            .setExpireTime(checkExpiry(given.getExpireTime()))
            .setStartTime(tables.now())
            .setState(Backup.State.CREATING)
            .setBackupType(Backup.BackupType.STANDARD)
            .build();
    return changes.alone(
        () -> {
          var _ = tables.schema(source);
          Backup made = backups.make(name, begun, source.table(), this::complete);
          return operations.done(
              name,
              CreateBackupMetadata.newBuilder()
                  .setName(name)
                  .setSourceTable(made.getSourceTable())
                  .setStartTime(made.getStartTime())
                  .setEndTime(made.getEndTime())
                  .build(),
              made);
        });
  }

  private Backup complete(Backup begun) {
    return begun.toBuilder()
        .setEndTime(tables.now())
        .setSizeBytes(tables.bytes(backups.table(begun.getName())))
        .setState(Backup.State.READY)
        .build();
  }

  Backup get(String name) {
    return backups.get(name);
  }

  Backup update(UpdateBackupRequest request) {
    List<String> paths = request.getUpdateMask().getPathsList();
    if (!paths.equals(List.of("expire_time"))) {
      throw new InvalidRequestException(
          "update_mask " + paths + " of a backup: must be expire_time");
    }
    Backup changed =
        backups.get(request.getBackup().getName()).toBuilder()
            .setExpireTime(checkExpiry(request.getBackup().getExpireTime()))
            .build();
    backups.note(changed.getName(), changed);
    return changed;
  }

  void delete(String name) {
    changes.alone(
        () -> {
          backups.delete(name);
          return name;
        });
  }

  ListBackupsResponse list(ListBackupsRequest request) {
    if (!request.getFilter().isEmpty()) {
      throw Refusal.notOffered(
          "filter \"" + request.getFilter() + "\" of backups", "list all, and choose");
    }
    if (!request.getOrderBy().isEmpty() && !request.getOrderBy().equals("name")) {
      throw Refusal.notOffered(
          "order_by \"" + request.getOrderBy() + "\" of backups", "they come by their names");
    }
    ListBackupsResponse.Builder response = ListBackupsResponse.newBuilder();
    String next =
        Paging.page(
            backups.list(ClusterName.parse(request.getParent()).prefix()),
            request.getPageSize(),
            request.getPageToken(),
            response::addBackups);
    return response.setNextPageToken(next).build();
  }

  Operation copy(CopyBackupRequest request) {
    String name = name(ClusterName.parse(request.getParent()), request.getBackupId());
    Timestamp expiry = checkExpiry(request.getExpireTime());
    return changes.alone(
        () -> {
          Backup source = backups.get(request.getSourceBackup());
          Backup begun =
              source.toBuilder()
                  .setName(name)
                  .setSourceBackup(source.getName())
                  .setExpireTime(expiry)
                  .setStartTime(tables.now())
                  .clearEndTime()
                  .setState(Backup.State.CREATING)
                  .build();
          Backup made = backups.make(name, begun, backups.table(source.getName()), this::complete);
          return operations.done(
              name,
              CopyBackupMetadata.newBuilder()
                  .setName(name)
                  .setSourceBackupInfo(info(source))
                  .setProgress(progress(made))
                  .build(),
              made);
        });
  }

  private static BackupInfo info(Backup backup) {
    return BackupInfo.newBuilder()
        .setBackup(backup.getName())
        .setStartTime(backup.getStartTime())
        .setEndTime(backup.getEndTime())
        .setSourceTable(backup.getSourceTable())
        .setSourceBackup(backup.getSourceBackup())
        .build();
  }

  private OperationProgress progress(Backup made) {
    return OperationProgress.newBuilder()
        .setProgressPercent(100)
        .setStartTime(made.getStartTime())
        .setEndTime(tables.now())
        .build();
  }

  Operation restore(RestoreTableRequest request) {
    InstanceName instance = InstanceName.parse(request.getParent());
    TableName target = instance.table(TableChanges.checkName(request.getTableId()));
    return changes.alone(
        () -> {
          Backup source = backups.get(request.getBackup());
          Timestamp start = tables.now();
          tables.copy(backups.table(source.getName()), target.table());
          tables.note(
              target.table(),
              tables.note(target.table()).toBuilder()
                  .setDeletionProtection(false)
                  .setRestoreInfo(
                      RestoreInfo.newBuilder()
                          .setSourceType(RestoreSourceType.BACKUP)
                          .setBackupInfo(info(source)))
                  .build());
          return operations.done(
              target.toString(),
              RestoreTableMetadata.newBuilder()
                  .setName(target.toString())
                  .setSourceType(RestoreSourceType.BACKUP)
                  .setBackupInfo(info(source))
                  .setProgress(progress(source.toBuilder().setStartTime(start).build()))
                  .build(),
              tables.show(target, Table.View.SCHEMA_VIEW));
        });
  }

  void forgetOld() {
    changes.alone(
        () -> {
          backups.forgetOld();
          return tables;
        });
  }
}
