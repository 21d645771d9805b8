package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.time.RandomSource;
import io.stele.metastore.Consistency;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.TransactionStart;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random interactive transactions, interleaved with plain writes, slow log entries and changes of
 * the leader. Each that committed must have read what was there right before its own revision, as
 * if it had run alone at that moment; of each that was aborted nothing may be found.
 */
class NodeSerializabilityTest {
  private static final int KEYS = 12;

  private record Read(RangeRead asked, CompletableFuture<RangeAnswer> answer) {}

  private static final class Client {
    final TransactionStart start;
    final List<Read> reads = new ArrayList<>();
    final String value;

    Client(TransactionStart start) {
      this.start = start;
      this.value = "by " + start.id();
    }

    boolean isIdle() {
      return reads.stream().allMatch(read -> read.answer().isDone());
    }
  }

  private record Commit(Client client, CompletableFuture<Answer.Transacted> answer) {}

  private static String keyOf(int number) {
    return String.format("/k/%02d", number);
  }

  private static KeyRange randomRange(RandomGenerator random) {
    int from = random.nextInt(KEYS);
    int to = from + 1 + random.nextInt(3);
    return random.nextBoolean()
        ? TestNode.key(keyOf(from))
        : new KeyRange(Bytes.utf8(keyOf(from)), Bytes.utf8(keyOf(to)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void committedTransactionsReadWhatWasThereRightBefore(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    List<Client> open = new ArrayList<>();
    List<Commit> commits = new ArrayList<>();
    try (TestNode test = TestNode.manual(NodeSettings.DEFAULT)) {
      long session = test.session();
      test.log().automatic = false;
      long term = 1;
      for (int step = 0; step < 600; step++) {
        switch (random.nextInt(12)) {
          case 0, 1 -> open.add(new Client(now(test.node().begin("", 0))));
          case 2, 3, 4, 5 -> read(test, random, open);
          case 6, 7 -> commit(test, random, open, commits, session);
          case 8 -> blind(test, random, step);
          case 9, 10 -> applySome(test, random);
          default -> {
            if (random.nextInt(10) == 0) {
              term++;
              changeLeader(test, random, term);
            }
          }
        }
      }
      finish(test, open, commits);
      check(test, commits, seed);
    }
  }

  private static void read(TestNode test, RandomGenerator random, List<Client> open) {
    if (!open.isEmpty()) {
      Client client = open.get(random.nextInt(open.size()));
      RangeRead read = new RangeRead(randomRange(random), random.nextInt(3), false, false, 0);
      client.reads.add(new Read(read, test.node().readIn("", client.start.id(), read)));
    }
  }

  private static void commit(
      TestNode test,
      RandomGenerator random,
      List<Client> open,
      List<Commit> commits,
      long session) {
    if (open.isEmpty()) {
      return;
    }
    Client client = open.get(random.nextInt(open.size()));
    if (!client.isIdle()) {
      return;
    }
    open.remove(client);
    List<Operation> writes = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      writes.add(
          random.nextInt(4) == 0
              ? new Operation.Delete(randomRange(random), false)
              : putOf(keyOf(random.nextInt(KEYS)), client.value));
    }
    // One that changes nothing has no revision of its own to look at.
    writes.add(putOf("/commits/" + client.start.id().replace(':', '-'), client.value));
    commits.add(
        new Commit(
            client, test.node().commit(test.next(session), client.start.id(), List.of(), writes)));
  }

  private static void blind(TestNode test, RandomGenerator random, int step) {
    var _ =
        test.node()
            .transact(
                Origin.NOBODY, Transaction.of(putOf(keyOf(random.nextInt(KEYS)), "blind " + step)));
  }

  private static void applySome(TestNode test, RandomGenerator random) {
    for (int i = random.nextInt(3); i >= 0 && !test.log().entries.isEmpty(); i--) {
      test.log().applyNext();
    }
  }

  /** Some of what was under way gets into the log of the next leader, some does not. */
  private static void changeLeader(TestNode test, RandomGenerator random, long term) {
    List<Command> saved = new ArrayList<>();
    for (ManualLog.Entry entry : test.log().entries) {
      if (random.nextBoolean()) {
        break;
      }
      saved.addAll(entry.commands());
    }
    test.log().depose();
    saved.forEach(command -> test.log().applyFromElsewhere(command));
    test.log().lead(term);
  }

  private static void finish(TestNode test, List<Client> open, List<Commit> commits) {
    test.log().automatic = true;
    test.log().applyAll();
    for (Client client : open) {
      client.reads.forEach(read -> outcome(read.answer()));
    }
    commits.forEach(commit -> outcome(commit.answer()));
    open.forEach(client -> now(test.node().abort("", client.start.id())));
    assertThat(test.node().status().transactions()).isZero();
  }

  private static void outcome(CompletableFuture<?> future) {
    try {
      now(future);
    } catch (SteleException e) {
      assertThat(e)
          .isInstanceOfAny(
              ConflictException.class, NotServingException.class, OutcomeUnknownException.class);
    }
  }

  private static void check(TestNode test, List<Commit> commits, long seed) {
    Set<String> applied = new HashSet<>();
    RangeRead marks = RangeRead.of(TestNode.prefix("/commits/"));
    now(test.node().read("", marks, Consistency.STALE))
        .keys()
        .forEach(kv -> applied.add(kv.value().toUtf8()));
    int succeeded = 0;
    int aborted = 0;
    for (Commit commit : commits) {
      String value = commit.client().value;
      if (!commit.answer().isCompletedExceptionally()) {
        succeeded++;
        assertThat(applied).as("seed %d", seed).contains(value);
        checkReads(test, commit.client(), commit.answer().join().revision(), seed);
      } else if (!(commit.answer().exceptionNow() instanceof OutcomeUnknownException)) {
        aborted++;
        assertThat(applied).as("seed %d", seed).doesNotContain(value);
      } else if (applied.contains(value)) {
        checkReads(test, commit.client(), revisionOf(test, value), seed);
      }
    }
    // How many there are also depends on how soon reads are answered, which no seed decides.
    assertThat(succeeded).as("succeeded, seed %d", seed).isPositive();
    assertThat(aborted).as("aborted, seed %d", seed).isPositive();
  }

  private static long revisionOf(TestNode test, String value) {
    return now(test.node().read("", RangeRead.of(TestNode.prefix("/commits/")), Consistency.STALE))
        .keys()
        .stream()
        .filter(kv -> kv.value().toUtf8().equals(value))
        .mapToLong(KeyValue::modified)
        .findFirst()
        .orElseThrow();
  }

  private static void checkReads(TestNode test, Client client, long revision, long seed) {
    for (Read read : client.reads) {
      RangeRead before =
          new RangeRead(read.asked().range(), read.asked().limit(), false, false, revision - 1);
      assertThat(read.answer().join().keys())
          .as("%s of transaction %s, seed %d", read.asked(), client.start.id(), seed)
          .isEqualTo(now(test.node().read("", before, Consistency.STALE)).keys());
    }
  }
}
