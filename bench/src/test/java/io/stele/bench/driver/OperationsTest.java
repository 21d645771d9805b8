package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OperationsTest {
  private static final int RECORDS = 10_000;
  private static final int COUNT = 100_000;

  private static List<Operation> operations(Workload workload, int thread, long seed) {
    Inserts inserts = new Inserts(RECORDS, thread + 1);
    Operations operations = new Operations(workload, Zipfian.of(RECORDS), inserts, thread, seed);
    List<Operation> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      Operation next = operations.next();
      all.add(next);
      if (next.kind() == Operation.Kind.INSERT) {
        inserts.end(thread);
      }
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(Workload.class)
  void theSameSeedAndThreadGiveTheSame(Workload workload) {
    List<Operation> once = operations(workload, 3, 42);
    assertThat(operations(workload, 3, 42)).isEqualTo(once);
    assertThat(operations(workload, 4, 42)).isNotEqualTo(once);
    assertThat(operations(workload, 3, 43)).isNotEqualTo(once);
  }

  @ParameterizedTest
  @CsvSource({
    "A, 50, 50, 0, 0, 0",
    "B, 95, 5, 0, 0, 0",
    "C, 100, 0, 0, 0, 0",
    "D, 95, 0, 5, 0, 0",
    "E, 0, 0, 5, 95, 0",
    "F, 50, 0, 0, 0, 50"
  })
  void theMixIsThatOfYcsb(
      Workload workload, int reads, int updates, int inserts, int scans, int readModifyWrites) {
    Map<Operation.Kind, Double> percent = new EnumMap<>(Operation.Kind.class);
    for (Operation operation : operations(workload, 0, 1)) {
      percent.merge(operation.kind(), 100.0 / COUNT, Double::sum);
    }
    assertShare(percent, Operation.Kind.READ, reads);
    assertShare(percent, Operation.Kind.UPDATE, updates);
    assertShare(percent, Operation.Kind.INSERT, inserts);
    assertShare(percent, Operation.Kind.SCAN, scans);
    assertShare(percent, Operation.Kind.READ_MODIFY_WRITE, readModifyWrites);
  }

  private static void assertShare(
      Map<Operation.Kind, Double> percent, Operation.Kind kind, int expected) {
    double tolerance = expected == 0 ? 0 : 1;
    assertThat(percent.getOrDefault(kind, 0.0))
        .as("%s", kind)
        .isCloseTo(expected, within(tolerance));
  }

  @Test
  void fewRecordsArePopularAndTheyAreNoNeighbours() {
    Map<Long, Integer> counts = new HashMap<>();
    for (Operation operation : operations(Workload.C, 0, 1)) {
      assertThat(operation.record()).isBetween(0L, RECORDS - 1L);
      counts.merge(operation.record(), 1, Integer::sum);
    }
    List<Map.Entry<Long, Integer>> byCount =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Long, Integer>comparingByValue().reversed())
            .toList();
    int ofTopHundred = byCount.stream().limit(100).mapToInt(Map.Entry::getValue).sum();
    // The sum of 1/i^0.99 to 100 is 53 % of that to 10,000.
    assertThat((double) ofTopHundred / COUNT).isCloseTo(0.53, within(0.03));
    Set<Long> halves = new HashSet<>();
    byCount.stream().limit(20).forEach(each -> halves.add(each.getKey() / (RECORDS / 10)));
    assertThat(halves).as("tenths of the records with the 20 most popular").hasSizeGreaterThan(5);
  }

  @Test
  void theNewestArePopularInD() {
    Inserts inserts = new Inserts(RECORDS, 1);
    Operations operations = new Operations(Workload.D, Zipfian.of(RECORDS), inserts, 0, 1);
    int newest = 0;
    int reads = 0;
    long last = RECORDS;
    for (int i = 0; i < COUNT; i++) {
      Operation next = operations.next();
      if (next.kind() == Operation.Kind.INSERT) {
        assertThat(next.record()).isEqualTo(last++);
        inserts.end(0);
      } else {
        reads++;
        assertThat(next.record()).isBetween(0L, last - 1);
        newest += next.record() >= last - 100 ? 1 : 0;
      }
    }
    assertThat((double) newest / reads).isCloseTo(0.52, within(0.04));
  }

  @Test
  void scansWantOneToAHundredRows() {
    Set<Integer> lengths = new HashSet<>();
    for (Operation operation : operations(Workload.E, 0, 1)) {
      if (operation.kind() == Operation.Kind.SCAN) {
        lengths.add(operation.rows());
      }
    }
    assertThat(lengths).hasSize(100).contains(1, 100);
  }

  @Test
  void whatIsBeingInsertedIsNotThereYet() {
    Inserts inserts = new Inserts(10, 3);
    assertThat(inserts.begin(0)).isEqualTo(10);
    assertThat(inserts.begin(1)).isEqualTo(11);
    assertThat(inserts.there()).isEqualTo(10);
    inserts.end(1);
    assertThat(inserts.there()).as("11 is there, and 10 is not").isEqualTo(10);
    inserts.end(0);
    assertThat(inserts.there()).isEqualTo(12);
  }

  @Test
  void keysAreThoseOfYcsb() {
    assertThat(Records.key(0)).isEqualTo("user6284781860667377211");
    Set<String> keys = new HashSet<>();
    int[] parts = new int[4];
    for (long number = 0; number < RECORDS; number++) {
      String key = Records.key(number);
      keys.add(key);
      parts[(int) Records.SPLITS.stream().filter(split -> split.compareTo(key) < 0).count()]++;
    }
    assertThat(keys).hasSize(RECORDS);
    for (int part : parts) {
      assertThat(part).as("of a part of the table").isBetween(RECORDS / 10, RECORDS / 2);
    }
  }
}
