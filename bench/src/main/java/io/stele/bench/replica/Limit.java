package io.stele.bench.replica;

import io.stele.bench.measure.Sample;
import java.nio.file.Path;
import java.time.Duration;

/** What a disk and one machine allow at most: there, or named as absent with the reason. */
sealed interface Limit {
  String name();

  /** A store in this process, without a network and without copies. */
  non-sealed interface Present extends Limit {
    String version();

    /** Writers that each wait until what they wrote is durable; those that wait share a sync. */
    Sample write(Path directory, int writers, Duration length) throws Exception;

    /** Seconds that so many bytes of records take to become durable, a sync for each megabyte. */
    double load(Path directory, long bytes) throws Exception;
  }

  record Absent(String name, String reason) implements Limit {}
}
