package io.stele.bench.replica;

import io.stele.bench.Side;
import io.stele.bench.driver.Sample;
import java.nio.file.Path;
import java.time.Duration;

/** What a disk and one machine allow at most: a store in this process, without any copies. */
interface Limit extends Side {
  /** Writers that each wait until what they wrote is durable; those that wait share a sync. */
  Sample write(Path directory, int writers, Duration length) throws Exception;

  /** Seconds that so many bytes of records take to become durable, a sync for each megabyte. */
  double load(Path directory, long bytes) throws Exception;
}
