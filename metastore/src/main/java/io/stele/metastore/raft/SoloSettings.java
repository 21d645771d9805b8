package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;

/** How a single member writes its log. */
public record SoloSettings(
    @About("a segment of the log that has grown to this is closed and another begun")
        ByteSize segment,
    @About("how much of a segment is made ready for cheap syncs at a time; 0B for never")
        ByteSize preallocate,
    @About("a log that has grown to this has the state flushed, so that it can be dropped")
        ByteSize log,
    @About("entries that may wait or be under way before further ones are refused")
        int pendingEntries,
    @About("bytes of entries that may wait or be under way before further ones are refused")
        ByteSize pending) {
  public static final SoloSettings DEFAULT =
      new SoloSettings(
          ByteSize.ofMiB(16), ByteSize.ofMiB(4), ByteSize.ofMiB(64), 65_536, ByteSize.ofMiB(64));

  public SoloSettings {
    if (segment.bytes() < 1 || log.bytes() < 1 || pendingEntries < 1 || pending.bytes() < 1) {
      throw new InvalidRequestException(
          "settings of a single member's log: segment "
              + segment
              + ", log "
              + log
              + ", pending entries "
              + pendingEntries
              + ", pending "
              + pending
              + ": each must be at least 1");
    }
  }
}
