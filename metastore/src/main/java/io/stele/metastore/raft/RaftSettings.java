package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import java.time.Duration;

/** How several members replicate the log. */
public record RaftSettings(
    @About("the shortest silence of a leader after which another member stands for election")
        Duration electionMin,
    @About("the longest silence of a leader after which another member stands for election")
        Duration electionMax,
    @About("how long members may take to confirm a read, or a request between them")
        Duration request,
    @About("how long a new member may make no progress while it catches up") Duration catchUp,
    @About("the host to listen on for other members; empty for all interfaces") String listenHost,
    @About("a segment of the log that has grown to this is closed and another begun")
        ByteSize segment,
    @About("how much of the log is kept in memory for members that lag a little") ByteSize cache,
    @About("entries after which the state is flushed, so that the log can be dropped")
        long flushEntries,
    @About("entries that are kept for members that lag, though the state is flushed")
        long keepEntries,
    @About("the longest entry") ByteSize entry) {
  public static final RaftSettings DEFAULT =
      new RaftSettings(
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(3),
          Duration.ofSeconds(30),
          "",
          ByteSize.ofMiB(32),
          ByteSize.ofMiB(32),
          100_000,
          10_000,
          ByteSize.ofMiB(16));

  public RaftSettings {
    if (electionMin.toMillis() < 1 || electionMax.compareTo(electionMin) <= 0) {
      throw new InvalidRequestException(
          "election after "
              + electionMin
              + " to "
              + electionMax
              + ": the first must be at least 1 ms and the second longer");
    }
    if (!request.isPositive() || !catchUp.isPositive()) {
      throw new InvalidRequestException(
          "time for requests " + request + ", to catch up " + catchUp + ": must be positive");
    }
    if (flushEntries < 1 || keepEntries < 0) {
      throw new InvalidRequestException(
          "flush after "
              + flushEntries
              + " entries, keep "
              + keepEntries
              + ": must be at least 1 and 0");
    }
    if (entry.bytes() < 1 << 10 || entry.bytes() > 256 << 20 || segment.bytes() < 1 << 10) {
      throw new InvalidRequestException(
          "longest entry " + entry + ", segment " + segment + ": 1KiB to 256MiB, at least 1KiB");
    }
  }

  public RaftSettings withElection(Duration min, Duration max) {
    return new RaftSettings(
        min, max, request, catchUp, listenHost, segment, cache, flushEntries, keepEntries, entry);
  }

  public RaftSettings withListenHost(String host) {
    return new RaftSettings(
        electionMin,
        electionMax,
        request,
        catchUp,
        host,
        segment,
        cache,
        flushEntries,
        keepEntries,
        entry);
  }

  public RaftSettings withRequest(Duration time) {
    return new RaftSettings(
        electionMin,
        electionMax,
        time,
        catchUp,
        listenHost,
        segment,
        cache,
        flushEntries,
        keepEntries,
        entry);
  }

  /** How much log is kept: entries before a flush, and entries behind it. */
  public RaftSettings withLog(ByteSize newSegment, long newFlushEntries, long newKeepEntries) {
    return new RaftSettings(
        electionMin,
        electionMax,
        request,
        catchUp,
        listenHost,
        newSegment,
        cache,
        newFlushEntries,
        newKeepEntries,
        entry);
  }
}
