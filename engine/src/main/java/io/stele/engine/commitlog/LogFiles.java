package io.stele.engine.commitlog;

import io.stele.base.file.FileStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The files of a log that take no more records, oldest first: each is deleted when all in it has
 * been released. Any thread may call.
 */
public final class LogFiles {
  private final FileStore files;
  private final ReentrantLock deleting = new ReentrantLock(); // taken before lock
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Deque<CommitLog.ClosedFile> closed = new ArrayDeque<>();
  private long releasedTxn;

  public LogFiles(FileStore files, Collection<CommitLog.ClosedFile> closed) {
    this.files = files;
    this.closed.addAll(closed);
  }

  /** One more, which goes at once if all in it has been released. */
  void add(CommitLog.ClosedFile file) {
    lock.lock();
    try {
      closed.addLast(file);
    } finally {
      lock.unlock();
    }
    try {
      deleteReleased();
    } catch (IOException e) {
      // It stays in the list, and goes with the next release.
    }
  }

  /** The bytes of all files that hold something at or above a transaction. */
  long bytesFrom(long txn) {
    lock.lock();
    try {
      long bytes = 0;
      for (CommitLog.ClosedFile file : closed) {
        bytes += file.lastTxn() >= txn ? file.bytes() : 0;
      }
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Deletes the files that hold nothing above a transaction. A file that cannot be deleted is tried
   * again the next time.
   */
  public void release(long txn) throws IOException {
    lock.lock();
    try {
      releasedTxn = Math.max(releasedTxn, txn);
    } finally {
      lock.unlock();
    }
    deleteReleased();
  }

  /**
   * In the order of the files, one at a time, each for good: a crash must not leave an older file
   * without a newer one, or the log would seem to lack the records between.
   */
  private void deleteReleased() throws IOException {
    deleting.lock();
    try {
      for (CommitLog.ClosedFile file = take(); file != null; file = take()) {
        delete(file);
      }
    } finally {
      deleting.unlock();
    }
  }

  private void delete(CommitLog.ClosedFile file) throws IOException {
    try {
      files.delete(file.path());
      files.syncDeletions(file.path().parent());
    } catch (IOException e) {
      lock.lock();
      try {
        closed.addFirst(file);
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private CommitLog.@Nullable ClosedFile take() {
    lock.lock();
    try {
      return closed.isEmpty() || closed.getFirst().lastTxn() > releasedTxn
          ? null
          : closed.removeFirst();
    } finally {
      lock.unlock();
    }
  }
}
