package io.stele.tables.load;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.tables.write.LogHead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads all records of a dead server's log that are whole, and says which transactions are missing.
 * That none is missing is shown by the previous transaction that each record names.
 */
final class LogReader {
  /** Takes a record, whose batch is good until it returns. */
  interface Records {
    void take(LogHead.Parsed parsed) throws IOException;
  }

  private final DeadLog log;
  private final List<LogDamage> damages = new ArrayList<>();
  private Optional<LogDamage> open = Optional.empty(); // damage whose end is not known yet
  private boolean any;
  private long lastTxn;

  LogReader(DeadLog log) {
    this.log = log;
  }

  void read(Records records) throws IOException {
    for (FilePath path : log.files()) {
      read(path, records);
    }
    open.ifPresent(damages::add);
    open = Optional.empty();
  }

  private void read(FilePath path, Records records) throws IOException {
    RecordLogReader opened;
    try {
      opened = RecordLogReader.open(log.logs(), path);
    } catch (CorruptDataException e) { // its header: without that no record can be told
      damaged(path, e);
      return;
    }
    try (RecordLogReader reader = opened) {
      while (true) {
        try {
          if (!reader.next()) {
            return;
          }
        } catch (CorruptDataException e) {
          damaged(path, e);
          reader.skipDamage();
          continue;
        }
        take(reader, records);
      }
    }
  }

  private void damaged(FilePath path, CorruptDataException e) {
    if (open.isEmpty()) {
      open =
          Optional.of(
              new LogDamage(
                  lastTxn, Long.MAX_VALUE, path, e.offset(), String.valueOf(e.getMessage())));
    }
  }

  private void take(RecordLogReader reader, Records records) throws IOException {
    LogHead.Parsed parsed = DeadLog.parse(reader);
    long previous = parsed.head().previousTxn();
    if (open.isPresent()) {
      LogDamage found = open.get();
      open = Optional.empty();
      if (previous > lastTxn || !any) {
        damages.add(
            new LogDamage(
                found.afterTxn(), previous, found.file(), found.position(), found.problem()));
      }
    } else if (any && previous != lastTxn) {
      damages.add(
          new LogDamage(
              lastTxn,
              previous,
              reader.path(),
              reader.recordPosition(),
              "a record behind transaction " + previous + ", not behind " + lastTxn));
    }
    any = true;
    lastTxn = parsed.batch().txn();
    records.take(parsed);
  }

  /** What is missing, after {@link #read}. */
  List<LogDamage> damages() {
    return damages;
  }

  /** The newest transaction that was read; 0 if there is none. */
  long lastTxn() {
    return lastTxn;
  }
}
