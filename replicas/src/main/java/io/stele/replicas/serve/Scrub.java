package io.stele.replicas.serve;

import io.stele.base.error.SteleException;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.push.Duty;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.ReplicaEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/**
 * Compares the replicas of each partition now and then, in small pieces with rests in between, and
 * sends each what it lacks. The first live member of a partition does it, for one partition after
 * the other. Reading everything also finds data that became corrupt: see {@code push.Quarantine}.
 *
 * <p>One thread.
 */
final class Scrub {
  private static final long PIECE_BYTES = 1L << 20;
  private static final int MOST_PIECES = 4096;
  private static final int TRIES_IN_A_PERIOD = 20; // where members did not answer

  private final Machinery machinery;
  private final Comparison comparison;
  private final ScrubSettings settings;
  private final LongPredicate rest;
  private final Map<String, Long> notBefore = new HashMap<>(); // nanos, by partition

  /**
   * Compares nothing by itself.
   *
   * @param rest waits for so many nanoseconds; false if the server is closed meanwhile
   */
  Scrub(Machinery machinery, ScrubSettings settings, LongPredicate rest) {
    this.machinery = machinery;
    this.comparison = new Comparison(machinery);
    this.settings = settings;
    this.rest = rest;
  }

  /** Compares what is due. */
  void round() {
    for (MetadataCache.Known known : machinery.cache().tables()) {
      for (Partition partition : known.metadata().partitions()) {
        Optional<LocalReplica> replica = replica(partition).filter(this::isDue);
        if (replica.isPresent() && !scrub(known, partition, replica.get())) {
          return;
        }
      }
    }
  }

  /** The replica here, if this server is to compare it. */
  private Optional<LocalReplica> replica(Partition partition) {
    Optional<Assignment> first =
        partition.members().stream().filter(each -> machinery.isLive(each.server())).findFirst();
    boolean here =
        settings.isOn()
            && partition.members().size() > 1
            && partition.split().isEmpty()
            && partition.joining().isEmpty()
            && first.filter(each -> each.server().equals(machinery.id())).isPresent();
    return here
        ? machinery
            .host()
            .replica(partition.id())
            .filter(each -> each.duty().role() == Duty.Role.SERVING)
        : Optional.empty();
  }

  /** One that is new is due at some time of the period, so that not all are at once. */
  private boolean isDue(LocalReplica replica) {
    Long waits = notBefore.get(replica.name().partition());
    if (waits != null && machinery.clock().nanos() - waits < 0) {
      return false;
    }
    long now = machinery.clock().micros();
    long period = micros(settings.every());
    Optional<Long> due = replica.scrubMark().due();
    if (due.isEmpty()) {
      long first = now + (long) (machinery.random().nextDouble() * period);
      machinery.host().scrubDue(replica, first);
      return false;
    }
    return due.get() <= now || due.get() > now + period; // the period may have been longer
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration);
  }

  /** False if the server is closed meanwhile. */
  private boolean scrub(MetadataCache.Known known, Partition partition, LocalReplica replica) {
    long cells = 0;
    boolean all = true;
    try {
      List<RowRange> pieces = pieces(partition, replica);
      long bytes = replica.store().bytes() / pieces.size();
      for (RowRange piece : pieces) {
        long begun = machinery.clock().nanos();
        Comparison.Repaired repaired = comparison.repair(known, partition, piece);
        cells += repaired.cells();
        all &= repaired.silent().isEmpty();
        long left = settings.nanos(bytes) - (machinery.clock().nanos() - begun);
        if (left > 0 && !rest.test(left)) {
          return false;
        }
      }
    } catch (SteleException e) {
      all = false; // as it is now, it cannot be read
    }
    if (cells > 0) {
      machinery
          .events()
          .accept(new ReplicaEvent.Differed(known.config().name(), partition.id(), cells));
    }
    if (all) {
      long now = machinery.clock().micros();
      notBefore.remove(partition.id());
      machinery.host().scrubbed(replica, now, now + micros(settings.every()));
    } else {
      long pause = settings.every().dividedBy(TRIES_IN_A_PERIOD).toNanos();
      notBefore.put(partition.id(), machinery.clock().nanos() + pause);
    }
    return true;
  }

  private static List<RowRange> pieces(Partition partition, LocalReplica replica) {
    int wanted = (int) Math.min(replica.store().bytes() / PIECE_BYTES + 1, MOST_PIECES);
    return partition.rows().cutAt(replica.readable().cuts(partition.rows(), wanted));
  }
}
