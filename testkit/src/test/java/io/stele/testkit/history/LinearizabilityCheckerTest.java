package io.stele.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.RandomSource;
import io.stele.testkit.history.RegisterCall.CompareAndSet;
import io.stele.testkit.history.RegisterCall.Delete;
import io.stele.testkit.history.RegisterCall.Get;
import io.stele.testkit.history.RegisterCall.Put;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinearizabilityCheckerTest {
  private final List<Operation<RegisterCall, RegisterResult>> history = new ArrayList<>();

  private void add(String client, long from, long to, RegisterCall call, RegisterResult result) {
    history.add(new Operation<>(client, call, from, new Outcome.Returned<>(result, to)));
  }

  private void unknown(String client, long from, RegisterCall call) {
    history.add(new Operation<>(client, call, from, new Outcome.Unknown<>()));
  }

  private void put(String client, long from, long to, String value) {
    add(client, from, to, new Put("/a", value), RegisterResult.DONE);
  }

  private void get(String client, long from, long to, String value) {
    add(client, from, to, new Get("/a"), RegisterResult.found(value));
  }

  private void absent(String client, long from, long to) {
    add(client, from, to, new Get("/a"), RegisterResult.absent());
  }

  private static Verdict check(List<Operation<RegisterCall, RegisterResult>> history) {
    return new LinearizabilityChecker<>(new RegisterModel()).check(history);
  }

  private void assertLinearizable() {
    assertThat(check(history)).matches(Verdict::valid);
  }

  private void assertNotLinearizable() {
    assertThat(check(history).anomalies()).containsExactly(Anomaly.NOT_LINEARIZABLE);
  }

  private static CompareAndSet swap(String expected, String replacement) {
    return new CompareAndSet("/a", Optional.of(expected), Optional.of(replacement));
  }

  @Test
  void nothingIsLinearizable() {
    assertLinearizable();
  }

  @Test
  void aReadSeesTheWriteBeforeIt() {
    absent("x", 0, 1);
    put("x", 2, 3, "1");
    get("y", 4, 5, "1");
    assertLinearizable();
  }

  @Test
  void aReadBesideAWriteSeesEither() {
    put("x", 0, 10, "1");
    put("x", 20, 30, "2");
    get("y", 21, 22, "1");
    get("z", 23, 24, "2");
    assertLinearizable();
  }

  @Test
  void operationsThatShareAnInstantAreConcurrent() {
    put("x", 0, 10, "1");
    absent("y", 10, 12);
    assertLinearizable();
  }

  @Test
  void aStaleReadIsFound() {
    put("x", 0, 10, "1");
    put("x", 20, 30, "2");
    get("y", 31, 40, "1");
    assertNotLinearizable();
  }

  @Test
  void readsThatGoBackAreFound() {
    put("x", 0, 10, "1");
    put("x", 20, 50, "2");
    get("y", 21, 22, "2");
    get("z", 23, 24, "1");
    assertNotLinearizable();
  }

  @Test
  void anAcknowledgedAndLostWriteIsFound() {
    put("x", 0, 10, "1");
    absent("y", 11, 12);
    assertNotLinearizable();
  }

  @Test
  void aWriteAppliedTwiceIsFound() {
    put("x", 0, 10, "1");
    put("y", 11, 20, "2");
    get("z", 21, 22, "2");
    get("z", 23, 24, "1");
    assertNotLinearizable();
  }

  @Test
  void aValueThatNobodyWroteIsFound() {
    put("x", 0, 10, "1");
    get("y", 5, 12, "ghost");
    assertNotLinearizable();
    assertThat(check(history).toString()).contains("nobody ever wrote ghost");
  }

  @Test
  void aLostUpdateIsFound() {
    put("x", 0, 1, "1");
    add("y", 2, 10, swap("1", "2"), RegisterResult.DONE);
    add("z", 2, 10, swap("1", "3"), RegisterResult.DONE);
    assertNotLinearizable();
  }

  @Test
  void ofTwoEqualComparisonsOneMayWin() {
    put("x", 0, 1, "1");
    add("y", 2, 10, swap("1", "2"), RegisterResult.DONE);
    add("z", 2, 10, swap("1", "3"), RegisterResult.UNEQUAL);
    add("w", 2, 10, swap("1", "4"), RegisterResult.found("2"));
    assertLinearizable();
  }

  @Test
  void aComparisonThatFailedThoughEqualIsFound() {
    put("x", 0, 1, "1");
    add("y", 2, 10, swap("1", "2"), RegisterResult.UNEQUAL);
    assertNotLinearizable();
  }

  @Test
  void aDeletedValueThatComesBackIsFound() {
    put("x", 0, 1, "1");
    add("x", 2, 3, new Delete("/a"), RegisterResult.DONE);
    absent("y", 4, 5);
    assertLinearizable();
    get("y", 6, 7, "1");
    assertNotLinearizable();
  }

  @Test
  void anUnknownWriteMayTakeEffectAtAnyLaterTimeOrNever() {
    unknown("x", 0, new Put("/a", "late"));
    absent("y", 100, 101);
    put("y", 200, 201, "1");
    get("y", 300, 301, "1");
    assertLinearizable();
    get("y", 400, 401, "late");
    assertLinearizable();
  }

  @Test
  void anUnknownWriteTakesEffectNotBeforeItWasAskedFor() {
    get("y", 0, 10, "late");
    unknown("x", 11, new Put("/a", "late"));
    assertNotLinearizable();
  }

  @Test
  void anUnknownWriteTakesEffectOnce() {
    unknown("x", 0, new Put("/a", "late"));
    get("y", 10, 11, "late");
    put("y", 12, 13, "1");
    get("y", 14, 15, "late");
    assertNotLinearizable();
  }

  @Test
  void equalUnknownWritesTakeEffectOnceEach() {
    put("y", 0, 1, "1");
    unknown("x", 2, new Delete("/a"));
    unknown("x", 3, new Delete("/a"));
    absent("y", 4, 5);
    put("y", 6, 7, "2");
    absent("y", 8, 9);
    assertLinearizable();
    put("y", 10, 11, "3");
    absent("y", 12, 13);
    assertNotLinearizable();
  }

  @Test
  void oneUnknownWriteMayRestOnAnother() {
    unknown("x", 0, new Put("/a", "1"));
    unknown("y", 0, swap("1", "2"));
    get("z", 10, 11, "2");
    assertLinearizable();
    get("z", 12, 13, "1");
    assertNotLinearizable();
  }

  @Test
  void keysAreIndependent() {
    put("x", 0, 1, "1");
    add("x", 2, 3, new Put("/b", "2"), RegisterResult.DONE);
    add("y", 4, 5, new Get("/b"), RegisterResult.absent());
    get("y", 6, 7, "1");
    Verdict verdict = check(history);
    assertThat(verdict.violations()).hasSize(1);
    assertThat(verdict.violations().getFirst().message()).startsWith("/b: ");
  }

  @Test
  void theMessageShowsTheSmallestWindow() {
    for (int i = 0; i < 500; i++) {
      put("early", i * 10L, i * 10L + 5, "e" + i);
    }
    put("writer", 10_000, 10_100, "new");
    get("reader", 10_200, 10_300, "e499");
    for (int i = 0; i < 500; i++) {
      put("late", 20_000 + i * 10L, 20_005 + i * 10L, "l" + i);
    }
    String message = check(history).violations().getFirst().message();
    assertThat(message.lines().map(line -> line.replaceAll(" +", " ").strip()))
        .containsExactly(
            "/a: no linearization explains get /a -> found e499 (marked >), in microseconds from"
                + " the first operation:",
            "10.000 .. 10.100 writer put /a = new -> done",
            "> 10.200 .. 10.300 reader get /a -> found e499",
            "before that, e499 was written by",
            "4.990 .. 4.995 early put /a = e499 -> done");
  }

  @Test
  void aSearchWithoutEndIsGivenUpAndSaidSo() {
    for (int i = 0; i < 40; i++) {
      put("c" + i, 0, 1000, "v" + (i % 20));
    }
    for (int i = 0; i < 20; i++) {
      get("r", 2000 + i * 10L, 2005 + i * 10L, "v" + i);
    }
    Verdict verdict = new LinearizabilityChecker<>(new RegisterModel(), 1).check(history);
    assertThat(verdict.anomalies()).containsExactly(Anomaly.UNDECIDED);
    assertThatThrownBy(verdict::requireValid)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("/a: 60 operations, no linearization found in 1 steps");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void historiesOfACorrectStorePass(long seed) {
    for (int keys : new int[] {1, 4, 20}) {
      var histories = new RegisterHistories(seed, 8, keys, 0.03, seed % 2 == 0);
      check(histories.generate(2000)).requireValid();
    }
  }

  @Test
  @Timeout(60)
  void aLongHistoryOfManyClientsIsCheckedInSeconds() {
    var history = new RegisterHistories(7, 30, 100, 0.02, true).generate(150_000);
    Verdict verdict = check(history);
    verdict.requireValid();
    assertThat(verdict.checked()).isEqualTo(150_000);
  }

  @Test
  @Timeout(60)
  void aLongHistoryOnOneKeyIsCheckedInSeconds() {
    check(new RegisterHistories(8, 30, 1, 0.0005, true).generate(50_000)).requireValid();
  }

  @Test
  @Timeout(60)
  void aViolationInALongHistoryIsFoundInSeconds() {
    var history = new RegisterHistories(9, 30, 50, 0.02, true).generate(100_000);
    var stale = HistoryMutations.staleRead(history, RandomSource.seeded(9)).orElseThrow();
    assertThat(check(stale).anomalies()).containsExactly(Anomaly.NOT_LINEARIZABLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void spoiltHistoriesAreCaught(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    var history = new RegisterHistories(seed, 6, 10, 0.02, true).generate(3000);
    for (HistoryMutations.Mutation mutation : HistoryMutations.ALL) {
      for (int round = 0; round < 5; round++) {
        var spoilt = mutation.apply(history, random);
        assertThat(spoilt).as("seed %d", seed).isPresent();
        assertThat(check(spoilt.get()).anomalies())
            .as("%s, seed %d", mutation, seed)
            .containsExactly(Anomaly.NOT_LINEARIZABLE);
      }
    }
  }

  /** Every shortcut of the search against a search that takes none. */
  @ParameterizedTest
  @ValueSource(longs = {1})
  void itAgreesWithTryingEveryOrder(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    int linearizable = 0;
    int rounds = 10_000;
    for (int round = 0; round < rounds; round++) {
      var small = EveryOrder.smallHistory(random);
      boolean expected = EveryOrder.linearizable(small);
      assertThat(check(small).valid()).as("%s", small).isEqualTo(expected);
      linearizable += expected ? 1 : 0;
    }
    assertThat(linearizable).isBetween(rounds / 10, rounds * 9 / 10);
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        LinearizabilityCheckerTest.class,
        1,
        seed -> {
          historiesOfACorrectStorePass(seed);
          spoiltHistoriesAreCaught(seed);
          itAgreesWithTryingEveryOrder(seed);
          return 10_003 + 5 * HistoryMutations.ALL.size();
        });
  }

  @Test
  void theOrderInWhichOperationsAreHandedInDoesNotMatter() {
    var good = new ArrayList<>(new RegisterHistories(3, 8, 3, 0.02, false).generate(1000));
    Collections.reverse(good);
    check(good).requireValid();
  }
}
