package io.stele.metastore.watch;

import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.KeyRange;

/**
 * What a watcher wants to hear.
 *
 * @param from the first revision; 0 for all after the one current at the start
 * @param previous whether events say what was there before
 */
public record WatchRequest(KeyRange range, long from, boolean previous) {
  public WatchRequest {
    if (from < 0) {
      throw new InvalidRequestException(
          "watch from revision " + from + ": must be 0 for now, or a revision");
    }
  }
}
