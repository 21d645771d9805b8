package io.stele.tables.write;

import io.stele.base.error.InvalidRequestException;
import io.stele.engine.commitlog.CommitLogSettings;
import java.time.Duration;

/**
 * How changes are taken.
 *
 * @param memoryBytes of all mem fragments together; writers wait when there are more
 * @param memFragmentBytes a mem fragment that has grown to this is flushed
 * @param logBytes of log files that are held; what holds the oldest is flushed when there are more
 * @param memoryWeight and {@code logWeight}: what is flushed first is what has the most of bytes in
 *     memory and bytes of log held, weighed so
 * @param diskReserve bytes that are kept free on each disk, or a twentieth of it if that is less:
 *     below, writes are refused
 * @param throttleLimit how long a writer waits for memory
 * @param deferLimit how long a request waits for a tablet that is being loaded
 * @param rememberedRows whose newest transaction is known exactly
 */
public record WriteSettings(
    CommitLogSettings log,
    long memoryBytes,
    long memFragmentBytes,
    long logBytes,
    double memoryWeight,
    double logWeight,
    long diskReserve,
    Duration throttleLimit,
    Duration deferLimit,
    int rememberedRows) {
  public static final WriteSettings DEFAULT =
      new WriteSettings(
          CommitLogSettings.DEFAULT,
          512L << 20,
          64L << 20,
          1L << 30,
          1.0,
          0.25,
          1L << 30,
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          1 << 16);

  public WriteSettings {
    if (memoryBytes < 1
        || memFragmentBytes < 1
        || logBytes < 1
        || diskReserve < 0
        || rememberedRows < 1) {
      throw new InvalidRequestException(
          "write settings: memory "
              + memoryBytes
              + ", mem fragment "
              + memFragmentBytes
              + ", log "
              + logBytes
              + ", disk reserve "
              + diskReserve
              + ", remembered rows "
              + rememberedRows
              + ": must be positive");
    }
  }

  public WriteSettings withMemory(long total, long fragment) {
    return new WriteSettings(
        log,
        total,
        fragment,
        logBytes,
        memoryWeight,
        logWeight,
        diskReserve,
        throttleLimit,
        deferLimit,
        rememberedRows);
  }

  public WriteSettings withLog(CommitLogSettings settings, long heldBytes) {
    return new WriteSettings(
        settings,
        memoryBytes,
        memFragmentBytes,
        heldBytes,
        memoryWeight,
        logWeight,
        diskReserve,
        throttleLimit,
        deferLimit,
        rememberedRows);
  }

  public WriteSettings withLimits(Duration throttle, Duration defer) {
    return new WriteSettings(
        log,
        memoryBytes,
        memFragmentBytes,
        logBytes,
        memoryWeight,
        logWeight,
        diskReserve,
        throttle,
        defer,
        rememberedRows);
  }

  public WriteSettings withDiskReserve(long bytes) {
    return new WriteSettings(
        log,
        memoryBytes,
        memFragmentBytes,
        logBytes,
        memoryWeight,
        logWeight,
        bytes,
        throttleLimit,
        deferLimit,
        rememberedRows);
  }
}
