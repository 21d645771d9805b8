package io.stele.testkit.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stele.base.error.NotFoundException;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.table.FaultyTables.Fault;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bank, counters and registers find nothing in tables that work, and each fault put into them. */
class FaultyTablesTest {
  private static final int STEPS = 300;

  private final MemoryTables memory = new MemoryTables();

  private static final Map<Fault, Set<Anomaly>> IN_A_BANK =
      new EnumMap<>(
          Map.of(
              Fault.LOSES_CHANGES, Set.of(Anomaly.WRITE_LOST),
              Fault.TEARS_CHANGES, Set.of(Anomaly.ROW_TORN),
              Fault.CHANGES_TWICE, Set.of(Anomaly.WRITE_UNEXPLAINED),
              Fault.DENIES_CHANGES, Set.of(Anomaly.WRITE_UNEXPLAINED),
              Fault.READS_OLD, Set.of(Anomaly.WRITE_LOST)));

  @ParameterizedTest
  @EnumSource(Fault.class)
  void banks(Fault fault) {
    memory.create("bank", TableSchema.ofFamilies("f", "g"), List.of());
    Bank bank = new Bank();
    bank.open(memory, "bank", "b1");
    bank.open(memory, "bank", "b2");
    FaultyTables tables = new FaultyTables(memory, fault);
    RandomGenerator random = RandomSource.seeded(7);
    for (int i = 0; i < STEPS; i++) {
      bank.transfer(tables, "bank", "b" + (1 + i % 2), random);
    }
    Verdict verdict = bank.check(tables, "bank");
    assertThat(verdict.checked()).isGreaterThanOrEqualTo(STEPS);
    assertThat(bank.acknowledgedCount()).isPositive();
    assertFound(verdict, IN_A_BANK.getOrDefault(fault, Set.of()));
  }

  private static final Map<Fault, Set<Anomaly>> IN_COUNTERS =
      new EnumMap<>(
          Map.of(
              Fault.LOSES_CHANGES, Set.of(Anomaly.WRITE_LOST),
              Fault.CHANGES_TWICE, Set.of(Anomaly.WRITE_UNEXPLAINED),
              Fault.DENIES_CHANGES, Set.of(Anomaly.WRITE_UNEXPLAINED),
              Fault.READS_OLD, Set.of(Anomaly.WRITE_LOST)));

  @ParameterizedTest
  @EnumSource(Fault.class)
  void counters(Fault fault) {
    memory.create("counters", TableSchema.ofFamilies("f"), List.of());
    Counters counters = new Counters();
    FaultyTables tables = new FaultyTables(memory, fault);
    for (int i = 0; i < STEPS; i++) {
      counters.add(tables, "counters", "row" + i % 3);
      if (i == 0) {
        counters.check(tables, "counters"); // what a stale read may find again
      }
    }
    Verdict verdict = new Verdict(0, List.of());
    for (int i = 0; i < 5; i++) {
      verdict = counters.check(tables, "counters");
    }
    assertThat(verdict.checked()).isPositive();
    assertFound(verdict, IN_COUNTERS.getOrDefault(fault, Set.of()));
  }

  private static final Map<Fault, Set<Anomaly>> IN_REGISTERS =
      new EnumMap<>(
          Map.of(
              Fault.LOSES_CHANGES, Set.of(Anomaly.NOT_LINEARIZABLE),
              Fault.CHANGES_TWICE, Set.of(Anomaly.NOT_LINEARIZABLE),
              Fault.DENIES_CHANGES, Set.of(Anomaly.NOT_LINEARIZABLE),
              Fault.READS_OLD, Set.of(Anomaly.NOT_LINEARIZABLE)));

  @ParameterizedTest
  @EnumSource(Fault.class)
  void registers(Fault fault) {
    memory.create("registers", TableSchema.ofFamilies("f"), List.of());
    RowRegisters registers = new RowRegisters();
    FaultyTables tables = new FaultyTables(memory, fault);
    RandomGenerator random = RandomSource.seeded(11);
    for (int i = 0; i < STEPS; i++) {
      registers.step(tables, "registers", "client" + i % 4, "row" + i % 3, random);
    }
    assertThat(registers.answers()).isPositive();
    assertFound(registers.check(), IN_REGISTERS.getOrDefault(fault, Set.of()));
  }

  private static void assertFound(Verdict verdict, Set<Anomaly> expected) {
    if (expected.isEmpty()) {
      verdict.requireValid();
    } else {
      assertThat(verdict.anomalies()).containsAll(expected);
    }
  }

  /** Two who read the same and both write: what the condition is there for. */
  @Test
  void aConditionThatIsNotCheckedIsFound() {
    memory.create("bank", TableSchema.ofFamilies("f", "g"), List.of());
    Bank bank = new Bank();
    bank.open(memory, "bank", "b");
    RandomGenerator random = RandomSource.seeded(3);
    FaultyTables tables = new FaultyTables(memory, Fault.CHECKS_NOTHING);
    boolean[] nested = {false};
    memory.onCall(
        operation -> {
          if ((operation.equals("checkAndMutate") || operation.equals("apply")) && !nested[0]) {
            nested[0] = true; // another comes between the read and the change
            bank.transfer(memory, "bank", "b", random);
            nested[0] = false;
          }
        });
    for (int i = 0; i < 20; i++) {
      bank.transfer(tables, "bank", "b", random);
    }
    assertThat(bank.check(memory, "bank").anomalies())
        .contains(Anomaly.ROW_TORN, Anomaly.WRITE_LOST);
  }

  @Test
  void aTableThatIsSaidNotToExistIsNoOutcome() {
    assertThatExceptionOfType(NotFoundException.class)
        .isThrownBy(() -> new Counters().add(memory, "none", "r"));
    assertThatExceptionOfType(NotFoundException.class)
        .isThrownBy(() -> new LinkedNodes().write(memory, "none", RandomSource.seeded(1)));
  }
}
