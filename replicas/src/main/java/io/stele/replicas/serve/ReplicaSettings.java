package io.stele.replicas.serve;

import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.push.PushSettings;
import java.time.Duration;

/**
 * How a server of replicated tables works.
 *
 * @param writeTimeout how long a change waits for its acknowledgements
 * @param peerTimeout how long others are waited for when they are asked something
 * @param deadAfter a server that was not live for so long is replaced
 * @param poll how often the coordination service is looked at, in case a notice was lost
 * @param upkeep how often splits, joins and replicas to be dropped are looked after
 * @param memoryBytes of a replica, in which changes are gathered before they go to files
 * @param metadataServers of a table, if so many live
 */
public record ReplicaSettings(
    PushSettings push,
    Duration writeTimeout,
    Duration peerTimeout,
    Duration deadAfter,
    Duration poll,
    Duration upkeep,
    long memoryBytes,
    int metadataServers) {
  public static final ReplicaSettings DEFAULT =
      new ReplicaSettings(
          PushSettings.DEFAULT,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofMinutes(10),
          Duration.ofSeconds(3),
          Duration.ofSeconds(1),
          64L << 20,
          3);

  public ReplicaSettings {
    if (memoryBytes < 1 || metadataServers < 1) {
      throw new InvalidRequestException(
          memoryBytes
              + " bytes of memory, "
              + metadataServers
              + " metadata servers: must be positive");
    }
    check("write time-out", writeTimeout);
    check("peer time-out", peerTimeout);
    check("dead after", deadAfter);
    check("poll every", poll);
    check("upkeep every", upkeep);
  }

  private static void check(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidRequestException(what + " " + value + ": must be positive");
    }
  }

  public ReplicaSettings withPush(PushSettings value) {
    return new ReplicaSettings(
        value, writeTimeout, peerTimeout, deadAfter, poll, upkeep, memoryBytes, metadataServers);
  }

  public ReplicaSettings withTimeouts(Duration write, Duration peer) {
    return new ReplicaSettings(
        push, write, peer, deadAfter, poll, upkeep, memoryBytes, metadataServers);
  }

  public ReplicaSettings withDeadAfter(Duration value) {
    return new ReplicaSettings(
        push, writeTimeout, peerTimeout, value, poll, upkeep, memoryBytes, metadataServers);
  }

  public ReplicaSettings withRounds(Duration pollEvery, Duration upkeepEvery) {
    return new ReplicaSettings(
        push,
        writeTimeout,
        peerTimeout,
        deadAfter,
        pollEvery,
        upkeepEvery,
        memoryBytes,
        metadataServers);
  }

  public ReplicaSettings withMemoryBytes(long value) {
    return new ReplicaSettings(
        push, writeTimeout, peerTimeout, deadAfter, poll, upkeep, value, metadataServers);
  }
}
