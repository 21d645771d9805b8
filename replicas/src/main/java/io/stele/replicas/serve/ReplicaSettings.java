package io.stele.replicas.serve;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.replicas.metadata.MetadataSettings;
import io.stele.replicas.placement.KeeperSettings;
import io.stele.replicas.push.PushSettings;
import java.time.Duration;

/** How a server of replicated tables works. */
public record ReplicaSettings(
    PushSettings push,
    MetadataSettings metadata,
    KeeperSettings keeper,
    ScrubSettings scrub,
    @About("How long a change waits for its acknowledgements.") Duration writeTimeout,
    @About("How long other servers are waited for when they are asked for cells.")
        Duration peerTimeout,
    @About("How often splits, joins and replicas to be dropped are looked after.") Duration upkeep,
    @About("After how long a scan that nobody asks any more lets go of what it holds.")
        Duration scanIdle,
    @About(
            "Bytes of changes of all replicas of a server that are not in files yet. From half of"
                + " it on, the replica with the most is flushed; at it, writes wait, and fail after"
                + " a while.")
        long memoryBytes) {
  public static final ReplicaSettings DEFAULT =
      new ReplicaSettings(
          PushSettings.DEFAULT,
          MetadataSettings.DEFAULT,
          KeeperSettings.DEFAULT,
          ScrubSettings.DEFAULT,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          128L << 20);

  public ReplicaSettings {
    if (memoryBytes < 1) {
      throw new InvalidRequestException(
          memoryBytes + " bytes of memory for replicas: must be positive");
    }
    check("write time-out", writeTimeout);
    check("peer time-out", peerTimeout);
    check("upkeep every", upkeep);
    check("scan idle", scanIdle);
  }

  private static void check(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidRequestException(what + " " + value + ": must be positive");
    }
  }

  /** How long a change waits for memory: it must be refused before its sender gives up. */
  Duration stall() {
    Duration sooner = writeTimeout.compareTo(peerTimeout) < 0 ? writeTimeout : peerTimeout;
    return sooner.dividedBy(2);
  }

  public ReplicaSettings withPush(PushSettings value) {
    return new ReplicaSettings(
        value, metadata, keeper, scrub, writeTimeout, peerTimeout, upkeep, scanIdle, memoryBytes);
  }

  public ReplicaSettings withMetadata(MetadataSettings value) {
    return new ReplicaSettings(
        push, value, keeper, scrub, writeTimeout, peerTimeout, upkeep, scanIdle, memoryBytes);
  }

  public ReplicaSettings withKeeper(KeeperSettings value) {
    return new ReplicaSettings(
        push, metadata, value, scrub, writeTimeout, peerTimeout, upkeep, scanIdle, memoryBytes);
  }

  public ReplicaSettings withScrub(ScrubSettings value) {
    return new ReplicaSettings(
        push, metadata, keeper, value, writeTimeout, peerTimeout, upkeep, scanIdle, memoryBytes);
  }

  public ReplicaSettings withTimeouts(Duration write, Duration peer) {
    return new ReplicaSettings(
        push, metadata, keeper, scrub, write, peer, upkeep, scanIdle, memoryBytes);
  }

  public ReplicaSettings withUpkeep(Duration value) {
    return new ReplicaSettings(
        push, metadata, keeper, scrub, writeTimeout, peerTimeout, value, scanIdle, memoryBytes);
  }

  public ReplicaSettings withScanIdle(Duration value) {
    return new ReplicaSettings(
        push, metadata, keeper, scrub, writeTimeout, peerTimeout, upkeep, value, memoryBytes);
  }

  public ReplicaSettings withMemoryBytes(long value) {
    return new ReplicaSettings(
        push, metadata, keeper, scrub, writeTimeout, peerTimeout, upkeep, scanIdle, value);
  }
}
