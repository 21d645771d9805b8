package io.stele.metastore.txn;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What interactive transactions stand on: the member's log and its state. */
public interface TransactionGround {
  /** As {@code Consensus.readBarrier}. */
  CompletableFuture<Void> readBarrier();

  /**
   * Has a command applied; fails with a {@code SteleException} where the answer is a refusal.
   *
   * <p>{@code NotServing} and {@code Exhausted} mean that it was not proposed at all.
   */
  CompletableFuture<Answer> propose(Command command);

  /** The newest revision. */
  long revision();

  /** Reads at a revision; fails with {@code Conflict} if that has been compacted away. */
  Found read(String principal, Read read, long revision);

  /** Whether any key of a range, gaps included, was changed or deleted after a revision. */
  boolean changedAfter(KeyRange range, long revision);

  boolean sessionLives(long session);

  /**
   * What a request was answered when it was applied, if it was; fails with a {@code SteleException}
   * if it was refused.
   */
  Optional<Answer> answered(Origin origin);

  /**
   * A read.
   *
   * @param limit the most keys; 0 for the server's own limit
   */
  record Read(KeyRange range, int limit, boolean keysOnly, boolean countOnly) {}

  /**
   * What a read found.
   *
   * @param more whether a limit left keys out
   */
  record Found(List<KeyValue> keys, boolean more, long count) {
    public Found {
      keys = List.copyOf(keys);
    }

    /** Of a read that was cut short, the part of the range that the answer speaks of. */
    KeyRange answered(KeyRange asked) {
      if (!more || keys.isEmpty()) {
        return asked;
      }
      Bytes last = keys.getLast().key();
      return new KeyRange(asked.from(), last.successor());
    }
  }
}
