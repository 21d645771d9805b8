package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.OpaqueKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ProposerTest {
  private record Entry(List<Command> commands, CompletableFuture<Applied> answer) {
    void apply() {
      List<Answer> answers = new ArrayList<>();
      for (Command command : commands) {
        answers.add(
            new Answer.SessionOpened(((Command.ExpireSession) command).session(), TestNode.TTL));
      }
      answer.complete(new Applied(answers, List.of()));
    }
  }

  private final Deque<Entry> log = new ArrayDeque<>();
  private final Proposer proposer =
      new Proposer(NodeSettings.DEFAULT.withQueue(5_000, 2), this::append, () -> 2);

  private CompletableFuture<Applied> append(Bytes entry) {
    Entry added = new Entry(EntryCodec.decode("entry", entry), new CompletableFuture<>());
    log.addLast(added);
    return added.answer();
  }

  private CompletableFuture<Answer> propose(long number) {
    return proposer.propose(new Command.ExpireSession(number));
  }

  private static Command put(int bytes) {
    return new Command.Transact(
        Origin.NOBODY,
        Transaction.of(new Operation.Put(Bytes.utf8("/a"), Bytes.wrap(new byte[bytes]), 0, false)));
  }

  @Test
  void aCommandGoesAtOnceWhileThereIsRoom() {
    var _ = propose(1);
    var _ = propose(2);
    assertThat(log).hasSize(2).allSatisfy(entry -> assertThat(entry.commands()).hasSize(1));
  }

  @Test
  void aDeletionOfARangeEndsItsEntry() {
    var _ = propose(1);
    var _ = propose(2);
    Command deletion =
        new Command.Transact(
            Origin.NOBODY,
            Transaction.of(
                new Operation.Delete(OpaqueKey.range(new byte[] {1}, new byte[] {2}), false)));
    var _ = propose(3);
    var _ = proposer.propose(deletion);
    var _ = propose(4);
    log.removeFirst().apply();
    log.removeFirst().apply();

    assertThat(log)
        .satisfiesExactly(
            first -> assertThat(first.commands()).hasSize(2).last().isEqualTo(deletion),
            second -> assertThat(second.commands()).hasSize(1));
  }

  @Test
  void anEndWithTooMuchToDeleteComesAgainAsTheLastOfItsEntry() {
    var _ = propose(1);
    var _ = propose(2);
    CompletableFuture<Answer> large = propose(3);
    CompletableFuture<Answer> other = propose(4);
    log.removeFirst().apply();
    Answer refused = new Answer.Refused(Answer.Kind.EXHAUSTED, "too much");
    log.removeFirst().apply();
    log.removeFirst().answer().complete(new Applied(List.of(refused, refused), List.of()));

    assertThat(other).isCompletedExceptionally();
    assertThat(large).isNotDone();
    assertThat(log).hasSize(1);
    assertThat(log.getFirst().commands()).containsExactly(new Command.ExpireSession(3));
    log.removeFirst().apply();
    assertThat(now(large)).isEqualTo(new Answer.SessionOpened(3, TestNode.TTL));
  }

  @Test
  void whatWaitsGoesTogether() {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 1; i <= 1_000; i++) {
      answers.add(propose(i));
    }
    assertThat(log).hasSize(2);
    log.removeFirst().apply();
    log.removeFirst().apply();
    assertThat(log).hasSize(1);
    assertThat(log.getFirst().commands()).hasSize(998);
    log.removeFirst().apply();
    for (int i = 0; i < answers.size(); i++) {
      assertThat(now(answers.get(i)))
          .as("everybody has its own answer")
          .isEqualTo(new Answer.SessionOpened(i + 1, TestNode.TTL));
    }
  }

  @Test
  void anEntryIsBoundedByCommandsAndBytes() {
    var _ = propose(1);
    var _ = propose(2);
    for (int i = 0; i < 4_900; i++) {
      var _ = propose(i);
    }
    log.removeFirst().apply();
    assertThat(log.getLast().commands()).hasSize(NodeSettings.DEFAULT.entryCommands());

    Deque<Integer> sizes = new ArrayDeque<>();
    Proposer large =
        new Proposer(
            NodeSettings.DEFAULT,
            entry -> {
              sizes.addLast(entry.length());
              return new CompletableFuture<>();
            },
            () -> 1 + (sizes.size() > 9 ? 0 : sizes.size()));
    var _ = large.propose(put(10));
    for (int i = 0; i < 12; i++) {
      var _ = large.propose(put(300 << 10));
    }
    assertThat(sizes).allMatch(size -> size <= 1 << 20);
  }

  @Test
  void aFullQueueRefuses() {
    var _ = propose(1);
    var _ = propose(2);
    for (int i = 0; i < 5_000; i++) {
      assertThat(propose(i)).isNotDone();
    }
    assertThatThrownBy(() -> now(propose(9)))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("5000");
  }

  @Test
  void refusalsBecomeErrorsOneByOne() {
    CompletableFuture<Answer> one = propose(1);
    var _ = propose(2);
    CompletableFuture<Answer> aborted = propose(3);
    CompletableFuture<Answer> gone = propose(4);
    CompletableFuture<Answer> done = propose(5);
    log.removeFirst().apply();
    now(one);
    log.removeLast()
        .answer()
        .complete(
            new Applied(
                List.of(
                    new Answer.Refused(Answer.Kind.ABORTED, "a"),
                    new Answer.Refused(Answer.Kind.SESSION_GONE, "b"),
                    new Answer.Done()),
                List.of()));
    assertThatThrownBy(() -> now(aborted)).isInstanceOf(ConflictException.class);
    assertThatThrownBy(() -> now(gone)).isInstanceOf(NotFoundException.class);
    assertThat(now(done)).isEqualTo(new Answer.Done());
  }

  @Test
  void whatTheLogSaysReachesEveryCallerOfTheEntry() {
    var _ = propose(1);
    var _ = propose(2);
    CompletableFuture<Answer> third = propose(3);
    CompletableFuture<Answer> fourth = propose(4);
    log.removeFirst().answer().completeExceptionally(new NotServingException("x", "there:1"));
    log.getLast().answer().completeExceptionally(new OutcomeUnknownException("y"));
    assertThatThrownBy(() -> now(third)).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> now(fourth)).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void aLogThatAnswersAtOnceNeedsNoStack() {
    Proposer direct =
        new Proposer(
            NodeSettings.DEFAULT.withQueue(100_000, 1),
            entry -> {
              CompletableFuture<Applied> answer = append(entry);
              log.removeLast().apply();
              return answer;
            },
            () -> 1);
    for (int i = 0; i < 50_000; i++) {
      assertThat(direct.propose(new Command.ExpireSession(i))).isDone();
    }
  }

  @Test
  void closingRefusesWhatWaits() {
    CompletableFuture<Answer> underWay = propose(1);
    var _ = propose(2);
    CompletableFuture<Answer> waiting = propose(3);
    proposer.close();
    assertThatThrownBy(() -> now(waiting)).isInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> now(propose(4))).isInstanceOf(UnavailableException.class);
    log.removeFirst().apply();
    assertThat(underWay).isCompleted();
  }
}
