package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.Backup;
import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.CreateTableRequest;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest.Modification;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.UpdateTableRequest;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.gateway.bigtable.gc.GcRules;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * How tables come, change and go. One change at a time: what is decided by a schema must still be
 * so when it is put into force.
 *
 * <p>A table that is deleted becomes a hidden one of the same files, which can be had back for a
 * week:
 *
 * <pre>
 *   delete      noted ─► bigtable/deleted/TABLE is a copy ─► TABLE is dropped
 *   undelete    TABLE is a copy of it ─► it is dropped ─► no longer noted
 * </pre>
 *
 * <p>A crash in between leaves a table that is still there, or is there again; its next deletion
 * begins anew.
 */
final class TableChanges {
  static final String HIDDEN = "bigtable/deleted/";
  private static final long KEPT_MICROS = Duration.ofDays(7).toNanos() / 1000;
  private static final int LONGEST = 50;
  private static final int MOST_TRIES = 10;
  private static final Pattern NAME = Pattern.compile("[_a-zA-Z0-9][-_.a-zA-Z0-9]*");

  private final NotedTables tables;
  private final NotedMessages<Backup> deleted; // when, by the name of the table
  private final ReentrantLock changing = new ReentrantLock();

  TableChanges(NotedTables tables, Notes notes) {
    this.tables = tables;
    this.deleted = new NotedMessages<>(notes, Notes.DELETED, Backup.parser());
  }

  <T> T alone(Supplier<T> change) {
    changing.lock();
    try {
      return change.get();
    } finally {
      changing.unlock();
    }
  }

  // ---- making

  Table create(CreateTableRequest request) {
    InstanceName instance = InstanceName.parse(request.getParent());
    TableName name = instance.table(checkName(request.getTableId()));
    Table given = request.getTable();
    checkUnoffered(given);
    SortedMap<String, PurgePolicy> families = new TreeMap<>();
    given
        .getColumnFamiliesMap()
        .forEach(
            (family, how) -> {
              var _ = NotedTypes.aggregate(family, how);
              families.put(family, GcRules.policy(how.getGcRule()));
            });
    TreeSet<Bytes> splits = new TreeSet<>();
    for (CreateTableRequest.Split split : request.getInitialSplitsList()) {
      if (split.getKey().isEmpty()) {
        throw new InvalidRequestException("an initial split without a key: must have one");
      }
      splits.add(Bytes.wrap(split.getKey().toByteArray()));
    }
    TableSchema schema = FamilyGroups.schema(families);
    return alone(
        () -> {
          tables.create(
              name.table(),
              schema,
              List.copyOf(splits),
              Table.newBuilder()
                  .putAllColumnFamilies(given.getColumnFamiliesMap())
                  .setDeletionProtection(given.getDeletionProtection())
                  .build());
          return tables.show(name, Table.View.SCHEMA_VIEW);
        });
  }

  static String checkName(String table) {
    if (table.length() > LONGEST || !NAME.matcher(table).matches()) {
      throw new InvalidRequestException(
          "table id \""
              + table
              + "\": must be "
              + NAME
              + " and at most "
              + LONGEST
              + " characters");
    }
    return table;
  }

  private static void checkUnoffered(Table given) {
    if (given.hasChangeStreamConfig()) {
      throw Refusal.notOffered(
          "change_stream_config of a table", "Stele keeps no log of changes for others to read");
    }
    if (given.hasAutomatedBackupPolicy()) {
      throw Refusal.notOffered(
          "automated_backup_policy of a table", "make backups by CreateBackup when they are due");
    }
    if (given.hasTieredStorageConfig()) {
      throw Refusal.notOffered(
          "tiered_storage_config of a table", "all files of a table are in one place");
    }
    if (given.hasRowKeySchema()) {
      throw Refusal.notOffered("row_key_schema of a table", "it is of use to SQL only");
    }
    if (given.getGranularity() == Table.TimestampGranularity.MICROS) {
      throw new InvalidRequestException("granularity MICROS of a table: must be MILLIS");
    }
  }

  // ---- changing

  Table update(UpdateTableRequest request) {
    TableName name = TableName.parse(request.getTable().getName());
    if (request.getUpdateMask().getPathsCount() == 0) {
      throw new InvalidRequestException("an update_mask without paths: must name what to update");
    }
    checkUnoffered(request.getTable());
    for (String path : request.getUpdateMask().getPathsList()) {
      if (!path.equals("deletion_protection")) {
        throw path.startsWith("change_stream_config")
                || path.startsWith("automated_backup_policy")
                || path.startsWith("tiered_storage_config")
                || path.startsWith("row_key_schema")
            ? Refusal.notOffered("update of " + path, "Stele's tables have no such thing")
            : new InvalidRequestException(
                "update_mask \"" + path + "\": must be deletion_protection");
      }
    }
    return alone(
        () -> {
          TableSchema _ = tables.schema(name);
          tables.note(
              name.table(),
              tables.note(name.table()).toBuilder()
                  .setDeletionProtection(request.getTable().getDeletionProtection())
                  .build());
          return tables.show(name, Table.View.SCHEMA_VIEW);
        });
  }

  /** All modifications in one change of the schema, or none. */
  Table modify(ModifyColumnFamiliesRequest request) {
    TableName name = TableName.parse(request.getName());
    for (int tries = 1; ; tries++) {
      try {
        return modifyOnce(name, request);
      } catch (ConflictException e) { // by another node, which knows nothing of this one's lock
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  private Table modifyOnce(TableName name, ModifyColumnFamiliesRequest request) {
    return alone(
        () -> {
          TableSchema before = tables.schema(name);
          Table note = tables.note(name.table());
          Table.Builder noted = note.toBuilder();
          TableSchema after = before;
          for (Modification change : request.getModificationsList()) {
            if (protects(note, change)) {
              throw Refusal.precondition(
                  "column family \""
                      + change.getId()
                      + "\" cannot be dropped: table \""
                      + name
                      + "\" has deletion protection");
            }
            after = modified(after, noted, change);
          }
          tables.alter(name.table(), before, after, noted.build());
          return tables.show(name, Table.View.SCHEMA_VIEW);
        });
  }

  private static boolean protects(Table note, Modification change) {
    return note.getDeletionProtection() && change.getDrop();
  }

  private static TableSchema modified(
      TableSchema schema, Table.Builder noted, Modification change) {
    String family = change.getId();
    switch (change.getModCase()) {
      case CREATE -> {
        if (FamilyGroups.families(schema).containsKey(family)) {
          throw Refusal.exists("column family \"" + family + "\"");
        }
        var _ = NotedTypes.aggregate(family, change.getCreate());
        noted.putColumnFamilies(family, change.getCreate());
        return FamilyGroups.with(schema, family, GcRules.policy(change.getCreate().getGcRule()));
      }
      case UPDATE -> {
        ColumnFamily known =
            noted.getColumnFamiliesOrDefault(family, ColumnFamily.getDefaultInstance());
        ColumnFamily merged = merged(known, change);
        TableSchema changed =
            changesRule(change)
                ? FamilyGroups.changed(schema, family, GcRules.policy(merged.getGcRule()))
                : schema;
        if (!FamilyGroups.families(schema).containsKey(family)) {
          throw Refusal.notFound("column family \"" + family + "\"");
        }
        noted.putColumnFamilies(family, merged);
        return changed;
      }
      case DROP -> {
        if (!change.getDrop()) {
          throw new InvalidRequestException(
              "modification of column family \"" + family + "\" with drop false: must be true");
        }
        noted.removeColumnFamilies(family);
        return FamilyGroups.without(schema, family);
      }
      case MOD_NOT_SET -> {}
    }
    throw new InvalidRequestException(
        "modification of column family \"" + family + "\": must be create, update or drop");
  }

  /** Without a mask the rule alone is meant, as it was before there was one. */
  private static boolean changesRule(Modification change) {
    return change.getUpdateMask().getPathsCount() == 0
        || change.getUpdateMask().getPathsList().stream()
            .anyMatch(path -> path.equals("gc_rule") || path.startsWith("gc_rule."));
  }

  private static ColumnFamily merged(ColumnFamily known, Modification change) {
    ColumnFamily.Builder merged = known.toBuilder();
    if (changesRule(change)) {
      merged.setGcRule(change.getUpdate().getGcRule());
    }
    for (String path : change.getUpdateMask().getPathsList()) {
      if (path.equals("value_type")) {
        checkType(known, change);
        merged.setValueType(change.getUpdate().getValueType());
      } else if (!path.equals("gc_rule") && !path.startsWith("gc_rule.")) {
        throw new InvalidRequestException(
            "update_mask \""
                + path
                + "\" of column family \""
                + change.getId()
                + "\": must be gc_rule or value_type");
      }
    }
    return merged.build();
  }

  /** What is stored by one aggregate means nothing to another. */
  private static void checkType(ColumnFamily known, Modification change) {
    boolean was = known.getValueType().hasAggregateType();
    boolean is = change.getUpdate().getValueType().hasAggregateType();
    if ((was || is) && !known.getValueType().equals(change.getUpdate().getValueType())) {
      throw new InvalidRequestException(
          "value_type of column family \""
              + change.getId()
              + "\": an aggregate type stays as it was when the family was made");
    }
  }

  // ---- going

  void delete(TableName name) {
    alone(
        () -> {
          TableSchema schema = tables.schema(name);
          if (tables.note(name.table()).getDeletionProtection()) {
            throw Refusal.precondition(
                "table \""
                    + name
                    + "\" has deletion protection: set deletion_protection to false first");
          }
          if (schema.replication().isEmpty()) {
            String hidden = HIDDEN + name.table();
            tables.drop(hidden); // of an earlier table of this name
            deleted.put(
                name.table(),
                Backup.newBuilder()
                    .setName(name.toString())
                    .setExpireTime(NotedTables.timestamp(tables.micros() + KEPT_MICROS))
                    .build());
            tables.copy(name.table(), hidden);
          }
          tables.drop(name.table());
          return name;
        });
  }

  Table undelete(TableName name) {
    return alone(
        () -> {
          if (tables.exists(name.table())) {
            throw Refusal.exists("table \"" + name + "\"");
          }
          String hidden = HIDDEN + name.table();
          if (deleted.get(name.table()).filter(this::isKept).isEmpty() || !tables.exists(hidden)) {
            throw Refusal.notFound(
                "a table \"" + name + "\" that was deleted within the last seven days");
          }
          tables.copy(hidden, name.table());
          tables.drop(hidden);
          deleted.remove(name.table());
          return tables.show(name, Table.View.SCHEMA_VIEW);
        });
  }

  private boolean isKept(Backup note) {
    return NotedTables.micros(note.getExpireTime()) > tables.micros();
  }

  /** It is looked again: a table of the same name may have been deleted since. */
  private String forget(String table) {
    if (deleted.get(table).filter(note -> !isKept(note)).isPresent()) {
      tables.drop(HIDDEN + table);
      deleted.remove(table);
    }
    return table;
  }

  /** Drops what can no longer be had back. */
  void forgetDeleted() {
    deleted.all().keySet().forEach(table -> alone(() -> forget(table)));
  }
}
