package io.stele.tables.tablet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.tables.event.TableEvent;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known to be wrong with the fragments of a server: those that could not be read, and how
 * many could not be written in a row. It decides what is news; the caller reports that.
 *
 * <p>A fragment stays unreadable until somebody has read all of it, or it is gone. Any thread.
 */
public final class FileHealth {
  /** Beyond it more files are not remembered: the disk is what is broken, and that is known. */
  private static final int MOST = 1_000;

  @GuardedBy("this")
  private final Map<FilePath, Boolean> unreadable = new HashMap<>(); // whether it is damaged

  @GuardedBy("this")
  private int failedWrites; // since the last that succeeded

  /** A fragment could not be read. */
  synchronized Optional<TableEvent> unreadable(FilePath path, SteleException problem) {
    boolean damaged = problem instanceof CorruptDataException;
    Boolean before = unreadable.get(path);
    if ((before != null && before == damaged) || unreadable.size() >= MOST) {
      return Optional.empty();
    }
    unreadable.put(path, damaged);
    return Optional.of(
        new TableEvent.FileUnreadable(path.value(), String.valueOf(problem.getMessage()), damaged));
  }

  /** All of a fragment was read, or nothing needs it any more. */
  synchronized Optional<TableEvent> readable(FilePath path) {
    return unreadable.remove(path) == null
        ? Optional.empty()
        : Optional.of(new TableEvent.FileReadable(path.value()));
  }

  /** A fragment could not be written. */
  synchronized Optional<TableEvent> notWritten(FilePath path, IOException problem) {
    failedWrites++;
    return Optional.of(
        new TableEvent.FileNotWritten(path.value(), String.valueOf(problem), failedWrites));
  }

  /** A fragment was written. */
  synchronized Optional<TableEvent> written() {
    boolean news = failedWrites > 0;
    failedWrites = 0;
    return news ? Optional.of(new TableEvent.FilesWritable()) : Optional.empty();
  }

  /** Those that could not be read. */
  public synchronized Set<FilePath> unreadable() {
    return Set.copyOf(unreadable.keySet());
  }
}
