package io.stele.it.process;

import io.stele.base.process.FileTree;
import io.stele.base.process.ServerProcess;
import io.stele.base.time.Clock;
import io.stele.it.process.Fault.Victim;
import io.stele.testkit.process.DiskFault;
import io.stele.testkit.process.SmallDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Injects faults into a cluster, one after the other, each repaired before the next. A seed decides
 * their order and victims. After each repair the cluster must recover within a bound.
 */
public final class FaultRun {
  private static final Duration SYNC_DELAY = Duration.ofMillis(100);

  /**
   * How long faults last.
   *
   * @param down how long at most killed servers stay down
   * @param shortest the shortest pause, cut or slow disk
   * @param longest the longest
   */
  public record Lengths(Duration down, Duration shortest, Duration longest) {
    /** All of the same length, but for crashes, which are over sooner. */
    public static Lengths of(Duration length) {
      return new Lengths(length, length, length);
    }
  }

  private final SteleCluster cluster;
  private final RandomGenerator random;
  private final Lengths lengths;
  private final Recovery recovery;
  private final Clock clock = Clock.system();
  private final long start = clock.nanos();
  private final CountDownLatch never = new CountDownLatch(1);
  private final List<String> story = new ArrayList<>(); // guarded by itself
  private final FaultTimes times = new FaultTimes();
  private LongestGap gap;
  private int injected;

  /** Who is the master, what a wipe deletes, and when the cluster has recovered. */
  public interface Recovery {
    /** Waits until everything is served again; fails if it takes too long. */
    void await() throws InterruptedException;

    /** The number of the server that is the master. */
    default int master() {
      throw new IllegalStateException("this cluster has no master");
    }

    /** The directory below a server's own that a wipe deletes. */
    default String wiped() {
      throw new IllegalStateException("servers of this cluster are not wiped");
    }
  }

  public FaultRun(SteleCluster cluster, long seed, Lengths lengths, Recovery recovery) {
    this.cluster = cluster;
    this.random = new SplittableRandom(seed);
    this.lengths = lengths;
    this.recovery = recovery;
    this.gap = new LongestGap(clock);
  }

  /**
   * Has writes reported from now on, so that {@link #times} tells how long each fault held them up.
   */
  public void watch(LongestGap writes) {
    gap = writes;
  }

  /**
   * Goes through the faults again and again, in a random order each time.
   *
   * @param least for how long at least; each fault is injected once in any case
   * @param between what is to be done after each
   */
  public void run(List<Fault> faults, Duration least, Runnable between)
      throws InterruptedException {
    faults.forEach(fault -> fault.require(cluster));
    List<Fault> left = new ArrayList<>();
    while (injected < faults.size() || time().compareTo(least) < 0) {
      if (left.isEmpty()) {
        left.addAll(faults);
      }
      inject(left.remove(random.nextInt(left.size())));
      between.run();
    }
  }

  /** Injects one fault, repairs it and waits until the cluster has recovered. */
  public void inject(Fault fault) throws InterruptedException {
    fault.require(cluster);
    try {
      List<Integer> victims = victims(fault.victim());
      note(fault + " " + victims);
      var _ = gap.lap(); // what was before is of no interest
      inflict(fault, victims);
      long repaired = clock.nanos();
      recovery.await();
      Duration took = Duration.ofNanos(clock.nanos() - repaired);
      times.add(fault, took, gap.lap());
      note("recovered after %d ms".formatted(took.toMillis()));
      injected++;
    } catch (RuntimeException | Error e) {
      throw new AssertionError("after " + this, e);
    }
  }

  private List<Integer> victims(Victim victim) {
    return switch (victim) {
      case LEADER -> List.of(cluster.awaitLeader());
      case FOLLOWER -> some(1, cluster.otherMembers(cluster.awaitLeader()));
      case MEMBER -> some(1, cluster.with("metastore"));
      case ALL_MEMBERS -> cluster.with("metastore");
      case MASTER -> List.of(recovery.master());
      case SERVER -> some(1, servers());
      case TWO_SERVERS -> some(2, servers());
      case ANY -> some(1, all());
      case ANY_TWO -> some(2, all());
    };
  }

  private List<Integer> all() {
    List<Integer> all = new ArrayList<>(servers());
    all.addAll(cluster.with("metastore"));
    return all;
  }

  private List<Integer> servers() {
    List<Integer> members = cluster.with("metastore");
    List<Integer> servers = new ArrayList<>();
    for (int number = 0; number < cluster.size(); number++) {
      if (!members.contains(number)) {
        servers.add(number);
      }
    }
    return servers;
  }

  private List<Integer> some(int count, List<Integer> candidates) {
    List<Integer> left = new ArrayList<>(candidates);
    List<Integer> chosen = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      chosen.add(left.remove(random.nextInt(left.size())));
    }
    return chosen;
  }

  private void inflict(Fault fault, List<Integer> victims) throws InterruptedException {
    ServerProcess first = cluster.server(victims.getFirst());
    switch (fault.kind()) {
      case KILL -> {
        cluster.killAll(victims);
        hold(Duration.ofMillis(random.nextLong(1, lengths.down.toMillis())));
        cluster.startAll(victims);
      }
      case STOP -> {
        first.terminate();
        var _ = first.awaitExit(SteleCluster.RECOVERY);
        var _ = first.start();
      }
      case PAUSE -> {
        first.pause();
        try {
          hold(length());
        } finally {
          first.resume();
        }
      }
      case ISOLATE -> {
        cluster.isolate(victims.getFirst());
        healAfterwards();
      }
      case CUT_ONE_WAY -> {
        cutOneWay(victims.getFirst());
        healAfterwards();
      }
      case SLOW_DISK -> {
        try (DiskFault _ = DiskFault.slow(first, SYNC_DELAY)) {
          hold(length());
        }
      }
      case FULL_DISK -> fillDisk(first);
      case WIPE -> cluster.wipe(victims.getFirst(), recovery.wiped());
      case REPLACE -> cluster.replace(victims.getFirst());
    }
  }

  private void fillDisk(ServerProcess server) throws InterruptedException {
    Path filler = SmallDisk.fill(server.data());
    try {
      hold(length());
    } finally {
      FileTree.delete(filler);
    }
    if (!server.isAlive()) {
      note("stopped, and is started again");
      var _ = server.start();
    }
  }

  /** It reaches one member no longer, or hears none of them. */
  private void cutOneWay(int number) {
    List<Integer> others = cluster.otherMembers(number);
    if (random.nextBoolean()) {
      cluster.network().cut(number, some(1, others).getFirst());
    } else {
      others.forEach(other -> cluster.network().cut(other, number));
    }
  }

  private void healAfterwards() throws InterruptedException {
    try {
      hold(length());
    } finally {
      cluster.network().heal();
    }
  }

  private Duration length() {
    long shortest = lengths.shortest.toMillis();
    return Duration.ofMillis(shortest + random.nextLong(lengths.longest.toMillis() - shortest + 1));
  }

  private void hold(Duration time) throws InterruptedException {
    var _ = never.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Adds a line to the story that a failure quotes. */
  public void note(String what) {
    synchronized (story) {
      story.add("%.1f s: %s".formatted((clock.nanos() - start) / 1e9, what));
    }
  }

  /** Since the beginning. */
  public Duration time() {
    return Duration.ofNanos(clock.nanos() - start);
  }

  /** A table of what each kind of fault cost. */
  public String times() {
    return times.toString();
  }

  /** How many faults were injected so far. */
  public int injected() {
    return injected;
  }

  @Override
  public String toString() {
    synchronized (story) {
      return String.join("; ", story);
    }
  }
}
