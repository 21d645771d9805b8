package io.stele.bench.cluster;

import io.stele.bench.table.ycsb.Records;
import java.util.List;

/**
 * How much is lost with a server, and how often.
 *
 * @param unflushedMebibytes what a server has in its log alone when it is killed, one case each
 * @param rounds of every case
 * @param recommendedRounds likewise of the peer at the session time-out that it comes with: each
 *     takes longer than all the rest, and most of it is that time-out
 * @param warmUp whether each cluster recovers once before it counts
 */
record RecoveryExtent(
    List<Integer> unflushedMebibytes, int rounds, int recommendedRounds, boolean warmUp) {
  static final int MOST_MEBIBYTES = 1 << 14;

  static final RecoveryExtent FULL = new RecoveryExtent(List.of(0, 64, 256, 1024), 3, 1, true);
  static final RecoveryExtent QUICK = new RecoveryExtent(List.of(0, 16), 1, 0, false);

  /** In files, so that there is something to read where nothing is in the log. */
  static final int FLUSHED_RECORDS = 1_000;

  RecoveryExtent {
    unflushedMebibytes = List.copyOf(unflushedMebibytes);
    if (unflushedMebibytes.isEmpty() || rounds < 1 || recommendedRounds < 0) {
      throw new IllegalArgumentException(
          "%s MiB, %d and %d rounds: at least one size and one round are needed"
              .formatted(unflushedMebibytes, rounds, recommendedRounds));
    }
  }

  RecoveryExtent withUnflushed(List<Integer> mebibytes) {
    return new RecoveryExtent(mebibytes, rounds, recommendedRounds, warmUp);
  }

  RecoveryExtent withRounds(int count) {
    return new RecoveryExtent(unflushedMebibytes, count, recommendedRounds, warmUp);
  }

  static long records(int mebibytes) {
    return ((long) mebibytes << 20) / Records.BYTES;
  }

  /** One cluster at a time: log, what is replayed of it, and files that are merged. */
  long neededDiskBytes() {
    long sum = unflushedMebibytes.stream().mapToLong(each -> (long) each << 20).sum();
    return 6 * sum + (3L << 30);
  }
}
