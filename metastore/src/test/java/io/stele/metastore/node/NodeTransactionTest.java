package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.key;
import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.prefix;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interactive transactions on a real state. */
class NodeTransactionTest {
  private TestNode test = TestNode.solo();

  @AfterEach
  void close() {
    test.close();
  }

  private void manual() {
    test.close();
    test = TestNode.manual(NodeSettings.DEFAULT);
  }

  @Test
  void readsAndWritesTogether() {
    test.put("/a", "1");
    long session = test.session();
    String id = test.begin();
    assertThat(test.readIn(id, key("/a"))).containsExactly("1");
    assertThat(now(test.commit(session, id, putOf("/a", "2"), putOf("/b", "3"))).succeeded())
        .isTrue();
    assertThat(test.get("/a")).contains("2");
    assertThat(test.get("/b")).contains("3");
    assertThat(test.node().status().transactions()).isZero();
  }

  @Test
  void whatItWritesIsInvisibleUntilItCommits() {
    long session = test.session();
    String id = test.begin();
    test.readIn(id, key("/a"));
    assertThat(test.get("/a")).isEmpty();
    now(test.commit(session, id, putOf("/a", "1")));
    assertThat(test.get("/a")).contains("1");
  }

  @Test
  void anUpdateIsNeverLost() {
    test.put("/n", "0");
    long session = test.session();
    String one = test.begin();
    String two = test.begin();
    test.readIn(one, key("/n"));
    test.readIn(two, key("/n"));
    now(test.commit(session, one, putOf("/n", "1")));
    assertThatThrownBy(() -> now(test.commit(session, two, putOf("/n", "1"))))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void aPlainWriteInBetweenIsAConflictToo() {
    test.put("/n", "0");
    long session = test.session();
    String id = test.begin();
    test.readIn(id, key("/n"));
    test.put("/n", "5");
    assertThatThrownBy(() -> now(test.commit(session, id, putOf("/n", "1"))))
        .isInstanceOf(ConflictException.class);
    assertThat(test.get("/n")).contains("5");
  }

  @Test
  void thereIsNoWriteSkew() {
    test.put("/on-call/ann", "yes");
    test.put("/on-call/bob", "yes");
    long session = test.session();
    String one = test.begin();
    String two = test.begin();
    test.readIn(one, prefix("/on-call/"));
    test.readIn(two, prefix("/on-call/"));
    now(test.commit(session, one, putOf("/on-call/ann", "no")));
    assertThatThrownBy(() -> now(test.commit(session, two, putOf("/on-call/bob", "no"))))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void thereAreNoPhantoms() {
    long session = test.session();
    String id = test.begin();
    assertThat(test.readIn(id, prefix("/d/"))).isEmpty();
    test.put("/d/new", "1");
    assertThatThrownBy(() -> now(test.commit(session, id, putOf("/count", "0"))))
        .isInstanceOf(ConflictException.class);

    test.put("/gone", "1");
    String second = test.begin();
    test.readIn(second, prefix("/gone"));
    test.delete("/gone");
    assertThatThrownBy(() -> now(test.commit(session, second, putOf("/count", "1"))))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void blindWritesApplyInTheOrderOfTheLog() {
    long session = test.session();
    String one = test.begin();
    String two = test.begin();
    now(test.commit(session, one, putOf("/a", "1")));
    now(test.commit(session, two, putOf("/a", "2")));
    assertThat(test.get("/a")).contains("2");
  }

  @Test
  void aReadOnlyTransactionSeesOneMoment() {
    test.put("/a", "1");
    test.put("/b", "1");
    long session = test.session();
    String id = test.begin();
    assertThat(test.readIn(id, key("/a"))).containsExactly("1");
    test.put("/a", "2");
    assertThat(test.readIn(id, key("/b"))).containsExactly("1");
    assertThat(now(test.commit(session, id)).succeeded()).isTrue();
  }

  @Test
  void aRevisionCompactedAwayInBetweenIsAConflict() {
    test.put("/a", "1");
    String id = test.begin();
    test.put("/b", "1");
    now(test.node().compact(Origin.NOBODY, test.put("/b", "2")));
    assertThatThrownBy(() -> test.readIn(id, key("/a")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("compacted");
  }

  @Test
  void aGuardCanDemandATokenOrAValue() {
    long session = test.session();
    test.put("/a", "1");
    String id = test.begin();
    Comparison guard =
        new Comparison.Value(key("/a"), Comparison.Relation.EQUAL, Bytes.utf8("other"));
    assertThat(
            now(test.node()
                    .commit(test.next(session), id, List.of(guard), List.of(putOf("/b", "1"))))
                .succeeded())
        .isFalse();
    assertThat(test.get("/b")).isEmpty();
  }

  @Test
  void readsOutsideOfItsRevisionAreRefused() {
    String id = test.begin();
    assertThatThrownBy(
            () -> now(test.node().readIn("", id, new RangeRead(key("/a"), 0, false, false, 1))))
        .isInstanceOf(InvalidRequestException.class);
  }

  // ---- terms

  private static long termOf(String id) {
    return Long.parseLong(id.substring(0, id.indexOf(':')));
  }

  @Test
  void endsWithTheTermAndIsNotCommittedLater() {
    test.put("/a", "1");
    long session = test.session();
    String id = test.begin();
    test.readIn(id, key("/a"));
    test.restart();
    assertThatThrownBy(() -> now(test.commit(session, id, putOf("/a", "2"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("term");
    assertThat(test.get("/a")).contains("1");
    assertThat(termOf(test.begin())).as("a later term").isGreaterThan(termOf(id));
  }

  @Test
  void aCommitWhoseAnswerWasLostIsAnsweredByTheNextLeader() {
    long session = test.session();
    String id = test.begin();
    test.readIn(id, key("/a"));
    Origin origin = test.next(session);
    Answer.Transacted first =
        now(test.node().commit(origin, id, List.of(), List.of(putOf("/a", "1"))));
    test.restart();
    assertThat(now(test.node().commit(origin, id, List.of(), List.of(putOf("/a", "1")))))
        .isEqualTo(first);
  }

  @Test
  void aCommitInDoubtIsResolvedByAskingAgain() {
    manual();
    long session = test.session();
    String applied = test.begin();
    String lost = test.begin();
    Origin first = test.next(session);
    Origin second = test.next(session);
    test.log().automatic = false;
    var one = test.node().commit(first, applied, List.of(), List.of(putOf("/a", "1")));
    var two = test.node().commit(second, lost, List.of(), List.of(putOf("/b", "1")));
    Command command = test.log().entries.getFirst().commands().getFirst();
    test.log().depose();
    assertThatThrownBy(() -> now(one)).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> now(two)).isInstanceOf(OutcomeUnknownException.class);

    test.log().applyFromElsewhere(command); // only the first had reached the others
    test.log().automatic = true;
    test.log().lead(9);
    assertThat(
            now(test.node().commit(first, applied, List.of(), List.of(putOf("/a", "1"))))
                .succeeded())
        .isTrue();
    assertThatThrownBy(
            () -> now(test.node().commit(second, lost, List.of(), List.of(putOf("/b", "1")))))
        .isInstanceOf(ConflictException.class);
    assertThat(test.get("/b")).isEmpty();
  }

  @Test
  void aFollowerNamesTheLeader() {
    manual();
    String id = test.begin();
    test.log().depose();
    for (CompletableFuture<?> asked :
        List.of(
            test.node().begin("", 0),
            test.node().readIn("", id, RangeRead.of(key("/a"))),
            test.node().commit(Origin.NOBODY, id, List.of(), List.of(putOf("/a", "1"))),
            test.node().abort("", id))) {
      assertThatThrownBy(() -> now(asked))
          .isInstanceOf(NotServingException.class)
          .satisfies(e -> assertThat(((NotServingException) e).hint()).contains("127.0.0.1:4"));
    }
  }

  @Test
  void livesForItsTime() {
    long session = test.session();
    String id = test.begin();
    test.readIn(id, key("/a"));
    test.pass(Duration.ofSeconds(9));
    assertThat(test.node().status().transactions()).isEqualTo(1);
    now(test.node().keepAlive("", session));
    test.pass(Duration.ofSeconds(1));
    assertThat(test.node().status().transactions()).isZero();
    assertThatThrownBy(() -> now(test.commit(session, id, putOf("/a", "1"))))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void endsWithItsSession() {
    long session = test.session();
    String id = now(test.node().begin("", session)).id();
    now(test.node().closeSession("", session));
    assertThatThrownBy(() -> test.readIn(id, key("/a"))).isInstanceOf(ConflictException.class);
  }

  /** Counters that many increase at once, by reading and writing: none is lost. */
  @Test
  void concurrentIncrementsAllCount() throws InterruptedException {
    int threads = 6;
    int each = 15;
    test.put("/counter", "0");
    AtomicInteger conflicts = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(threads);
    AtomicInteger failures = new AtomicInteger();
    for (int t = 0; t < threads; t++) {
      long session = test.session();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  for (int i = 0; i < each; i++) {
                    increment(session, i + 1, conflicts);
                  }
                } catch (RuntimeException | AssertionError e) {
                  failures.incrementAndGet();
                } finally {
                  done.countDown();
                }
              });
    }
    done.await();
    assertThat(failures).hasValue(0);
    assertThat(test.get("/counter")).contains(String.valueOf(threads * each));
    assertThat(test.node().status().transactions()).isZero();
  }

  private void increment(long session, int number, AtomicInteger conflicts) {
    for (int attempt = 0; ; attempt++) {
      try {
        String id = test.begin();
        int value = Integer.parseInt(test.readIn(id, key("/counter")).getFirst());
        long sequence = number * 1_000L + attempt; // a new request each time
        now(
            test.node()
                .commit(
                    new Origin("", session, sequence, sequence),
                    id,
                    List.of(),
                    List.of(putOf("/counter", String.valueOf(value + 1)))));
        return;
      } catch (ConflictException e) {
        conflicts.incrementAndGet();
      }
    }
  }

  // ---- transactions without reads in between

  @Test
  void aOneShotTransactionComparesAndWrites() {
    Transaction create =
        new Transaction(
            List.of(
                new Comparison.Property(
                    key("/a"), Comparison.Field.VERSION, Comparison.Relation.EQUAL, 0)),
            List.of(putOf("/a", "1")),
            List.of(new Operation.Get(key("/a"), 0)),
            Optional.empty());
    assertThat(now(test.node().transact(Origin.NOBODY, create)).succeeded()).isTrue();
    assertThat(now(test.node().transact(Origin.NOBODY, create)).succeeded()).isFalse();
  }

  @Test
  void aRetriedWriteAppliesOnceOverALeaderChange() {
    long session = test.session();
    Origin origin = test.next(session);
    Transaction put = Transaction.of(putOf("/a", "1"));
    long revision = now(test.node().transact(origin, put)).revision();
    test.put("/a", "2");
    test.restart();
    assertThat(now(test.node().transact(origin, put)).revision()).isEqualTo(revision);
    assertThat(test.get("/a")).contains("2");
  }

  @Test
  void anEmptyRangeIsNoRead() {
    String id = test.begin();
    KeyRange empty = new KeyRange(Bytes.utf8("/a"), Bytes.utf8("/a"));
    assertThat(test.readIn(id, empty)).isEmpty();
  }
}
