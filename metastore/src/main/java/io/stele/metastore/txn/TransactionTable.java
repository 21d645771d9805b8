package io.stele.metastore.txn;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.txn.TransactionGround.Found;
import io.stele.metastore.txn.TransactionGround.Read;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The interactive transactions of the member that leads, for one term: all of it in memory, for
 * they end with the term.
 *
 * <p>A transaction reads at one revision, under range locks that count who reads what; a commit
 * checks that nothing it read has changed, locks what it writes and proposes both together. The
 * state checks once more when it applies the commit, and only that check decides: the locks are
 * there to end what cannot succeed early, and to keep commits that would spoil each other apart.
 *
 * <p>Any number of threads may use it. Nothing is read or proposed with its lock held.
 */
public final class TransactionTable {
  private static final Pattern ID = Pattern.compile("[0-9]{1,19}:[0-9]{1,19}");

  private final TransactionSettings settings;
  private final Clock clock;
  private final TransactionGround ground;
  private final Executor executor; // runs those that had to wait
  private final ReentrantLock mutex = new ReentrantLock();
  private final Map<String, TransactionEntry> entries = new LinkedHashMap<>();
  private final RangeLocks locks = new RangeLocks();
  private boolean leading;
  private long term;
  private long lastNumber;
  // Whether there are locks at all: the applying thread asks before it takes the mutex. Set while a
  // range is taken hold of and before it is read, so a write that misses it is seen by the read.
  private volatile boolean anyLocks;

  public TransactionTable(
      TransactionSettings settings, Clock clock, TransactionGround ground, Executor executor) {
    this.settings = settings;
    this.clock = clock;
    this.ground = ground;
    this.executor = executor;
  }

  /**
   * A transaction that has begun.
   *
   * @param id {@code [term]:[n]}
   */
  public record Begun(String id, long revision) {}

  /** This member leads. Transactions of earlier terms are over. */
  public void leads(long newTerm) {
    mutex.lock();
    try {
      leading = true;
      if (newTerm != term) {
        term = newTerm;
        lastNumber = 0;
      }
      endOfOtherTerms();
    } finally {
      mutex.unlock();
    }
  }

  /** This member leads no longer: nothing that it has begun can be committed any more. */
  public void follows() {
    mutex.lock();
    try {
      leading = false;
      List.copyOf(entries.values()).stream().filter(e -> !e.committing()).forEach(this::end);
    } finally {
      mutex.unlock();
    }
  }

  /** A revision has changed these keys. Called by the thread that applies the log. */
  public void wrote(long revision, List<Bytes> keys) {
    if (!anyLocks) {
      return;
    }
    mutex.lock();
    try {
      keys.forEach(key -> locks.wrote(key, revision));
    } finally {
      mutex.unlock();
    }
  }

  /** Ends what has lived too long, or longer than its session. */
  public void expire() {
    mutex.lock();
    try {
      List.copyOf(entries.values()).stream()
          .filter(e -> !e.committing())
          .filter(e -> isLate(e) || !sessionLives(e))
          .forEach(this::end);
    } finally {
      mutex.unlock();
    }
  }

  /** How many are open. */
  public int size() {
    mutex.lock();
    try {
      return entries.size();
    } finally {
      mutex.unlock();
    }
  }

  int lockCount() {
    mutex.lock();
    try {
      return locks.size();
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Begins a transaction, at a revision that includes all that was acknowledged before.
   *
   * @param session with which it ends at the latest; 0 for none
   */
  public CompletableFuture<Begun> begin(String principal, long session) {
    return ground.readBarrier().thenApply(confirmed -> enter(principal, session));
  }

  private Begun enter(String principal, long session) {
    mutex.lock();
    try {
      if (!leading) {
        throw new NotServingException("transaction not begun: this member leads no longer");
      }
      endOfOtherTerms();
      if (entries.size() >= settings.open()) {
        throw new ExhaustedException(
            entries.size() + " transactions are open: there may be " + settings.open());
      }
      if (session != 0 && !ground.sessionLives(session)) {
        throw new NotFoundException("transaction of session " + session + ": there is no such");
      }
      lastNumber++;
      TransactionEntry entry =
          new TransactionEntry(
              term + ":" + lastNumber,
              term,
              ground.revision(),
              principal,
              session,
              clock.nanos() + settings.life().toNanos());
      entries.put(entry.id(), entry);
      return new Begun(entry.id(), entry.revision());
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Reads at the transaction's revision and remembers the range, gaps included; of an answer that a
   * limit cut short, the part answered. Ends the transaction with {@code Conflict} if a key there
   * has changed since. May read from disk.
   */
  public CompletableFuture<Found> read(String principal, String id, Read read) {
    return outcome(() -> tryRead(principal, id, read));
  }

  private CompletableFuture<Found> tryRead(String principal, String id, Read read) {
    KeyRange range = read.range();
    TransactionEntry entry;
    boolean added;
    mutex.lock();
    try {
      entry = open(id, principal);
      if (read.limit() == 0 && newestWrite(List.of(range)) > entry.revision()) {
        end(entry);
        throw changedSince(entry, range);
      }
      Optional<CompletableFuture<Void>> busy = writerIn(entry, List.of(range));
      if (busy.isPresent()) {
        return busy.get().thenComposeAsync(free -> read(principal, id, read), executor);
      }
      added = !entry.hasRead(range);
      if (added) {
        remember(entry, range);
      }
    } finally {
      mutex.unlock();
    }
    Found found;
    boolean changed;
    try {
      found = ground.read(principal, read, entry.revision());
      changed = ground.changedAfter(found.answered(range), entry.revision());
    } catch (SteleException e) {
      failedRead(entry, range, added, e);
      throw e;
    }
    settle(entry, range, found.answered(range), added, changed);
    return CompletableFuture.completedFuture(found);
  }

  private void remember(TransactionEntry entry, KeyRange range) {
    if (entry.reads().size() >= settings.readRanges()) {
      throw new InvalidRequestException(
          "transaction "
              + entry.id()
              + " has read "
              + entry.reads().size()
              + " ranges: there may be "
              + settings.readRanges());
    }
    anyLocks = true;
    locks.hold(range);
    entry.reads().add(range);
  }

  /** A read that is refused is forgotten; one that came too late for its revision is the end. */
  private void failedRead(
      TransactionEntry entry, KeyRange range, boolean added, SteleException problem) {
    mutex.lock();
    try {
      if (entries.get(entry.id()) != entry || entry.committing()) {
        return;
      }
      if (problem instanceof ConflictException) {
        end(entry);
      } else if (added) {
        entry.reads().remove(range);
        locks.free(range);
        anyLocks = locks.size() > 0;
      }
    } finally {
      mutex.unlock();
    }
  }

  private void settle(
      TransactionEntry entry, KeyRange asked, KeyRange answered, boolean added, boolean changed) {
    mutex.lock();
    try {
      if (entries.get(entry.id()) != entry) {
        throw gone(entry.id());
      }
      if (changed || newestWrite(List.of(answered)) > entry.revision()) {
        if (!entry.committing()) {
          end(entry);
        }
        throw changedSince(entry, answered);
      }
      if (added && !answered.equals(asked)) {
        entry.reads().remove(asked);
        entry.reads().add(answered);
        locks.free(new KeyRange(answered.to() == null ? asked.from() : answered.to(), asked.to()));
      }
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Commits: all writes at one revision if nothing that was read has changed, else {@code Conflict}
   * and nothing. A commit that is asked for again, with the same origin, is answered again.
   */
  public CompletableFuture<Answer.Transacted> commit(
      Origin origin, String id, List<Comparison> guards, List<Operation> writes) {
    return outcome(() -> tryCommit(origin, id, guards, writes));
  }

  private CompletableFuture<Answer.Transacted> tryCommit(
      Origin origin, String id, List<Comparison> guards, List<Operation> writes) {
    CommitLimits.check(settings, id, writes);
    TransactionEntry entry;
    Command command;
    mutex.lock();
    try {
      TransactionEntry known = known(id);
      if (known == null) {
        return answeredBefore(origin, id);
      }
      entry = known;
      checkOwner(entry, origin.principal());
      CompletableFuture<Answer.Transacted> commit = entry.commit();
      if (commit != null) {
        return repeated(entry, origin, commit);
      }
      if (guards.isEmpty() && writes.isEmpty()) {
        end(entry);
        return CompletableFuture.completedFuture(
            new Answer.Transacted(true, entry.revision(), List.of()));
      }
      if (newestWrite(entry.reads()) > entry.revision()) {
        end(entry);
        throw changedSince(entry, null);
      }
      List<KeyRange> ranges = CommitLimits.ranges(writes);
      Optional<CompletableFuture<Void>> busy =
          writerIn(entry, ranges).or(() -> writerIn(entry, entry.reads()));
      if (busy.isPresent()) {
        return busy.get().thenComposeAsync(free -> commit(origin, id, guards, writes), executor);
      }
      command = start(entry, origin, ranges, guards, writes);
    } finally {
      mutex.unlock();
    }
    return propose(entry, command);
  }

  private Command start(
      TransactionEntry entry,
      Origin origin,
      List<KeyRange> ranges,
      List<Comparison> guards,
      List<Operation> writes) {
    anyLocks = true;
    entry.startCommit(origin, ranges);
    for (KeyRange range : ranges) {
      locks.hold(range).forEach(lock -> lock.lockForWriting(entry));
    }
    return new Command.Transact(
        origin,
        new Transaction(
            guards,
            writes,
            List.of(),
            Optional.of(new ReadSet(entry.term(), entry.revision(), entry.reads()))));
  }

  private CompletableFuture<Answer.Transacted> propose(TransactionEntry entry, Command command) {
    CompletableFuture<Answer.Transacted> commit = entry.commit();
    if (commit == null) {
      throw new IllegalStateException("transaction " + entry.id() + " is not being committed");
    }
    var _ =
        outcome(() -> ground.propose(command))
            .whenComplete(
                (answer, failure) -> {
                  Throwable problem =
                      failure instanceof CompletionException e ? e.getCause() : failure;
                  finish(entry, problem);
                  if (answer instanceof Answer.Transacted transacted) {
                    commit.complete(transacted);
                  } else if (problem instanceof NotServingException) {
                    commit.completeExceptionally(
                        new ConflictException(
                            "transaction "
                                + entry.id()
                                + " was not committed: it ended with the term of its leader"));
                  } else {
                    commit.completeExceptionally(
                        problem != null
                            ? problem
                            : new IllegalStateException("a commit was answered " + answer));
                  }
                });
    return commit.copy();
  }

  private void finish(TransactionEntry entry, @Nullable Throwable problem) {
    mutex.lock();
    try {
      if (problem instanceof ExhaustedException && leading) {
        freeWrites(entry);
        entry.withdrawCommit();
        entry.release().complete(null);
      } else {
        end(entry);
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Gives a transaction up. One that is not there has ended already. */
  public void abort(String principal, String id) {
    mutex.lock();
    try {
      TransactionEntry entry = known(id);
      if (entry == null) {
        return;
      }
      checkOwner(entry, principal);
      if (entry.committing()) {
        throw new InvalidRequestException(
            "transaction " + id + " is being committed: it cannot be aborted any more");
      }
      end(entry);
    } finally {
      mutex.unlock();
    }
  }

  // ---- with the mutex held

  private @Nullable TransactionEntry known(String id) {
    if (!ID.matcher(id).matches()) {
      throw new InvalidRequestException(
          "transaction id \"" + id + "\": must be [term]:[n] as a transaction's begin answered it");
    }
    TransactionEntry entry = entries.get(id);
    if (entry != null && !entry.committing() && (isLate(entry) || !sessionLives(entry))) {
      end(entry);
      return null;
    }
    return entry;
  }

  private TransactionEntry open(String id, String principal) {
    TransactionEntry entry = known(id);
    if (entry == null) {
      throw gone(id);
    }
    checkOwner(entry, principal);
    if (entry.committing()) {
      throw new InvalidRequestException(
          "transaction " + id + " is being committed: it reads no more");
    }
    return entry;
  }

  private static void checkOwner(TransactionEntry entry, String principal) {
    if (!entry.principal().equals(principal)) {
      throw new DeniedException(
          "transaction " + entry.id() + ": \"" + principal + "\" has not begun it");
    }
  }

  private static CompletableFuture<Answer.Transacted> repeated(
      TransactionEntry entry, Origin origin, CompletableFuture<Answer.Transacted> commit) {
    if (origin.session() == 0 || !entry.committedBy(origin)) {
      throw new InvalidRequestException(
          "transaction " + entry.id() + " is being committed by another request already");
    }
    return commit.copy();
  }

  /** What to wait for before these ranges may be touched: the commit of another transaction. */
  private Optional<CompletableFuture<Void>> writerIn(
      TransactionEntry entry, List<KeyRange> ranges) {
    for (KeyRange range : ranges) {
      for (TransactionRangeLock lock : locks.overlapping(range)) {
        TransactionEntry writer = lock.writer();
        if (writer != null && writer != entry) {
          // Its own end ends the wait as well.
          return Optional.of(
              CompletableFuture.anyOf(writer.released(), entry.released()).thenAccept(ended -> {}));
        }
      }
    }
    return Optional.empty();
  }

  private long newestWrite(List<KeyRange> ranges) {
    return ranges.stream()
        .flatMap(range -> locks.overlapping(range).stream())
        .mapToLong(TransactionRangeLock::recentWriteIndex)
        .max()
        .orElse(0);
  }

  private boolean isLate(TransactionEntry entry) {
    return clock.nanos() - entry.deadline() >= 0;
  }

  private boolean sessionLives(TransactionEntry entry) {
    return entry.session() == 0 || ground.sessionLives(entry.session());
  }

  private void endOfOtherTerms() {
    List.copyOf(entries.values()).stream()
        .filter(e -> e.term() != term && !e.committing())
        .forEach(this::end);
  }

  private void end(TransactionEntry entry) {
    if (!entries.remove(entry.id(), entry)) {
      return;
    }
    entry.reads().forEach(locks::free);
    freeWrites(entry);
    entry.release().complete(null);
  }

  private void freeWrites(TransactionEntry entry) {
    for (KeyRange range : entry.writes()) {
      for (TransactionRangeLock lock : locks.overlapping(range)) {
        if (lock.writer() == entry) {
          lock.unlockForWriting();
        }
      }
      locks.free(range);
    }
    anyLocks = locks.size() > 0;
  }

  // ---- without it

  /**
   * The transaction is not there (any more). Its commit may have been applied all the same, if the
   * answer was lost: then the state knows it.
   */
  private CompletableFuture<Answer.Transacted> answeredBefore(Origin origin, String id) {
    if (origin.session() == 0) {
      return CompletableFuture.failedFuture(gone(id));
    }
    return ground
        .readBarrier()
        .thenApplyAsync(
            confirmed -> {
              if (ground.answered(origin).orElse(null) instanceof Answer.Transacted transacted) {
                return transacted;
              }
              throw gone(id);
            },
            executor);
  }

  private ConflictException gone(String id) {
    return new ConflictException(
        "transaction "
            + id
            + " is not open: it was committed or aborted, or it ended with the term of its leader,"
            + " with its session, or after "
            + settings.life());
  }

  private static ConflictException changedSince(TransactionEntry entry, @Nullable KeyRange range) {
    return new ConflictException(
        "transaction "
            + entry.id()
            + ": what it read"
            + (range == null ? "" : " from " + range.from() + " to " + range.to())
            + " has changed since revision "
            + entry.revision());
  }

  private static <T> CompletableFuture<T> outcome(Supplier<CompletableFuture<T>> action) {
    try {
      return action.get();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
