package io.stele.replicas.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.file.CrashMode;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Any order, repetition and grouping of deliveries gives the same, whatever is done in between. */
class ConvergenceTest {
  private static final int SEEDS = Integer.getInteger("seeds", 24);
  private static final int REPLICAS = 3;

  @Test
  void replicasThatGotTheSameCellsShowTheSame() {
    for (long seed = 0; seed < SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      RandomGenerator random = RandomSource.seeded(seed);
      RandomChanges changes = new RandomChanges(seed, clock.micros());
      List<Cell> cells = changes.cells(5 + random.nextInt(90));
      List<String> expected = visible(cells);
      for (int n = 0; n < REPLICAS; n++) {
        try (TestReplica replica = new TestReplica(clock)) {
          for (CellBatch batch : changes.delivery(cells)) {
            replica.apply(batch);
            disturb(replica, random);
          }
          assertThat(replica.seen()).as("seed %d, replica %d", seed, n).isEqualTo(expected);
          replica.store().compact();
          assertThat(replica.seen()).as("seed %d, compacted", seed).isEqualTo(expected);
          // Erasures leave the files, and what they hid is gone with them.
          clock.advance(TestReplica.GRACE.plusHours(1));
          replica.store().compact();
          clock.advance(TestReplica.GRACE.plusHours(1));
          replica.store().compact();
          assertThat(replica.seen()).as("seed %d, after the grace", seed).isEqualTo(expected);
        }
      }
    }
  }

  private static void disturb(TestReplica replica, RandomGenerator random) {
    switch (random.nextInt(24)) {
      case 0, 1, 2 -> replica.store().flush();
      case 3 -> replica.store().compact();
      case 4 -> replica.reopen();
      case 5 -> replica.crash(CrashMode.dropUnsynced());
      case 6 -> replica.clock.advance(Duration.ofMinutes(random.nextInt(5)));
      default -> {}
    }
  }

  @Test
  void digestsAreEqualWhereWhatIsSeenIs() {
    for (long seed = 0; seed < SEEDS / 3; seed++) {
      ManualClock clock = new ManualClock();
      RandomGenerator random = RandomSource.seeded(seed);
      RandomChanges changes = new RandomChanges(seed, clock.micros());
      List<Cell> cells = changes.cells(60);
      try (TestReplica one = new TestReplica(clock);
          TestReplica other = new TestReplica(clock)) {
        for (CellBatch batch : changes.delivery(cells)) {
          one.apply(batch);
        }
        for (CellBatch batch : changes.delivery(cells)) {
          other.apply(batch);
          disturb(other, random);
        }
        other.store().compact();

        assertThat(other.digest()).as("seed %d", seed).isEqualTo(one.digest());
        one.apply(TestReplica.put("row1", clock.micros() + 99, "more"));
        assertThat(other.digest()).as("seed %d", seed).isNotEqualTo(one.digest());
      }
    }
  }

  /** What is to be seen of cells, by the definition. */
  private static List<String> visible(List<Cell> cells) {
    TreeMap<Cell, String> seen = new TreeMap<>();
    for (Cell put : cells) {
      if (put.kind() == CellKind.PUT && cells.stream().noneMatch(other -> hides(other, put))) {
        seen.put(put, put.toString().replace("#0", ""));
      }
    }
    return List.copyOf(seen.values());
  }

  private static boolean hides(Cell other, Cell put) {
    if (other.kind() == CellKind.PUT) {
      Bytes value = other.value();
      return other.compareTo(put) == 0 && value.compareTo(put.value()) > 0;
    }
    return other.covers(put);
  }
}
