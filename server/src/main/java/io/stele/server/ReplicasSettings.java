package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.replicas.placement.KeeperSettings;
import io.stele.replicas.serve.ReplicaSettings;
import io.stele.replicas.serve.ScrubSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** How replicated tables are kept, how much memory they take, and when they are tended. */
public record ReplicasSettings(
    @About("How long a server may be silent before others take it for dead.") Duration session,
    @About("How long a server may be dead before others get the replicas that it had.")
        Duration deadAfter,
    @About(
            "How many replicas of all tables are moved at a time to balance servers; 0 to leave"
                + " replicas where they are.")
        int moves,
    @About(
            "The rack, zone or room of this server: what it shares with others that may fail"
                + " together with it. Replicas of a partition go to different ones as far as there"
                + " are enough. A server without one shares nothing.")
        Optional<String> rack,
    @About("For blocks of their files.") ByteSize cache,
    @About(
            "For changes of all replicas of the server that are not in files yet. From half of it"
                + " on, the replica with the most is flushed; at it, writes wait, and fail after"
                + " half of the write timeout.")
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
    @About(
            "How often the replicas of each partition are compared and repaired by themselves; 0s"
                + " for never.")
        Duration scrubEvery,
    @About("Bytes per second of each replica that a server reads to compare it with the others.")
        ByteSize scrubRate,
    @About("How often splits, copies and replicas to be dropped are looked after.")
        Duration upkeep) {

  private static final ReplicaSettings KNOWN = ReplicaSettings.DEFAULT;
  private static final Duration SHORTEST_SESSION = Duration.ofMillis(200);
  private static final Pattern RACK = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final long LARGEST_CACHE = 128L << 20;

  /** Of a small heap the defaults take little: there may be many replicas. */
  private static final long SIXTEENTH = ((Runtime.getRuntime().maxMemory() / 16) >> 20) << 20;

  public static final ReplicasSettings DEFAULTS =
      new ReplicasSettings(
          Duration.ofSeconds(5),
          KNOWN.keeper().deadAfter(),
          KNOWN.keeper().moves(),
          Optional.empty(),
          new ByteSize(Math.min(LARGEST_CACHE, SIXTEENTH * 2)),
          new ByteSize(Math.min(KNOWN.memoryBytes(), SIXTEENTH * 2)),
          new ByteSize(Math.min(KNOWN.push().ringBytes(), SIXTEENTH)),
          new ByteSize(KNOWN.push().pushBytes()),
          KNOWN.push().relayAfter(),
          KNOWN.writeTimeout(),
          KNOWN.peerTimeout(),
          KNOWN.metadata().poll(),
          KNOWN.scrub().every(),
          new ByteSize(KNOWN.scrub().bytesPerSecond()),
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
    if (rack.isPresent() && !RACK.matcher(rack.get()).matches()) {
      throw new InvalidRequestException(
          "replicas.rack is '" + rack.get() + "': must be 1 to 64 letters, digits, _, - or .");
    }
    if (moves < 0) {
      throw new InvalidRequestException("replicas.moves is " + moves + ": must not be negative");
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
        .withMoves(moves)
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
        .withScrub(new ScrubSettings(scrubEvery, scrubRate.bytes()))
        .withUpkeep(upkeep)
        .withMemoryBytes(memory.bytes());
  }
}
