package io.stele.engine.commitlog;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;

/**
 * How the commit log is written.
 *
 * @param fileBytes a file that has grown to this is closed and another begun
 * @param preallocateBytes how much of a file is made ready for cheap syncs at a time; 0 for never
 * @param queueBytes commits that wait for the log thread; writers wait when there are more
 * @param lazySync how long a commit that nobody waits for may stay unsynced
 */
public record CommitLogSettings(
    long fileBytes, long preallocateBytes, long queueBytes, Duration lazySync) {
  public static final CommitLogSettings DEFAULT =
      new CommitLogSettings(128L << 20, 4L << 20, 32L << 20, Duration.ofMillis(200));

  public CommitLogSettings {
    if (fileBytes < 1 || preallocateBytes < 0 || queueBytes < 1 || lazySync.isNegative()) {
      throw new InvalidRequestException(
          "commit log settings: file "
              + fileBytes
              + ", preallocate "
              + preallocateBytes
              + ", queue "
              + queueBytes
              + ", lazy sync "
              + lazySync
              + ": sizes must be positive");
    }
  }
}
