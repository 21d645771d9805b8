package io.stele.tables.load;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.tables.write.LogFence;
import io.stele.tables.write.LogHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The log of a run of a server that is over.
 *
 * <pre>
 *   log/RUN/*.log        its files
 *   log/RUN/FENCED       see LogFence
 *   log/RUN/SALVAGED     its damage was accepted: tablets are served without what is lost. A note
 *                        for people, as UTF-8
 * </pre>
 */
record DeadLog(FileStore logs, FilePath directory) {
  private static final String SALVAGED = "SALVAGED";

  /** More than a file of a log can hold. */
  private static final long UNKNOWN_TXNS = 1L << 32;

  /** Sees to it that no more files come, should the server live after all. */
  void fence(String by) throws IOException {
    LogFence.put(logs, directory, by);
  }

  /**
   * Makes what can be read of it durable. Its server may have died between a write and the sync:
   * what is served from it now must not vanish with the next power failure, while later writes that
   * build on it stay.
   */
  void sync() throws IOException {
    for (FilePath path : files()) {
      logs.sync(path);
    }
  }

  /** Its files, oldest first. */
  List<FilePath> files() throws IOException {
    return logs.list(directory).stream()
        .map(FileInfo::path)
        .filter(path -> path.name().endsWith(".log"))
        .toList();
  }

  /**
   * How far a log goes.
   *
   * @param txn the newest transaction; 0 if it is empty
   * @param micros the newest time that its server gave to cells; 0 if that is not known
   */
  record End(long txn, long micros) {}

  /**
   * Where it ends, for which only its last file is read. Damage in the middle of that does not
   * matter; if its beginning is damaged, nobody knows where the log ended, and numbers are taken
   * from far behind the last one that is known.
   */
  End end() throws IOException {
    boolean unknown = false;
    for (FilePath path : files().reversed()) {
      End last;
      try {
        last = end(path);
      } catch (CorruptDataException e) {
        if (!isSalvaged()) {
          throw e;
        }
        unknown = true;
        continue;
      }
      if (last.txn() > 0) {
        return unknown ? new End(last.txn() + UNKNOWN_TXNS, last.micros()) : last;
      }
    }
    return unknown ? new End(UNKNOWN_TXNS, 0) : new End(0, 0);
  }

  private End end(FilePath path) throws IOException {
    End last = new End(0, 0);
    try (RecordLogReader log = RecordLogReader.open(logs, path)) {
      while (true) {
        try {
          if (!log.next()) {
            return last;
          }
        } catch (CorruptDataException e) {
          log.skipDamage();
          continue;
        }
        LogHead.Parsed record = parse(log);
        last = new End(record.batch().txn(), record.head().micros());
      }
    }
  }

  /** Has tablets served without what is damaged, from now on; for people to decide. */
  void salvage(String note) throws IOException {
    logs.replace(directory.resolve(SALVAGED), note.getBytes(StandardCharsets.UTF_8));
  }

  boolean isSalvaged() throws IOException {
    return logs.stat(directory.resolve(SALVAGED)).isPresent();
  }

  /** The record that a reader stands at, which is good until the reader goes on. */
  static LogHead.Parsed parse(RecordLogReader log) {
    try {
      return LogHead.parse(log.buffer(), log.offset(), log.length());
    } catch (Malformed e) {
      throw new CorruptDataException(
          log.path().toString(), log.recordPosition(), "a log record", e.problem());
    }
  }
}
