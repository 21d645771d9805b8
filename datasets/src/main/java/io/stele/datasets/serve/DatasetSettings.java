package io.stele.datasets.serve;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import java.time.Duration;

/** How a node serves datasets. */
public record DatasetSettings(
    @About("Whether a version is loaded only when it has a file _SUCCESS.") boolean requireSuccess,
    @About("How often the source is looked at for new versions; 0s to look only when told to.")
        Duration refreshEvery,
    @About("How many nodes load each shard of a version.") int replication,
    @About("How many nodes must have each shard before clients get a version.") int minReplication,
    @About("How long the list of nodes must stay the same before a starting node chooses shards.")
        Duration timeToConverge,
    @About("How long other nodes may take to answer, all together.") Duration proxyTimeout,
    @About("After how long another node is asked as well; 0s for proxy-timeout / replication.")
        Duration proxyStageTimeout,
    @About("How long an old version is kept after the last request for it.") Duration keepOld,
    @About("The most input files that are read at the same time.") int parallelLoads,
    @About("The most bytes of input that are read in a second; 0B for no limit.") ByteSize loadRate,
    @About("Whether nodes take over shards that have lost holders.") boolean repair,
    @About("How long shards must have too few holders before nodes take them over.")
        Duration repairAfter) {
  public static final DatasetSettings DEFAULT =
      new DatasetSettings(
          false,
          Duration.ofSeconds(10),
          2,
          1,
          Duration.ofSeconds(10),
          Duration.ofMillis(100),
          Duration.ZERO,
          Duration.ofMinutes(10),
          4,
          new ByteSize(0),
          true,
          Duration.ofMinutes(5));

  public DatasetSettings {
    atLeast("replication", replication, 1);
    atLeast("min-replication", minReplication, 1);
    if (minReplication > replication) {
      throw new InvalidRequestException(
          "datasets: min-replication "
              + minReplication
              + " would never be reached: must not be above replication, "
              + replication);
    }
    atLeast("parallel-loads", parallelLoads, 1);
    notNegative("refresh-every", refreshEvery);
    notNegative("time-to-converge", timeToConverge);
    notNegative("proxy-stage-timeout", proxyStageTimeout);
    notNegative("keep-old", keepOld);
    notNegative("repair-after", repairAfter);
    if (proxyTimeout.isNegative() || proxyTimeout.isZero()) {
      throw new InvalidRequestException(
          "datasets: proxy-timeout " + proxyTimeout + ": must be positive");
    }
  }

  /** When the next peer is asked beside those that have not answered. */
  public Duration stage() {
    return proxyStageTimeout.isZero() ? proxyTimeout.dividedBy(replication) : proxyStageTimeout;
  }

  /** When a version is listed again of which nobody says that its files are complete. */
  public Duration secondLook() {
    return refreshEvery.isZero() ? DEFAULT.refreshEvery : refreshEvery;
  }

  private static void atLeast(String what, int value, int least) {
    if (value < least) {
      throw new InvalidRequestException(
          "datasets: " + what + " " + value + ": must be at least " + least);
    }
  }

  private static void notNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new InvalidRequestException(
          "datasets: " + what + " " + value + ": must not be negative");
    }
  }
}
