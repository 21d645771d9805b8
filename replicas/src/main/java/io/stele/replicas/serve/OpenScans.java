package io.stele.replicas.serve;

import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Scans that are open here. One that nobody has asked for a while lets go of what it holds, and
 * goes on where it was if it is asked again.
 */
final class OpenScans {
  private final Clock clock;
  private final long idleNanos;
  private final Set<PartitionsScan> scans = ConcurrentHashMap.newKeySet();

  OpenScans(Clock clock, Duration idle) {
    this.clock = clock;
    this.idleNanos = idle.toNanos();
  }

  void add(PartitionsScan scan) {
    scans.add(scan);
  }

  void remove(PartitionsScan scan) {
    scans.remove(scan);
  }

  void closeIdle() {
    long now = clock.nanos();
    for (PartitionsScan scan : scans) {
      scan.letGoIfIdle(now - idleNanos);
    }
  }

  void close() {
    scans.forEach(PartitionsScan::close);
  }
}
