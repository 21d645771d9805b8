package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.GcRule;
import com.google.bigtable.admin.v2.Table;
import com.google.protobuf.Timestamp;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.gc.GcRules;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Stele's tables, and what is noted of each beside its schema. A note is written before its table
 * is made and removed after it is dropped, so there is none missing; of a rule it counts only as
 * long as the schema says the same.
 */
final class NotedTables {
  /** What stands between the parts of names that are not for Bigtable's clients. */
  private static final String HIDDEN = "/";

  private static final long MICROS = 1_000_000;

  private final TableAdmin admin;
  private final NotedMessages<Table> notes;
  private final NotedTypes types;
  private final Clock clock;

  NotedTables(TableAdmin admin, Notes notes, NotedTypes types, Clock clock) {
    this.types = types;
    this.admin = admin;
    this.notes = new NotedMessages<>(notes, Notes.TABLES, Table.parser());
    this.clock = clock;
  }

  TableAdmin admin() {
    return admin;
  }

  // ---- finding

  /** Those that are for Bigtable's clients, in order. */
  List<String> list() {
    return admin.list(false).stream().filter(name -> !name.contains(HIDDEN)).toList();
  }

  boolean exists(String table) {
    try {
      TableSchema _ = admin.schema(table);
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  /** The schema of a table that a client names. */
  TableSchema schema(TableName name) {
    try {
      return admin.schema(name.table());
    } catch (NotFoundException e) {
      throw Refusal.notFound("table \"" + name + "\"");
    }
  }

  Table note(String table) {
    return notes.get(table).orElse(Table.getDefaultInstance());
  }

  void note(String table, Table note) {
    notes.put(table, note.toBuilder().clearName().build());
    types.forget(table);
  }

  // ---- making

  void create(String table, TableSchema schema, List<Bytes> splits, Table note) {
    checkFree(table);
    note(table, note);
    try {
      admin.create(table, schema, splits);
    } catch (ConflictException e) {
      throw Refusal.exists("table \"" + table + "\"");
    }
  }

  private void checkFree(String table) {
    if (exists(table)) {
      throw Refusal.exists("table \"" + table + "\"");
    }
  }

  /** A table of the same files, with the same note. */
  void copy(String source, String target) {
    checkFree(target);
    note(target, note(source));
    try {
      admin.copy(source, target);
    } catch (ConflictException e) {
      throw Refusal.exists("table \"" + target + "\"");
    }
  }

  /** Also if there is nothing of it. */
  void drop(String table) {
    try {
      admin.drop(table);
    } catch (NotFoundException e) {
      // Gone already.
    }
    notes.remove(table);
    types.forget(table);
  }

  /** Changes schema and note together; the note first, so that no family lacks its type. */
  void alter(String table, TableSchema before, TableSchema after, Table note) {
    Table known = note(table);
    if (!note.equals(known)) {
      note(table, note);
    }
    if (!after.equals(before)) {
      boolean altered = false;
      try {
        admin.alter(table, Optional.of(before), after);
        altered = true;
      } finally {
        if (!altered) {
          note(table, known);
        }
      }
    }
  }

  // ---- telling

  /** A table as a view of it shows it. */
  Table show(TableName name, Table.View view) {
    TableSchema schema = schema(name);
    Table.Builder shown = Table.newBuilder().setName(name.toString());
    if (view == Table.View.NAME_ONLY) {
      return shown.build();
    }
    Table note = note(name.table());
    shown.setDeletionProtection(note.getDeletionProtection());
    if (view != Table.View.REPLICATION_VIEW && view != Table.View.ENCRYPTION_VIEW) {
      shown.setGranularity(Table.TimestampGranularity.MILLIS);
      shown.putAllColumnFamilies(families(schema, note));
      if (note.hasRestoreInfo()) {
        shown.setRestoreInfo(note.getRestoreInfo());
      }
    }
    if (view == Table.View.REPLICATION_VIEW
        || view == Table.View.ENCRYPTION_VIEW
        || view == Table.View.FULL) {
      shown.putClusterStates(
          ClusterName.ONLY,
          Table.ClusterState.newBuilder()
              .setReplicationState(Table.ClusterState.ReplicationState.READY)
              .build());
    }
    return shown.build();
  }

  static SortedMap<String, ColumnFamily> families(TableSchema schema, Table note) {
    SortedMap<String, ColumnFamily> families = new TreeMap<>();
    FamilyGroups.families(schema)
        .forEach(
            (family, purge) ->
                families.put(
                    family,
                    family(
                        note.getColumnFamiliesOrDefault(family, ColumnFamily.getDefaultInstance()),
                        purge)));
    return families;
  }

  private static ColumnFamily family(ColumnFamily noted, PurgePolicy purge) {
    GcRule rule = noted.getGcRule();
    return GcRules.policy(rule).equals(purge)
        ? noted.toBuilder().setGcRule(rule).build()
        : noted.toBuilder().setGcRule(GcRules.rule(purge)).build();
  }

  /** Bytes of the files that a table names, each once. */
  long bytes(String table) {
    return admin.tablets(table).stream()
        .flatMap(tablet -> tablet.files().stream())
        .collect(
            Collectors.toMap(
                TabletInfo.FileInfo::path, TabletInfo.FileInfo::bytes, (one, _) -> one))
        .values()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  // ---- time

  long micros() {
    return clock.micros();
  }

  Timestamp now() {
    return timestamp(clock.micros());
  }

  static Timestamp timestamp(long micros) {
    return Timestamp.newBuilder()
        .setSeconds(Math.floorDiv(micros, MICROS))
        .setNanos((int) Math.floorMod(micros, MICROS) * 1000)
        .build();
  }

  static long micros(Timestamp time) {
    return time.getSeconds() * MICROS + time.getNanos() / 1000;
  }
}
