package io.stele.engine.commitlog;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.recordlog.RecordLogReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Reads a commit log's directory after a restart. The layout is told in {@link CommitLog}. */
public final class LogReplay {
  /**
   * What was found.
   *
   * @param lastTxn the newest transaction, or the one given if there was none behind it
   * @param nextFile the number for the next file
   */
  public record Result(long lastTxn, long nextFile, List<CommitLog.ClosedFile> files) {
    public static Result none(long lastTxn) {
      return new Result(lastTxn, 1, List.of());
    }
  }

  /** Transactions that nothing was ever committed with. */
  public interface Skips {
    Skips NONE = (_, _) -> false;

    /** Was nothing committed behind one transaction and before another? */
    boolean skipped(long last, long next);
  }

  private LogReplay() {}

  /**
   * Hands on every batch behind a transaction, in order. A torn tail ends its file; it had been
   * acknowledged to nobody, so the next file goes on with the same transaction number.
   *
   * @param after what is in disk fragments already
   * @param skips what need not be there
   * @throws CorruptDataException if records are damaged, or transactions are missing
   */
  public static Result replay(
      FileStore files, FilePath directory, long after, Skips skips, Consumer<CellBatch> consumer)
      throws IOException {
    long lastTxn = after;
    long nextFile = 1;
    List<CommitLog.ClosedFile> found = new ArrayList<>();
    for (FileInfo info : files.list(directory)) {
      long number = number(info.path());
      if (number < 0) {
        continue;
      }
      nextFile = number + 1;
      long fileTxn = 0;
      try (RecordLogReader log = RecordLogReader.open(files, info.path())) {
        while (log.next()) {
          byte[] record =
              Arrays.copyOfRange(log.buffer(), log.offset(), log.offset() + log.length());
          CellBatch batch = CellBatch.trusted(record, 0, record.length);
          fileTxn = batch.txn();
          if (fileTxn > lastTxn) {
            if (fileTxn != lastTxn + 1 && !skips.skipped(lastTxn, fileTxn)) {
              throw new CorruptDataException(
                  info.path().toString(),
                  log.recordPosition(),
                  "transaction " + (lastTxn + 1),
                  "transaction " + fileTxn);
            }
            consumer.accept(batch);
            lastTxn = fileTxn;
          }
        }
      }
      // The writer may have died with records that only the operating system had: they are read
      // as durable from now on, and what is logged behind them must not outlive them.
      files.sync(info.path());
      found.add(new CommitLog.ClosedFile(info.path(), fileTxn, info.length()));
    }
    return new Result(lastTxn, nextFile, found);
  }

  /** As above, with nothing skipped. */
  public static Result replay(
      FileStore files, FilePath directory, long after, Consumer<CellBatch> consumer)
      throws IOException {
    return replay(files, directory, after, Skips.NONE, consumer);
  }

  /** The number for the next file in a directory. */
  public static long nextFile(FileStore files, FilePath directory) throws IOException {
    long next = 1;
    for (FileInfo info : files.list(directory)) {
      next = Math.max(next, number(info.path()) + 1);
    }
    return next;
  }

  private static long number(FilePath path) {
    String name = path.name();
    if (!name.matches("[0-9]{10}\\.log")) {
      return -1;
    }
    return Long.parseLong(name.substring(0, 10));
  }
}
