package io.stele.client.metastore;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;

/**
 * How to watch.
 *
 * @param from the first revision wanted; 0 for all after the current one
 * @param previous whether events say what was there before
 * @param progress how often to tell how far the watch is if nothing changes; zero for never
 */
public record WatchOptions(long from, boolean previous, Duration progress) {
  public static final WatchOptions DEFAULTS = new WatchOptions(0, false, Duration.ZERO);

  public WatchOptions {
    if (from < 0 || progress.isNegative()) {
      throw new InvalidRequestException(
          "watch from revision "
              + from
              + " with progress every "
              + progress
              + ": neither may be negative");
    }
  }

  public WatchOptions from(long newFrom) {
    return new WatchOptions(newFrom, previous, progress);
  }

  public WatchOptions withPrevious() {
    return new WatchOptions(from, true, progress);
  }

  public WatchOptions progressEvery(Duration newProgress) {
    return new WatchOptions(from, previous, newProgress);
  }
}
