package io.stele.bench.metastore;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured, and how long.
 *
 * @param members of the groups that are measured, one group after the other
 * @param rounds of every case; the median counts
 * @param phase how long a timed phase takes
 * @param warmUpTurns the most phases that a group warms up by each kind of request
 * @param storeKeys in the large store
 */
record Scale(List<Integer> members, int rounds, Duration phase, int warmUpTurns, long storeKeys) {
  /** Keys of all cases but that of the large store. */
  static final int KEYS = 10_000;

  static final int VALUE_BYTES = 100;

  /** Of each side, unless there is only one client. */
  static final int CONNECTIONS = 8;

  static final int WATCHERS = 1_000;

  /** Of values in the large store. */
  static final int STORE_VALUE_BYTES = 32;

  /** Keys that one transaction loads; etcd takes 128 operations in one. */
  static final int LOAD_BATCH = 100;

  /** Groups of more members than this only make sense on as many machines. */
  static final int MOST_MEMBERS = 7;

  static final Scale FULL = new Scale(List.of(1, 3), 3, Duration.ofSeconds(4), 16, 20_000_000);

  static final Scale QUICK = new Scale(List.of(1, 3), 1, Duration.ofMillis(500), 8, 200_000);

  Scale {
    members = List.copyOf(members);
    if (members.isEmpty() || members.stream().anyMatch(count -> count < 1)) {
      throw new IllegalArgumentException(
          "groups of %s members: at least one of at least 1 is needed".formatted(members));
    }
    if (rounds < 1 || !phase.isPositive() || warmUpTurns < 1 || storeKeys < LOAD_BATCH) {
      throw new IllegalArgumentException(
          "%d rounds with phases of %s and %d keys: at least 1, some time and %d are needed"
              .formatted(rounds, phase, storeKeys, LOAD_BATCH));
    }
  }

  Scale withMembers(List<Integer> counts) {
    return new Scale(counts, rounds, phase, warmUpTurns, storeKeys);
  }

  Scale withRounds(int count) {
    return new Scale(members, count, phase, warmUpTurns, storeKeys);
  }

  Scale withPhase(Duration length) {
    return new Scale(members, rounds, length, warmUpTurns, storeKeys);
  }

  Scale withStoreKeys(long count) {
    return new Scale(members, rounds, phase, warmUpTurns, count);
  }

  /** Servers compile or cache what they do often: not on the clock. */
  Duration warmUp() {
    return phase.dividedBy(2);
  }

  /** The large store of one side at a time, its log included, or some history of small groups. */
  long neededDiskBytes() {
    return Math.max(storeKeys * 800, 0) + (4L << 30);
  }
}
