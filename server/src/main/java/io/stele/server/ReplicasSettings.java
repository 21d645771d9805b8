package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.replicas.placement.KeeperSettings;
import io.stele.replicas.serve.ReplicaSettings;
import java.time.Duration;

/** How replicated tables are kept, how much memory they take, and when they are tended. */
public record ReplicasSettings(
    @About("How long a server may be silent before others take it for dead.") Duration session,
    @About("How long a server may be dead before others get the replicas that it had.")
        Duration deadAfter,
    @About("For blocks of their files.") ByteSize cache,
    @About("Of changes of a replica that are not in files yet, at which they are written to one.")
        ByteSize memory,
    @About("Of recent changes that are kept to be sent; who is further behind is sent the files.")
        ByteSize recent,
    @About("Of one message by which changes are sent.") ByteSize push,
    @About("After which a change is sent on to those that its sender does not say to have it.")
        Duration relayAfter,
    @About("How long a change waits for its acknowledgements.") Duration writeTimeout,
    @About("How long other servers are waited for when they are asked something.")
        Duration peerTimeout,
    @About("How often the metastore is looked at, in case a notice was lost.") Duration poll,
    @About("How often splits, copies and replicas to be dropped are looked after.")
        Duration upkeep) {

  private static final ReplicaSettings KNOWN = ReplicaSettings.DEFAULT;
  private static final Duration SHORTEST_SESSION = Duration.ofMillis(200);
  private static final long LARGEST_CACHE = 128L << 20;

  /** Of a small heap the defaults take little: there may be many replicas. */
  private static final long SIXTEENTH = ((Runtime.getRuntime().maxMemory() / 16) >> 20) << 20;

  public static final ReplicasSettings DEFAULTS =
      new ReplicasSettings(
          Duration.ofSeconds(5),
          KNOWN.keeper().deadAfter(),
          new ByteSize(Math.min(LARGEST_CACHE, SIXTEENTH * 2)),
          new ByteSize(Math.min(KNOWN.memoryBytes(), SIXTEENTH)),
          new ByteSize(Math.min(KNOWN.push().ringBytes(), SIXTEENTH)),
          new ByteSize(KNOWN.push().pushBytes()),
          KNOWN.push().relayAfter(),
          KNOWN.writeTimeout(),
          KNOWN.peerTimeout(),
          KNOWN.metadata().poll(),
          KNOWN.upkeep());

  public ReplicasSettings {
    if (session.compareTo(SHORTEST_SESSION) < 0) {
      throw new InvalidRequestException(
          "replicas.session is "
              + session.toMillis()
              + "ms: must be at least "
              + SHORTEST_SESSION.toMillis()
              + "ms, or a server that pauses for a moment is taken for dead");
    }
    if (push.bytes() > Integer.MAX_VALUE) {
      throw new InvalidRequestException("replicas.push is " + push + ": must be less than 2GiB");
    }
  }

  /** Looks often enough for a short time of grace to be kept. */
  private KeeperSettings keeper() {
    KeeperSettings known = KNOWN.keeper();
    Duration quarter = deadAfter.dividedBy(4).plusMillis(1);
    return known
        .withDeadAfter(deadAfter, least(known.metadataDeadAfter(), deadAfter))
        .withEvery(least(known.every(), quarter));
  }

  private static Duration least(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  ReplicaSettings server() {
    return KNOWN
        .withPush(KNOWN.push().withBytes(push.toInt(), recent.bytes()).withRelayAfter(relayAfter))
        .withTimeouts(writeTimeout, peerTimeout)
        .withMetadata(KNOWN.metadata().withPoll(poll))
        .withKeeper(keeper())
        .withUpkeep(upkeep)
        .withMemoryBytes(memory.bytes());
  }
}
