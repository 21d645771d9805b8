package io.stele.hadoop;

import io.stele.base.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;

/**
 * Ends files that their writer left unfinished.
 *
 * <p>On HDFS an unfinished file belongs to its writer's lease. While a data node of the last block
 * lives, readers learn from it how far the file goes. After these were restarted they do not know
 * whether they have all of it, and answer only once the name node, asked to take the lease away,
 * has made them agree on a length. Nothing that was synced is lost by that. A writer that is still
 * alive finds its file taken.
 */
final class LeaseRecovery {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  private final FileSystem files;
  private final Duration patience;
  private final Clock clock;

  LeaseRecovery(FileSystem files, Duration patience, Clock clock) {
    this.files = files;
    this.patience = patience;
    this.clock = clock;
  }

  /** Whether files of this file system can be taken from their writers. */
  boolean canFinish() {
    return files instanceof LeaseRecoverable;
  }

  /** Whether a file has a writer, or had one that did not finish it. */
  boolean unfinished(Path path) throws IOException {
    return files instanceof LeaseRecoverable leases && !leases.isFileClosed(path);
  }

  /** Takes the file from its writer and waits until it is closed. */
  void finish(Path path) throws IOException {
    if (!(files instanceof LeaseRecoverable leases)) {
      return;
    }
    long start = clock.nanos();
    long asked = start;
    boolean closed = leases.recoverLease(path);
    while (!closed) {
      long now = clock.nanos();
      if (now - start > patience.toNanos()) {
        throw new IOException(
            path
                + " was left unfinished, and could not be closed within "
                + patience.toSeconds()
                + " s");
      }
      pause();
      if (now - asked > ASK_AGAIN.toNanos()) {
        asked = now;
        closed = leases.recoverLease(path);
      } else {
        closed = leases.isFileClosed(path);
      }
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(LOOK_AGAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("while a lease was recovered");
      interrupted.initCause(e);
      throw interrupted;
    }
  }
}
