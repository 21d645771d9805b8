package io.stele.metastore.watch;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;

/** How watches are served. */
public record WatchSettings(
    @About("How much memory the newest changes may take, from which watchers are served")
        ByteSize recent,
    @About("How much of the history is read at a time for a watcher that is behind") ByteSize chunk,
    @About("How many threads serve the watchers that are behind") int threads,
    @About("How many watches there may be") int watches) {
  public static final WatchSettings DEFAULT =
      new WatchSettings(ByteSize.ofMiB(16), ByteSize.ofKiB(256), 2, 100_000);

  public WatchSettings {
    if (chunk.bytes() < 1 || chunk.bytes() > 64 << 20) {
      throw new InvalidRequestException(
          "history read by " + chunk + " at a time: must be from 1B to 64MiB");
    }
    if (threads < 1 || watches < 1) {
      throw new InvalidRequestException(
          threads + " threads for " + watches + " watches: must be at least 1 of each");
    }
  }
}
