package io.stele.it.cluster;

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
 * Does harm to a cluster, one thing after the other, each repaired again before the next; what and
 * to whom is decided by a seed. After each repair all tablets must be served within a bound.
 */
final class Harm {

  /** What can befall a cluster. */
  enum Fault {
    KILL_SERVER,
    KILL_TWO_SERVERS,
    PAUSE_SERVER,
    CUT_SERVER,
    STOP_SERVER,
    KILL_MASTER,
    PAUSE_MASTER,
    KILL_LEADER
  }

  private final TabletCluster cluster;
  private final RandomGenerator random;
  private final Clock clock = Clock.system();
  private final long start = clock.nanos();
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<String> log = new ArrayList<>(); // guarded by itself

  Harm(TabletCluster cluster, long seed) {
    this.cluster = cluster;
    this.random = new SplittableRandom(seed);
  }

  /** Those that this machine allows; the others are named on standard output. */
  List<Fault> possible() {
    List<Fault> possible = new ArrayList<>(List.of(Fault.values()));
    if (!cluster.network().canCut()) {
      possible.remove(Fault.CUT_SERVER);
      System.out.println(Fault.CUT_SERVER + " is not tried: the network cannot be cut here");
    }
    return possible;
  }

  /** Goes through the faults, each as often as the others, in an order of its own. */
  void run(List<Fault> faults, Duration least, Runnable between) throws InterruptedException {
    List<Fault> left = new ArrayList<>();
    do {
      if (left.isEmpty()) {
        left.addAll(faults);
      }
      inflict(left.remove(random.nextInt(left.size())));
      between.run();
    } while (clock.nanos() - start < least.toNanos());
  }

  void inflict(Fault fault) throws InterruptedException {
    int server = random.nextInt(cluster.serverCount());
    note(fault + (fault.name().endsWith("SERVER") ? " " + server : ""));
    try {
      switch (fault) {
        case KILL_SERVER -> killAndRestart(List.of(cluster.server(server)));
        case KILL_TWO_SERVERS ->
            killAndRestart(
                List.of(
                    cluster.server(server), cluster.server((server + 1) % cluster.serverCount())));
        case PAUSE_SERVER -> pauseAndResume(cluster.server(server));
        case CUT_SERVER -> cutAndHeal(server);
        case STOP_SERVER -> stopAndRestart(cluster.server(server));
        case KILL_MASTER -> killAndRestart(List.of(cluster.member(cluster.awaitMaster())));
        case PAUSE_MASTER -> pauseAndResume(cluster.member(cluster.awaitMaster()));
        case KILL_LEADER -> killAndRestart(List.of(cluster.member(cluster.group().awaitLeader())));
      }
      long repaired = clock.nanos();
      cluster.awaitServed();
      note("all served %d ms after".formatted((clock.nanos() - repaired) / 1_000_000));
    } catch (RuntimeException | Error e) {
      throw new AssertionError("after " + this, e);
    }
  }

  /** Some are back before anybody has missed them. */
  private void killAndRestart(List<SteleProcess> victims) throws InterruptedException {
    victims.forEach(SteleProcess::kill9);
    hold(Duration.ofMillis(random.nextLong(longEnough().toMillis())));
    victims.forEach(SteleProcess::launch);
    victims.forEach(SteleProcess::awaitReady);
  }

  private void pauseAndResume(SteleProcess victim) throws InterruptedException {
    victim.pause();
    try {
      hold(longEnough());
    } finally {
      victim.resume();
    }
  }

  private void cutAndHeal(int server) throws InterruptedException {
    cluster.isolateServer(server);
    try {
      hold(longEnough());
    } finally {
      cluster.network().heal();
    }
  }

  private void stopAndRestart(SteleProcess victim) {
    victim.stop();
    victim.start();
  }

  /** For others to notice, and to take over. */
  private Duration longEnough() {
    return cluster.session().multipliedBy(2);
  }

  private void hold(Duration time) throws InterruptedException {
    var _ = over.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  void note(String what) {
    synchronized (log) {
      log.add("%.1f s: %s".formatted((clock.nanos() - start) / 1e9, what));
    }
  }

  @Override
  public String toString() {
    synchronized (log) {
      return String.join("; ", log);
    }
  }
}
