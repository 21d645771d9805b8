package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.one;
import static io.stele.metastore.state.TestState.prefix;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Answer.Transacted;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.key.KeyRange;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction commits only if what it read is still so: from memory, and from the store. */
class ReadSetTest {
  private final TestState state = new TestState();

  @AfterEach
  void close() {
    state.close();
  }

  private Answer commit(long revision, KeyRange... ranges) {
    return state.run(
        transaction(new ReadSet(state.term, revision, List.of(ranges)), put("/out", "x")));
  }

  private void assertAborted(long revision, KeyRange... ranges) {
    String before = state.state.fingerprint();
    assertThat(((Refused) commit(revision, ranges)).kind()).isEqualTo(Kind.ABORTED);
    assertThat(state.state.fingerprint()).isEqualTo(before);
    // What is in memory is forgotten: the store says the same.
    state.state.flush();
    state.reopen();
    assertThat(((Refused) commit(revision, ranges)).kind()).isEqualTo(Kind.ABORTED);
  }

  @Test
  void whatWasReadAndDidNotChangeCommits() {
    state.set("/a", "1");
    long read = state.set("/b", "1");
    state.set("/c", "1");
    assertThat(commit(read, one("/a"), one("/absent"), prefix("/b")))
        .isInstanceOf(Transacted.class);
    state.reopen();
    assertThat(commit(read, one("/a"), one("/absent"), prefix("/b")))
        .isInstanceOf(Transacted.class);
  }

  @Test
  void aChangedKeyAborts() {
    long read = state.set("/a", "1");
    state.set("/a", "1");
    assertAborted(read, one("/z"), one("/a"));
  }

  @Test
  void aPhantomAborts() {
    state.set("/d/a", "1");
    long read = state.set("/d/c", "1");
    state.set("/d/b", "1");
    assertAborted(read, prefix("/d/"));
    assertThat(commit(read, one("/d/a"), one("/d/c"))).isInstanceOf(Transacted.class);
  }

  @Test
  void aKeyThatWasAbsentAndCameAborts() {
    long read = state.set("/a", "1");
    state.set("/new", "1");
    assertAborted(read, one("/new"));
  }

  @Test
  void aDeletionAbortsThoughNothingIsLeft() {
    state.set("/d/a", "1");
    long read = state.set("/d/b", "1");
    state.remove("/d/a");
    assertAborted(read, prefix("/d/"));
  }

  @Test
  void aKeyThatCameAndWentAborts() {
    long read = state.set("/a", "1");
    state.set("/d/x", "1");
    state.remove("/d/x");
    assertAborted(read, prefix("/d/"));
  }

  @Test
  void anotherTermAborts() {
    long read = state.set("/a", "1");
    state.term++;
    Answer answer =
        state.run(transaction(new ReadSet(1, read, List.of(one("/a"))), put("/out", "x")));
    assertThat(((Refused) answer).kind()).isEqualTo(Kind.ABORTED);
    assertThat(((Refused) answer).message()).contains("term 1").contains("2");
  }

  @Test
  void aReadBelowTheFloorAborts() {
    long read = state.set("/a", "1");
    state.set("/b", "1");
    state.compact(read + 1);
    assertAborted(read, one("/a"));
    assertThat(commit(read + 1, one("/a"))).isInstanceOf(Transacted.class);
  }

  @Test
  void aDeletionThatWasReclaimedCannotBeMissed() {
    state.set("/d/a", "1");
    long read = state.set("/b", "1");
    state.remove("/d/a");
    state.compact(read + 1);
    state.apply(new Command.Reclaim(100));
    assertAborted(read, prefix("/d/"));
  }

  @Test
  void memoryAndStoreTellTheSameTruth() {
    RandomGenerator random = RandomSource.seeded(7);
    RecentWrites recent = new RecentWrites(40, 1);
    TreeMap<Bytes, Long> newest = new TreeMap<>();
    for (long revision = 2; revision < 400; revision++) {
      for (int i = random.nextInt(3); i >= 0; i--) {
        Bytes key = bytes("/" + (char) ('a' + random.nextInt(20)));
        recent.add(key, revision);
        newest.put(key, revision);
      }
      for (int i = 0; i < 20; i++) {
        Bytes from = bytes("/" + (char) ('a' + random.nextInt(20)));
        Bytes to = bytes("/" + (char) ('a' + random.nextInt(20)));
        KeyRange range =
            random.nextInt(4) == 0
                ? KeyRange.of(from)
                : random.nextInt(4) == 0
                    ? new KeyRange(from, null)
                    : from.compareTo(to) <= 0 ? new KeyRange(from, to) : new KeyRange(to, from);
        long after = Math.max(recent.floor(), revision - random.nextInt(30));
        boolean expected =
            newest.entrySet().stream()
                .anyMatch(entry -> range.contains(entry.getKey()) && entry.getValue() > after);
        assertThat(recent.changedAfter(range, after))
            .as("range %s after %d at %d", range, after, revision)
            .isEqualTo(expected);
      }
    }
    assertThat(recent.floor()).isGreaterThan(300);
  }
}
