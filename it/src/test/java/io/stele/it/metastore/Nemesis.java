package io.stele.it.metastore;

import io.stele.base.time.Clock;
import io.stele.it.Programs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Does harm to a cluster, one thing after the other, each repaired again before the next; what and
 * to whom is decided by a seed. After each repair the cluster must serve again within a bound.
 */
final class Nemesis {

  /** What can be done to a cluster. */
  enum Fault {
    KILL_LEADER,
    KILL_FOLLOWER,
    KILL_ALL,
    PAUSE_LEADER,
    PAUSE_FOLLOWER,
    ISOLATE_LEADER,
    ISOLATE_FOLLOWER,
    CUT_ONE_DIRECTION,
    SLOW_DISK,
    REPLACE_MEMBER;

    private boolean possible(TestCluster cluster) {
      return switch (this) {
        case ISOLATE_LEADER, ISOLATE_FOLLOWER, CUT_ONE_DIRECTION -> cluster.network().canCut();
        case SLOW_DISK -> Programs.exists("strace") && Programs.isRoot();
        default -> true;
      };
    }
  }

  private final TestCluster cluster;
  private final RandomGenerator random;
  private final Duration harm;
  private final Clock clock = Clock.system();
  private final long start = clock.nanos();
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<String> log = new ArrayList<>();

  /**
   * @param harm how long a pause or cut lasts
   */
  Nemesis(TestCluster cluster, long seed, Duration harm) {
    this.cluster = cluster;
    this.random = new SplittableRandom(seed);
    this.harm = harm;
  }

  /** Those that this machine allows; the others are named on standard output. */
  List<Fault> possible(Fault... wanted) {
    List<Fault> possible = new ArrayList<>();
    for (Fault fault : wanted) {
      if (fault.possible(cluster)) {
        possible.add(fault);
      } else {
        System.out.println(fault + " is not tried: " + refusal(fault));
      }
    }
    return possible;
  }

  private static String refusal(Fault fault) {
    return fault == Fault.SLOW_DISK
        ? "it takes strace, and root"
        : Namespaces.refusal().orElse("the network cannot be cut");
  }

  /**
   * Goes through the faults, each as often as the others, in an order of its own.
   *
   * @param least for how long at least
   * @param most for how long at most, if it is not enough before
   */
  void run(List<Fault> faults, Duration least, Duration most, BooleanSupplier enough)
      throws InterruptedException {
    List<Fault> left = new ArrayList<>();
    long soFar;
    do {
      if (left.isEmpty()) {
        left.addAll(faults);
      }
      inflict(left.remove(random.nextInt(left.size())));
      soFar = clock.nanos() - start;
    } while (soFar < least.toNanos() || (soFar < most.toNanos() && !enough.getAsBoolean()));
  }

  void inflict(Fault fault) throws InterruptedException {
    int leader = cluster.awaitLeader();
    List<Integer> followers = cluster.others(leader);
    int follower = followers.get(random.nextInt(followers.size()));
    note(fault + ", leader is " + leader);
    try {
      switch (fault) {
        case KILL_LEADER -> kill(List.of(leader));
        case KILL_FOLLOWER -> kill(List.of(follower));
        case KILL_ALL -> {
          List<Integer> all = new ArrayList<>(followers);
          all.add(leader);
          kill(all);
        }
        case PAUSE_LEADER -> pauseMember(leader);
        case PAUSE_FOLLOWER -> pauseMember(follower);
        case ISOLATE_LEADER -> isolate(leader);
        case ISOLATE_FOLLOWER -> isolate(follower);
        case CUT_ONE_DIRECTION -> cutOneDirection(leader, follower);
        case SLOW_DISK -> slowDisk(random.nextBoolean() ? leader : follower);
        case REPLACE_MEMBER -> cluster.replace(random.nextBoolean() ? leader : follower);
      }
    } catch (RuntimeException | Error e) {
      throw new AssertionError("after " + this, e);
    }
    awaitProgress();
    hold(Duration.ofSeconds(1));
  }

  private void awaitProgress() {
    try {
      note("serves again after " + cluster.awaitProgress().toMillis() + " ms");
    } catch (RuntimeException | Error e) {
      throw new AssertionError("after " + this, e);
    }
  }

  private void kill(List<Integer> numbers) throws InterruptedException {
    numbers.forEach(number -> cluster.member(number).kill9());
    hold(Duration.ofMillis(random.nextInt(1, (int) harm.toMillis())));
    numbers.forEach(number -> cluster.member(number).launch());
    numbers.forEach(number -> cluster.member(number).awaitReady());
  }

  private void pauseMember(int number) throws InterruptedException {
    MemberProcess member = cluster.member(number);
    member.pause();
    try {
      hold(harm);
    } finally {
      member.resume();
    }
  }

  private void isolate(int number) throws InterruptedException {
    for (int other : cluster.others(number)) {
      cluster.network().cut(number, other);
      cluster.network().cut(other, number);
    }
    healAfterHarm();
  }

  /** The leader does not hear a follower, or the follower not the leader. */
  private void cutOneDirection(int leader, int follower) throws InterruptedException {
    if (random.nextBoolean()) {
      cluster.network().cut(leader, follower);
    } else {
      for (int other : cluster.others(leader)) {
        cluster.network().cut(other, leader);
      }
    }
    healAfterHarm();
  }

  private void healAfterHarm() throws InterruptedException {
    try {
      hold(harm);
    } finally {
      cluster.network().heal();
    }
  }

  private void slowDisk(int number) throws InterruptedException {
    MemberProcess member = cluster.member(number);
    member.slowDownDisk(Duration.ofMillis(100));
    try {
      hold(harm);
    } finally {
      member.speedUpDisk();
    }
  }

  private void hold(Duration time) throws InterruptedException {
    var _ = over.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void note(String what) {
    log.add("%.1f s: %s".formatted((clock.nanos() - start) / 1e9, what));
  }

  @Override
  public String toString() {
    return String.join("; ", log);
  }
}
