package io.stele.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.RandomSource;
import io.stele.testkit.history.TransactionHistories.Flaw;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RevisionReplayCheckerTest {
  private final List<Operation<Transaction, Long>> history = new ArrayList<>();
  private final NavigableMap<Long, List<Change>> revisions = new TreeMap<>();

  private void answered(long from, long to, Transaction transaction, long revision) {
    history.add(
        new Operation<>(
            "c" + history.size(), transaction, from, new Outcome.Returned<>(revision, to)));
  }

  private void unknown(long from, Transaction transaction) {
    history.add(new Operation<>("c" + history.size(), transaction, from, new Outcome.Unknown<>()));
  }

  private void stored(long revision, Change... changes) {
    revisions.put(revision, List.of(changes));
  }

  private Verdict check() {
    return new RevisionReplayChecker().check(history, new RevisionHistory(revisions));
  }

  private void assertValid() {
    assertThat(check()).matches(Verdict::valid);
  }

  private void assertFound(Anomaly... anomalies) {
    assertThat(check().anomalies()).containsExactly(anomalies);
  }

  private static Read key(String key, String seen) {
    return new Read.OfKey(key, Optional.of(seen));
  }

  private static Read absent(String key) {
    return new Read.OfKey(key, Optional.empty());
  }

  private static Read range(String start, String end, Change... seen) {
    return new Read.OfRange(KeyRange.of(start, end), List.of(seen));
  }

  private void storedAndAcknowledged(long time, long revision, Change... changes) {
    stored(revision, changes);
    answered(time, time + 1, Transaction.writing(changes), revision);
  }

  @Test
  void aTransactionReadsTheStateBeforeItsRevision() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    answered(2, 9, Transaction.of(List.of(key("/a", "1")), List.of(Change.put("/a", "2"))), 3);
    stored(3, Change.put("/a", "2"));
    answered(10, 11, Transaction.reading(key("/a", "2"), absent("/b")), 3);
    assertValid();
  }

  @Test
  void aLostUpdateIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    answered(2, 9, Transaction.of(List.of(key("/a", "1")), List.of(Change.put("/a", "2"))), 3);
    answered(2, 9, Transaction.of(List.of(key("/a", "1")), List.of(Change.put("/a", "3"))), 4);
    stored(3, Change.put("/a", "2"));
    stored(4, Change.put("/a", "3"));
    assertFound(Anomaly.READ_DIFFERS);
    assertThat(check().violations().getFirst().message())
        .isEqualTo(
            "c2 (read /a = 1; write /a = 3 -> 4) read /a = 1; just before its revision 4 the store"
                + " had /a = 2");
  }

  @Test
  void writeSkewIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "on"), Change.put("/b", "on"));
    List<Read> both = List.of(key("/a", "on"), key("/b", "on"));
    answered(2, 9, Transaction.of(both, List.of(Change.put("/a", "off"))), 3);
    answered(2, 9, Transaction.of(both, List.of(Change.put("/b", "off"))), 4);
    stored(3, Change.put("/a", "off"));
    stored(4, Change.put("/b", "off"));
    assertFound(Anomaly.READ_DIFFERS);
  }

  @Test
  void aPhantomIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    storedAndAcknowledged(2, 3, Change.put("/c", "1"));
    stored(4, Change.put("/x", "2"));
    Read range = range("/a", "/d", Change.put("/a", "1"));
    answered(1, 9, Transaction.of(List.of(range), List.of(Change.put("/x", "2"))), 4);
    assertFound(Anomaly.RANGE_DIFFERS);
  }

  @Test
  void aRangeThatMissesAKeyOrShowsADeletedOneIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"), Change.put("/b", "1"));
    storedAndAcknowledged(2, 3, Change.delete("/b"));
    answered(4, 5, Transaction.reading(range("/a", "/z", Change.put("/a", "1"))), 3);
    assertValid();
    answered(
        6,
        7,
        Transaction.reading(range("/a", "/z", Change.put("/a", "1"), Change.put("/b", "1"))),
        3);
    assertFound(Anomaly.RANGE_DIFFERS);
    history.removeLast();
    answered(8, 9, Transaction.reading(range("/", "/z")), 3);
    assertFound(Anomaly.RANGE_DIFFERS);
  }

  @Test
  void aRangeWithALimitMayEndEarlyButNotBeforeIt() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"), Change.put("/b", "1"));
    KeyRange all = KeyRange.all();
    List<Change> first = List.of(Change.put("/a", "1"));
    answered(2, 3, Transaction.reading(new Read.OfRange(all, 1, first)), 2);
    assertValid();
    answered(2, 3, Transaction.reading(new Read.OfRange(all, 2, first)), 2);
    assertFound(Anomaly.RANGE_DIFFERS);
  }

  @Test
  void aReaderSeesWhatWasAcknowledgedBeforeItBegan() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    storedAndAcknowledged(2, 3, Change.put("/a", "2"));
    answered(1, 9, Transaction.reading(key("/a", "1")), 2);
    assertValid();
    answered(4, 9, Transaction.readingMaybeStale(key("/a", "1")), 2);
    assertValid();
    answered(4, 9, Transaction.reading(key("/a", "1")), 2);
    assertFound(Anomaly.REAL_TIME_ORDER);
  }

  @Test
  void aReaderOfAnOldStateMustStillReadOneState() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"), Change.put("/b", "1"));
    storedAndAcknowledged(2, 3, Change.put("/a", "2"), Change.put("/b", "2"));
    answered(4, 9, Transaction.readingMaybeStale(key("/a", "1"), key("/b", "2")), 2);
    assertFound(Anomaly.READ_DIFFERS);
  }

  @Test
  void aWriterComesAfterAllThatWasAcknowledgedBeforeItBegan() {
    storedAndAcknowledged(5, 2, Change.put("/a", "1"));
    storedAndAcknowledged(0, 3, Change.put("/b", "1"));
    assertFound(Anomaly.REAL_TIME_ORDER);
  }

  @Test
  void aReaderDoesNotSeeTheFuture() {
    answered(0, 1, Transaction.reading(key("/a", "1")), 2);
    storedAndAcknowledged(5, 2, Change.put("/a", "1"));
    assertFound(Anomaly.REAL_TIME_ORDER);
  }

  @Test
  void aRevisionBelongsToOne() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    answered(0, 5, Transaction.writing(Change.put("/b", "1")), 2);
    assertFound(Anomaly.REVISION_REUSED);
  }

  @Test
  void anAcknowledgedAndLostWriteIsFound() {
    answered(0, 1, Transaction.writing(Change.put("/a", "1")), 2);
    assertFound(Anomaly.WRITE_LOST);
  }

  @Test
  void anAcknowledgedAndLostDeleteIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    answered(2, 3, Transaction.writing(Change.delete("/a")), 2);
    assertFound(Anomaly.WRITE_LOST);
  }

  @Test
  void aTransactionAppliedInPartIsFound() {
    answered(0, 1, Transaction.writing(Change.put("/a", "1"), Change.put("/b", "1")), 2);
    stored(2, Change.put("/a", "1"));
    assertFound(Anomaly.WRITE_DIFFERS);
  }

  @Test
  void aWriteAppliedTwiceIsFound() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    stored(3, Change.put("/a", "1"));
    assertFound(Anomaly.WRITE_UNEXPLAINED);
    assertThat(check().toString()).contains("another revision").contains("c0 (write /a = 1 -> 2)");
  }

  @Test
  void aWriteThatNobodyAskedForIsFound() {
    stored(2, Change.put("/a", "1"));
    assertFound(Anomaly.WRITE_UNEXPLAINED);
    assertThat(check().toString()).contains("nobody asked for that");
  }

  @Test
  void deletesOfNothingShareTheRevisionOfOthers() {
    answered(0, 1, Transaction.writing(Change.delete("/a")), 1);
    answered(0, 1, Transaction.writing(Change.delete("/a")), 1);
    storedAndAcknowledged(2, 2, Change.put("/a", "1"));
    storedAndAcknowledged(4, 3, Change.delete("/a"));
    answered(6, 7, Transaction.writing(Change.delete("/a")), 3);
    answered(8, 9, Transaction.of(List.of(absent("/a")), List.of(Change.delete("/a"))), 3);
    assertValid();
  }

  @Test
  void anUnknownWriteMayHappenOnceOrNever() {
    unknown(0, Transaction.writing(Change.put("/a", "1")));
    assertValid();
    stored(7, Change.put("/a", "1"));
    assertValid();
    stored(9, Change.put("/a", "1"));
    assertFound(Anomaly.WRITE_UNEXPLAINED);
  }

  @Test
  void anUnknownWriteIsHeldToItsReads() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    unknown(2, Transaction.of(List.of(absent("/a")), List.of(Change.put("/b", "1"))));
    assertValid();
    stored(3, Change.put("/b", "1"));
    assertFound(Anomaly.READ_DIFFERS);
  }

  @Test
  void anUnknownWriteComesAfterWhatWasAcknowledgedBeforeItBegan() {
    stored(2, Change.put("/b", "1"));
    storedAndAcknowledged(0, 3, Change.put("/a", "1"));
    unknown(5, Transaction.writing(Change.put("/b", "1")));
    assertFound(Anomaly.WRITE_UNEXPLAINED);
  }

  @Test
  void deletesByASessionsEndAreExplained() {
    storedAndAcknowledged(0, 2, Change.put("/a", "1"));
    unknown(3, Transaction.writing(Change.delete("/a"), Change.delete("/never")));
    stored(3, Change.delete("/a"));
    assertValid();
  }

  @Test
  void theStateIsThatAfterTheLastRevision() {
    stored(2, Change.put("/a", "1"), Change.put("/b", "2"));
    stored(3, Change.delete("/a"), Change.put("/b", "3"));
    assertThat(new RevisionHistory(revisions).state()).isEqualTo(Map.of("/b", "3"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void historiesOfACorrectStorePass(long seed) {
    var good = new TransactionHistories(seed, Flaw.NONE, 0.1).generate(6, 3000);
    assertThat(good.history()).hasSizeGreaterThan(1000);
    new RevisionReplayChecker().check(good.history(), good.store()).requireValid();
  }

  @Test
  @Timeout(60)
  void aLongHistoryIsCheckedInSeconds() {
    var good = new TransactionHistories(1, Flaw.NONE, 0.02).generate(30, 100_000);
    new RevisionReplayChecker().check(good.history(), good.store()).requireValid();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aFlawedStoreIsFound(Flaw flaw) {
    for (long seed = 1; seed <= 3; seed++) {
      checkFlaw(flaw, seed);
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        RevisionReplayCheckerTest.class,
        1,
        seed -> {
          historiesOfACorrectStorePass(seed);
          spoiltHistoriesAreCaught(seed);
          EnumSet.complementOf(EnumSet.of(Flaw.NONE)).forEach(flaw -> checkFlaw(flaw, seed));
          return 101 + Flaw.values().length;
        });
  }

  private static void checkFlaw(Flaw flaw, long seed) {
    Set<Anomaly> expected =
        switch (flaw) {
          case NO_VALIDATION, ONLY_WRITTEN_KEYS ->
              EnumSet.of(Anomaly.READ_DIFFERS, Anomaly.RANGE_DIFFERS);
          case ONLY_KEYS_FOUND -> EnumSet.of(Anomaly.RANGE_DIFFERS);
          case STALE_READS -> EnumSet.of(Anomaly.REAL_TIME_ORDER);
          case LOSES_WRITES -> EnumSet.of(Anomaly.WRITE_LOST);
          case APPLIES_TWICE, TEARS_UNKNOWN -> EnumSet.of(Anomaly.WRITE_UNEXPLAINED);
          case REUSES_REVISIONS -> EnumSet.of(Anomaly.REVISION_REUSED);
          case NONE -> EnumSet.noneOf(Anomaly.class);
        };
    var bad = new TransactionHistories(seed, flaw, 0.05).generate(6, 3000);
    assertThat(new RevisionReplayChecker().check(bad.history(), bad.store()).anomalies())
        .as("seed %d", seed)
        .containsAll(expected);
  }

  /** One thing changed in a good history, where that cannot but be wrong. */
  @ParameterizedTest
  @ValueSource(longs = {1})
  void spoiltHistoriesAreCaught(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    var good = new TransactionHistories(seed, Flaw.NONE, 0.05).generate(6, 1000);
    for (int round = 0; round < 100; round++) {
      List<Operation<Transaction, Long>> spoilt = new ArrayList<>(good.history());
      NavigableMap<Long, List<Change>> store = new TreeMap<>(good.store().revisions());
      int at = random.nextInt(spoilt.size());
      while (!(spoilt.get(at).outcome() instanceof Outcome.Returned<Long>)) {
        at = random.nextInt(spoilt.size());
      }
      Operation<Transaction, Long> operation = spoilt.get(at);
      Transaction call = operation.call();
      switch (random.nextInt(3)) {
        case 0 -> {
          List<Read> reads = new ArrayList<>(call.reads());
          reads.add(key("/k" + random.nextInt(8), "ghost"));
          Transaction lied = new Transaction(reads, call.writes(), false);
          spoilt.set(
              at,
              new Operation<>(operation.client(), lied, operation.invoked(), operation.outcome()));
        }
        case 1 -> store.put(store.lastKey() + 1, List.of(Change.put("/k1", "ghost")));
        default -> {
          long revision = random.nextLong(store.firstKey(), store.lastKey());
          var next = store.tailMap(revision, true).firstEntry();
          String key = next.getValue().getFirst().key();
          store.put(next.getKey(), List.of(Change.put(key, "ghost")));
        }
      }
      assertThat(new RevisionReplayChecker().check(spoilt, new RevisionHistory(store)).valid())
          .as("seed %d, round %d", seed, round)
          .isFalse();
    }
  }
}
