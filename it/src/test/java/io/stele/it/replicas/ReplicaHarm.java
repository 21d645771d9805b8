package io.stele.it.replicas;

import io.stele.base.time.Clock;
import io.stele.it.SteleProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Does harm to servers of replicated tables, one thing after the other; what and to whom is decided
 * by a seed. After each, all partitions must have all their replicas again within a bound: nothing
 * that was acknowledged is on one server alone when the next is wiped.
 */
final class ReplicaHarm {
  /** What can befall servers. */
  enum Fault {
    KILL,
    KILL_TWO,
    PAUSE,
    CUT,
    WIPE,
    REPLACE,
    KILL_LEADER
  }

  /** What a short run does. */
  static final List<Fault> FEW =
      List.of(Fault.KILL_TWO, Fault.PAUSE, Fault.CUT, Fault.WIPE, Fault.REPLACE);

  static final List<Fault> ALL = List.of(Fault.values());

  private final ReplicaCluster cluster;
  private final RandomGenerator random;
  private final Clock clock = Clock.system();
  private final long start = clock.nanos();
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<String> log = new ArrayList<>();

  ReplicaHarm(ReplicaCluster cluster, long seed) {
    this.cluster = cluster;
    this.random = new SplittableRandom(seed);
  }

  /** Inflicts each of these once, in an order of its own, as far as this machine allows. */
  void run(List<Fault> faults, Runnable between) throws InterruptedException {
    List<Fault> left = new ArrayList<>(faults);
    if (!cluster.network().canCut() && left.remove(Fault.CUT)) {
      System.out.println(Fault.CUT + " is not tried: the network cannot be cut here");
    }
    while (!left.isEmpty()) {
      inflict(left.remove(random.nextInt(left.size())));
      between.run();
    }
  }

  private void inflict(Fault fault) throws InterruptedException {
    int server = random.nextInt(cluster.size());
    try {
      switch (fault) {
        case KILL -> {
          note(fault, server);
          killAndRestart(List.of(cluster.server(server)));
        }
        case KILL_TWO -> {
          int other = (server + 1 + random.nextInt(cluster.size() - 1)) % cluster.size();
          note(fault, server, other);
          killAndRestart(List.of(cluster.server(server), cluster.server(other)));
        }
        case PAUSE -> {
          note(fault, server);
          pauseAndResume(cluster.server(server));
        }
        case CUT -> {
          note(fault, server);
          cutAndHeal(server);
        }
        case WIPE -> {
          note(fault, server);
          cluster.wipe(server);
        }
        case REPLACE -> {
          int outside = cluster.members() + random.nextInt(cluster.size() - cluster.members());
          note(fault, outside);
          cluster.replace(outside);
        }
        case KILL_LEADER -> {
          int leader = cluster.awaitLeader();
          note(fault, leader);
          killAndRestart(List.of(cluster.server(leader)));
        }
      }
      long repaired = clock.nanos();
      cluster.awaitWhole(Load.TABLES);
      log("whole %d ms after".formatted((clock.nanos() - repaired) / 1_000_000));
    } catch (RuntimeException | Error e) {
      throw new AssertionError("after " + this, e);
    }
  }

  /** They are back before others take their place: what they missed must be sent to them. */
  private void killAndRestart(List<SteleProcess> victims) throws InterruptedException {
    victims.forEach(SteleProcess::kill9);
    hold(Duration.ofMillis(random.nextLong(1_000)));
    victims.forEach(SteleProcess::launch);
    victims.forEach(SteleProcess::awaitReady);
  }

  private void pauseAndResume(SteleProcess victim) throws InterruptedException {
    victim.pause();
    try {
      hold(soonOrLate());
    } finally {
      victim.resume();
    }
  }

  private void cutAndHeal(int server) throws InterruptedException {
    cluster.isolate(server);
    try {
      hold(soonOrLate());
    } finally {
      cluster.network().heal();
    }
  }

  /** Before anybody has missed it, or when others are about to take its place. */
  private Duration soonOrLate() {
    Duration longest = ReplicaCluster.SESSION.plus(ReplicaCluster.DEAD_AFTER).plusSeconds(1);
    return Duration.ofMillis(random.nextLong(500, longest.toMillis()));
  }

  private void hold(Duration time) throws InterruptedException {
    var _ = over.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void note(Fault fault, Integer... servers) {
    log(fault + " " + List.of(servers));
  }

  private void log(String what) {
    log.add("%.1f s: %s".formatted((clock.nanos() - start) / 1e9, what));
  }

  @Override
  public String toString() {
    return String.join("; ", log);
  }
}
