package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings commands into the log, many to an entry: an entry costs about the same whether it holds
 * one command or a thousand.
 *
 * <p>Nobody waits for company: while fewer entries are under way than may be, a command goes at
 * once; what comes while they are is gathered, and goes together when one of them is done. So
 * entries grow with the load by themselves.
 *
 * <p>Any number of threads may use it. Answers come on the thread on which the log gives them.
 */
final class Proposer {
  /**
   * A command that waits for its answer.
   *
   * @param last whether it must be the last of its entry
   */
  private record Waiting(
      Command command, long bytes, boolean last, CompletableFuture<Answer> answer) {}

  private final NodeSettings settings;
  private final Function<Bytes, CompletableFuture<Applied>> log;
  private final IntSupplier inFlightLimit;

  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by the lock:
  private final Deque<Waiting> queue = new ArrayDeque<>();
  private long queuedBytes;
  private int inFlight;
  private boolean sending; // somebody takes from the queue, and looks again before it stops
  private boolean closed;

  Proposer(
      NodeSettings settings,
      Function<Bytes, CompletableFuture<Applied>> log,
      IntSupplier inFlightLimit) {
    this.settings = settings;
    this.log = log;
    this.inFlightLimit = inFlightLimit;
  }

  /** Answers what applying the command answered; fails where that is a refusal. */
  CompletableFuture<Answer> propose(Command command) {
    // It may become a sweep, which ends its entry.
    boolean last =
        command instanceof Command.Transact transact && transact.deletedRange().isPresent();
    Waiting waiting = new Waiting(command, weigh(command), last, new CompletableFuture<>());
    lock.lock();
    try {
      if (closed) {
        return CompletableFuture.failedFuture(closedHere());
      }
      if (queue.size() >= settings.queuedCommands()
          || (queuedBytes + waiting.bytes() > settings.queuedBytes().bytes() && !queue.isEmpty())) {
        return CompletableFuture.failedFuture(
            new ExhaustedException(
                queue.size()
                    + " commands of "
                    + queuedBytes
                    + " bytes wait for the log: there may be "
                    + settings.queuedCommands()
                    + " of "
                    + settings.queuedBytes()));
      }
      queue.addLast(waiting);
      queuedBytes += waiting.bytes();
    } finally {
      lock.unlock();
    }
    send();
    return waiting.answer();
  }

  /** What waits is refused; what is under way is still answered. */
  void close() {
    List<Waiting> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(queue);
      queue.clear();
      queuedBytes = 0;
    } finally {
      lock.unlock();
    }
    left.forEach(waiting -> waiting.answer().completeExceptionally(closedHere()));
  }

  private void send() {
    List<Waiting> batch = take(true);
    while (!batch.isEmpty()) {
      List<Waiting> sent = batch;
      var _ = propose(sent).whenComplete((applied, failure) -> done(sent, applied, failure));
      batch = take(false);
    }
  }

  private CompletableFuture<Applied> propose(List<Waiting> batch) {
    return Outcomes.of(
        () -> log.apply(EntryCodec.encode(batch.stream().map(Waiting::command).toList())));
  }

  /**
   * The next entry's commands; none if it is not to be sent now.
   *
   * @param begin false for whoever is sending already: none then means that it has stopped
   */
  private List<Waiting> take(boolean begin) {
    lock.lock();
    try {
      if (begin && sending) {
        return List.of();
      }
      if (queue.isEmpty() || inFlight >= inFlightLimit.getAsInt()) {
        sending = false;
        return List.of();
      }
      sending = true;
      inFlight++;
      List<Waiting> batch = new ArrayList<>();
      long bytes = 0;
      while (!queue.isEmpty()
          && batch.size() < settings.entryCommands()
          && (batch.isEmpty()
              || bytes + queue.getFirst().bytes() <= settings.entryBytes().bytes())) {
        Waiting next = queue.removeFirst();
        bytes += next.bytes();
        batch.add(next);
        if (next.last()) {
          break;
        }
      }
      queuedBytes -= bytes;
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void done(List<Waiting> batch, @Nullable Applied applied, @Nullable Throwable failure) {
    List<Answer> answers =
        applied != null && applied.answers().size() == batch.size() ? applied.answers() : List.of();
    Set<Waiting> again = Collections.newSetFromMap(new IdentityHashMap<>(0));
    lock.lock();
    try {
      inFlight--;
      for (int i = answers.size() - 2; i >= 0; i--) {
        if (isTooMuch(batch.get(i).command(), answers.get(i)) && !closed) {
          Waiting waiting = batch.get(i);
          again.add(waiting);
          queue.addFirst(new Waiting(waiting.command(), waiting.bytes(), true, waiting.answer()));
          queuedBytes += waiting.bytes();
        }
      }
    } finally {
      lock.unlock();
    }
    send(); // the log should not idle while callers are told
    if (answers.isEmpty()) {
      SteleException problem =
          failure != null
              ? Outcomes.problem(failure)
              : new UnavailableException("the log answered " + applied);
      batch.forEach(waiting -> waiting.answer().completeExceptionally(problem));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      if (again.contains(batch.get(i))) {
        continue;
      }
      if (answers.get(i) instanceof Answer.Refused refused) {
        batch.get(i).answer().completeExceptionally(Refusals.of(refused));
      } else {
        batch.get(i).answer().complete(answers.get(i));
      }
    }
  }

  /** Whether an end has so much to delete that it must be the last command of its entry. */
  private static boolean isTooMuch(Command command, Answer answer) {
    return command.isEnd()
        && answer instanceof Answer.Refused refused
        && refused.kind() == Answer.Kind.EXHAUSTED;
  }

  private static UnavailableException closedHere() {
    return new UnavailableException("the metastore is closed here");
  }

  // ---- about how many bytes a command takes

  private static long weigh(Command command) {
    return 64
        + switch (command) {
          case Command.OpenSession c -> c.label().length() + c.requestId().length();
          case Command.CloseSession c -> 0;
          case Command.ExpireSession c -> 0;
          case Command.Transact c -> weigh(c.transaction());
          case Command.Acquire c -> c.key().length();
          case Command.Release c -> c.key().length();
          case Command.EndWait c -> c.key().length();
          case Command.EndDelay c -> c.key().length();
          case Command.EndGrant c -> c.key().length();
          case Command.Compact c -> 0;
          case Command.Reclaim c -> 0;
          case Command.GrantLease c -> 0;
          case Command.RevokeLease c -> c.principal().length();
          case Command.ExpireLease c -> 0;
          case Command.SetAcl c -> c.directory().length() + 64L * c.entries().size();
          case Command.SetVersion c -> 64;
          case Command.TakeFingerprint c -> 0;
        };
  }

  private static long weigh(Transaction transaction) {
    long bytes = 0;
    bytes += weighAll(transaction.comparisons());
    bytes += weigh(transaction.then()) + weigh(transaction.otherwise());
    if (transaction.reads().isPresent()) {
      for (KeyRange range : transaction.reads().get().ranges()) {
        bytes += weigh(range);
      }
    }
    return bytes;
  }

  private static long weighAll(List<Comparison> comparisons) {
    long bytes = 0;
    for (Comparison comparison : comparisons) {
      bytes +=
          switch (comparison) {
            case Comparison.Property c -> weigh(c.range());
            case Comparison.Value c -> weigh(c.range()) + c.operand().length();
            case Comparison.LockHeld c -> 16 + c.key().length();
            case Comparison.Present c -> weigh(c.range());
          };
    }
    return bytes;
  }

  private static long weigh(List<Operation> operations) {
    long bytes = 0;
    for (Operation operation : operations) {
      bytes +=
          switch (operation) {
            case Operation.Put o -> 16 + o.key().length() + o.value().length();
            case Operation.Delete o -> weigh(o.range());
            case Operation.Get o -> weigh(o.range());
            case Operation.Assign o -> 16 + o.key().length() + o.value().length();
            case Operation.Select o -> 32 + weigh(o.selection().range());
            case Operation.Branch o ->
                16 + weighAll(o.comparisons()) + weigh(o.then()) + weigh(o.otherwise());
          };
    }
    return bytes;
  }

  private static long weigh(KeyRange range) {
    return 16L + range.from().length() + (range.to() == null ? 0 : range.to().length());
  }
}
