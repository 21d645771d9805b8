package io.stele.tables.load;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.engine.chain.Link;
import io.stele.engine.memory.MemFragment;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.schema.FamilyMap;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.write.LogHead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Reads the log of an earlier run of a server for the tablets that it had, and writes what it says
 * of them to new files: sorted, group by group, in pieces that fit in memory. The log stays as it
 * is, and reading it again does no harm: the cells keep their transactions, so a cell that is in
 * two files counts once.
 */
final class LogReplay {
  /** A table of which tablets are replayed. */
  private static final class Target {
    final TableSchema schema;
    final FamilyMap families;
    final List<TabletConfig> tablets; // in the order of their rows
    final List<MemFragment> memory = new ArrayList<>(); // by group
    final Map<String, List<FilePath>> files = new HashMap<>(); // by group

    Target(TableSchema schema, List<TabletConfig> tablets) {
      this.schema = schema;
      this.families = new FamilyMap(schema);
      this.tablets = tablets.stream().sorted(Comparator.comparing(TabletConfig::first)).toList();
      schema.groups().forEach(_ -> memory.add(new MemFragment()));
    }

    boolean wants(CellView cell) {
      int low = 0;
      int high = tablets.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        TabletConfig tablet = tablets.get(middle);
        if (tablet.last().isPresent()
            && tablet.last().get().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low == tablets.size()) {
        return false;
      }
      TabletConfig tablet = tablets.get(low);
      Bytes first = tablet.first();
      return first.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) < 0
          && cell.txn > tablet.log().orElseThrow().fromTxn();
    }
  }

  private final ServerParts server;
  private final FilePath directory;
  private final long pieceBytes;
  private final Map<String, Target> targets = new HashMap<>();
  private long records;
  private long lastTxn;

  /**
   * Prepares a replay.
   *
   * @param pieceBytes how much is gathered in memory before it is written to a file
   */
  LogReplay(ServerParts server, FilePath directory, long pieceBytes) {
    this.server = server;
    this.directory = directory;
    this.pieceBytes = pieceBytes;
  }

  /** Adds tablets of a table, whose configurations name this log. */
  void want(String table, TableSchema schema, List<TabletConfig> tablets) {
    targets.put(table, new Target(schema, tablets));
  }

  /** Reads the log. */
  void run() throws IOException {
    boolean first = true;
    for (FileInfo info : server.files().list(directory)) {
      if (!info.path().name().endsWith(".log")) {
        continue;
      }
      try (RecordLogReader log = RecordLogReader.open(server.files(), info.path())) {
        while (log.next()) {
          byte[] record =
              Arrays.copyOfRange(log.buffer(), log.offset(), log.offset() + log.length());
          take(info.path(), log.recordPosition(), record, first);
          first = false;
        }
      }
    }
    for (Target target : targets.values()) {
      for (int group = 0; group < target.memory.size(); group++) {
        spill(target, group);
      }
    }
  }

  private void take(FilePath path, long position, byte[] record, boolean first) throws IOException {
    LogHead.Parsed parsed;
    try {
      parsed = LogHead.parse(record);
    } catch (Malformed e) {
      throw new CorruptDataException(path.toString(), position, "a log record", e.problem());
    }
    CellBatch batch = parsed.batch();
    long previous = parsed.head().previousTxn();
    if (!first && previous != lastTxn) {
      throw new CorruptDataException(
          path.toString(),
          position,
          "a record behind transaction " + lastTxn,
          "one behind transaction " + previous);
    }
    lastTxn = batch.txn();
    Target target = targets.get(parsed.head().table());
    if (target == null) {
      return;
    }
    records++;
    for (int g = 0; g < target.memory.size(); g++) {
      int group = g;
      MemFragment memory = target.memory.get(g);
      memory.add(batch, cell -> isOf(target, group, cell) && target.wants(cell));
      if (memory.bytes() >= pieceBytes) {
        spill(target, g);
      }
    }
  }

  /** Families that the schema has no more are left out. */
  private static boolean isOf(Target target, int group, CellView cell) {
    return cell.kind == CellKind.ERASE_ROW
        || target.families.groupOf(cell.familyArray, cell.familyOffset, cell.familyLength) == group;
  }

  private void spill(Target target, int group) throws IOException {
    MemFragment full = target.memory.get(group);
    if (full.isEmpty()) {
      return;
    }
    full.freeze();
    target.memory.set(group, new MemFragment());
    GroupSchema schema = target.schema.groups().get(group);
    FilePath path = server.names().create();
    boolean written =
        server
            .job(path, List.of(Link.whole(full)), UnaryOperator.identity(), false, schema)
            .run(() -> false)
            .isPresent();
    if (written) {
      target.files.computeIfAbsent(schema.name(), _ -> new ArrayList<>()).add(path);
    } else {
      server.names().settled(path);
    }
  }

  /** The files that were written for a group of a table, oldest first. */
  List<FilePath> files(String table, String group) {
    return Objects.requireNonNull(targets.get(table)).files.getOrDefault(group, List.of());
  }

  /** The newest transaction of the log; 0 if it is empty. */
  long lastTxn() {
    return lastTxn;
  }

  /** How many records were of the wanted tables. */
  long records() {
    return records;
  }
}
