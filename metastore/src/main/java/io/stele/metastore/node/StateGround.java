package io.stele.metastore.node;

import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.state.AccessRules.Right;
import io.stele.metastore.state.MetastoreState;
import io.stele.metastore.txn.TransactionGround;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Interactive transactions on this member's log and state. */
final class StateGround implements TransactionGround {
  private final MetastoreState state;
  private final Proposer proposer;
  private final ReadBarriers barriers;

  StateGround(MetastoreState state, Proposer proposer, ReadBarriers barriers) {
    this.state = state;
    this.proposer = proposer;
    this.barriers = barriers;
  }

  @Override
  public CompletableFuture<Void> readBarrier() {
    return barriers.linearizable();
  }

  @Override
  public CompletableFuture<Answer> propose(Command command) {
    return proposer.propose(command);
  }

  @Override
  public long revision() {
    return state.revision();
  }

  @Override
  public Found read(String principal, Read read, long revision) {
    Optional<String> denial = state.rules().denial(principal, read.range(), Right.READ);
    if (denial.isPresent()) {
      throw new DeniedException(denial.get());
    }
    try {
      RangeAnswer answer =
          state.read(
              new RangeRead(
                  read.range(), read.limit(), read.keysOnly(), read.countOnly(), revision));
      return new Found(answer.keys(), answer.more(), answer.count());
    } catch (RefusedException e) {
      if (e.refused().kind() == Answer.Kind.COMPACTED) {
        throw new ConflictException(
            "the transaction is too old for what is kept: " + e.refused().message(), e);
      }
      throw Refusals.of(e.refused());
    }
  }

  @Override
  public boolean changedAfter(KeyRange range, long revision) {
    return state.changedAfter(range, revision);
  }

  @Override
  public boolean sessionLives(long session) {
    return state.session(session).isPresent();
  }

  @Override
  public Optional<Answer> answered(Origin origin) {
    Optional<Answer> answer = Refusals.reading(() -> state.answerTo(origin));
    if (answer.isPresent() && answer.get() instanceof Answer.Refused refused) {
      throw Refusals.of(refused);
    }
    return answer;
  }
}
