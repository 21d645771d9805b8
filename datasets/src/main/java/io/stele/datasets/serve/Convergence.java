package io.stele.datasets.serve;

import io.stele.base.event.Subscription;
import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes of a cluster. At its start a node publishes itself and waits until the list has stayed
 * the same for a while, so that nodes that start together choose shards by the same list. That is
 * once; afterwards the list is what it is. Under the node's lock.
 */
final class Convergence implements AutoCloseable {
  private final String self;
  private final Clock clock;
  private final Duration calm;
  private final Subscription published;
  private final SharedMap.Children children;
  private Set<String> names = Set.of();
  private long changedNanos;
  private boolean settled;

  Convergence(SharedMap map, String self, Clock clock, Duration calm, Runnable changed) {
    this.self = self;
    this.clock = clock;
    this.calm = calm;
    this.changedNanos = clock.nanos();
    this.published = map.publish("nodes/" + self);
    this.children = map.watch("nodes", changed);
  }

  void step() {
    Set<String> now = children.names().orElse(Set.of());
    if (!now.equals(names)) {
      names = Set.copyOf(now);
      changedNanos = clock.nanos();
    }
    settled |= names.contains(self) && clock.nanos() - changedNanos >= calm.toNanos();
  }

  /** The nodes, this one included; nothing as long as they have not settled. */
  Optional<Set<String>> nodes() {
    return settled ? Optional.of(all()) : Optional.empty();
  }

  /** All that are listed now, and this one. */
  Set<String> all() {
    Set<String> all = new TreeSet<>(names);
    all.add(self);
    return all;
  }

  @Override
  public void close() {
    published.close();
    children.close();
  }
}
