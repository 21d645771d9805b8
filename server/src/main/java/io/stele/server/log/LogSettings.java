package io.stele.server.log;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Where a server's log goes, and what it looks like. */
public record LogSettings(
    @About(
            "text: lines for people; json: one JSON object a line; auto: text if standard error is"
                + " a terminal and there is no log.file, else json.")
        LogFormat format,
    @About("A file for the log, in place of standard error. It is rotated by size.")
        Optional<Path> file,
    @About("The size at which log.file is renamed to FILE.1 and a new one begins.")
        ByteSize fileSize,
    @About("How many renamed files are kept beside the current one; the oldest goes.")
        int fileCount,
    @About("What Stele logs: debug, info, warn or error. /loggers of the admin port changes it.")
        LogLevel level,
    @About(
            "A request that takes longer is logged, at most one a second; 0s for none. Streams and"
                + " waits for locks are never slow.")
        Duration slowRequest) {

  private static final int MOST_FILES = 20; // as the rotation can rename

  public static final LogSettings DEFAULTS =
      new LogSettings(
          LogFormat.AUTO,
          Optional.empty(),
          ByteSize.ofMiB(64),
          10,
          LogLevel.INFO,
          Duration.ofSeconds(1));

  public LogSettings {
    if (fileCount < 1 || fileCount > MOST_FILES) {
      throw new InvalidRequestException(
          "log.file-count is %d: must be from 1 to %d".formatted(fileCount, MOST_FILES));
    }
    if (fileSize.bytes() < 1 << 10) {
      throw new InvalidRequestException("log.file-size is " + fileSize + ": must be at least 1KiB");
    }
    if (slowRequest.isNegative()) {
      throw new InvalidRequestException("log.slow-request is negative: must be at least 0s");
    }
  }

  /** What a line looks like. */
  public enum LogFormat {
    AUTO,
    TEXT,
    JSON
  }

  /** From which level on events are logged. */
  public enum LogLevel {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }
}
