package io.stele.cli.table;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Replication;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.DurationText;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a replicated table is kept, as options of commands that make or change one. */
final class ReplicationOptions {
  /** Memory is counted in pieces of a mebibyte: with less, halves would be split again at once. */
  private static final long SMALLEST_SPLIT = 4L << 20;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description =
          "Of a replicated table: on how many servers each partition is (of a new one: 3).")
  private @Nullable Integer replicas;

  @Option(
      names = "--erasure-grace",
      paramLabel = "TIME",
      description =
          "Of a replicated table: how long deletions are remembered at least, such as 10d; a"
              + " replica that was replaced, and away for longer, is set aside.")
  private @Nullable String erasureGrace;

  @Option(
      names = "--split-size",
      paramLabel = "SIZE",
      description =
          "Of a replicated table: at which a partition is split, such as 512MiB; 0B for never.")
  private @Nullable String splitSize;

  /** The first option that the user gave; null if there is none. */
  @Nullable String given() {
    return replicas != null
        ? "--replicas"
        : erasureGrace != null ? "--erasure-grace" : splitSize != null ? "--split-size" : null;
  }

  Replication apply(Replication replication) {
    Replication changed = replicas == null ? replication : replication.withReplicas(replicas);
    if (erasureGrace != null) {
      changed =
          changed.withErasureGrace(read("--erasure-grace", erasureGrace, DurationText::parse));
    }
    if (splitSize != null) {
      changed =
          changed.withSplitBytes(read("--split-size", splitSize, ReplicationOptions::splitBytes));
    }
    return changed;
  }

  private static long splitBytes(String text) {
    long bytes = ByteSize.parse(text).bytes();
    if (bytes > 0 && bytes < SMALLEST_SPLIT) {
      throw new InvalidRequestException("must be at least 4MiB, or 0B for never");
    }
    return bytes;
  }

  private static <T> T read(String option, String text, Function<String, T> reading) {
    try {
      return reading.apply(text);
    } catch (IllegalArgumentException | InvalidRequestException e) {
      throw new InvalidRequestException("%s '%s': %s".formatted(option, text, e.getMessage()), e);
    }
  }
}
