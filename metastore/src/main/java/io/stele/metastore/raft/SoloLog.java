package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.recordlog.RecordLogWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The log of a group of one: a plain synced log, which opens in milliseconds and needs no election.
 *
 * <p>The <em>log thread</em> takes all that waits, writes it and syncs once; only then it hands the
 * entries to the <em>apply thread</em>, which is the only one to change the replica, and completes
 * what {@link #propose} returned: with the replica's answer, on that thread, so what depends on it
 * must be quick. The <em>flush thread</em> has the replica flushed, while the others go on: entries
 * would otherwise wait for all that a flush writes. The files are described in {@link
 * SoloSegments}.
 *
 * <p>Each opening begins a new term, on disk before the replica learns of it, so that a name made
 * of the term and a number is never given twice.
 *
 * <p>When a write, a sync or the replica fails, the log is at its end: what is under way is in
 * doubt, nothing more is taken, and it must be opened again.
 */
public final class SoloLog<A> implements Consensus<A> {
  private static final class Proposal<A> {
    final Bytes entry;
    final CompletableFuture<A> answer = new CompletableFuture<>();

    Proposal(Bytes entry) {
      this.entry = entry;
    }
  }

  /** What the apply thread has to do, in the order of the log. */
  private sealed interface Task<A> {
    /** Durable entries; the first has {@code first}, the others follow. */
    record Apply<A>(Position first, List<Proposal<A>> group) implements Task<A> {}

    record Stop<A>() implements Task<A> {}
  }

  /** At the end the state is flushed if the log has this part of what has it flushed anyway. */
  private static final int UNFLUSHED_PART = 16;

  private final Member self;
  private final Replica<A> replica;
  private final SoloSettings settings;
  private final SoloSegments segments; // the log thread's own, once it runs
  private volatile long bytes; // of them
  private final Events events;
  private final long term;
  private final Thread logThread;
  private final Thread applyThread;
  private final ExecutorService flushThread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();

  // Guarded by lock.
  private List<Proposal<A>> waiting = new ArrayList<>();
  private final List<CompletableFuture<Position>> released = new ArrayList<>();
  private Position releasedTo = Position.START;
  private boolean closing;
  private boolean logEnded; // nobody drops flushed segments any more

  // Accepted and not yet answered, which bounds both queues.
  private final AtomicInteger pendingEntries = new AtomicInteger();
  private final AtomicLong pendingBytes = new AtomicLong();

  private final BlockingQueue<Task<A>> tasks = new LinkedBlockingQueue<>();
  private volatile @Nullable Throwable failure; // written under lock, once
  private volatile long applied;

  /** The log thread's own: how large the log must be to have the state flushed next. */
  private long flushAtBytes;

  private boolean flushUnderWay; // guarded by lock

  private SoloLog(
      Member self,
      Replica<A> replica,
      SoloSettings settings,
      SoloSegments segments,
      Events events,
      long term) {
    this.self = self;
    this.replica = replica;
    this.settings = settings;
    this.segments = segments;
    this.events = events;
    this.term = term;
    this.applied = segments.last().index();
    this.bytes = segments.bytes();
    this.flushAtBytes = settings.log().bytes();
    this.logThread = Thread.ofPlatform().name("stele-solo-log").daemon().unstarted(this::writeAll);
    this.applyThread =
        Thread.ofPlatform().name("stele-solo-apply").daemon().unstarted(this::applyAll);
    this.flushThread =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("stele-solo-flush").daemon().factory());
  }

  /**
   * Opens the log in {@code log/} of a store, replays what the replica does not have, and leads.
   */
  public static <A> SoloLog<A> open(
      FileStore files, Member self, Replica<A> replica, SoloSettings settings, Events events)
      throws IOException {
    SoloSegments segments = new SoloSegments(files, settings, replica.flushed());
    segments.replay(record -> replay(replica, record));
    Position last = segments.last();
    Position opening = new Position(last.term() + 1, last.index() + 1);
    try {
      segments.append(new SoloRecord.Opening(opening));
      segments.sync();
    } catch (IOException e) {
      segments.abandon();
      throw e;
    }
    replica.skip(opening);
    replica.leads(opening.term());
    SoloLog<A> log = new SoloLog<>(self, replica, settings, segments, events, opening.term());
    log.logThread.start();
    log.applyThread.start();
    events.publish(new RaftEvent.LeadTaken(self.id(), opening.term()));
    return log;
  }

  private static <A> void replay(Replica<A> replica, SoloRecord record) {
    switch (record) {
      case SoloRecord.Opening(Position position) -> replica.skip(position);
      case SoloRecord.Entry(Position position, Bytes entry) -> replica.apply(position, entry);
    }
  }

  @Override
  public CompletableFuture<A> propose(Bytes entry) {
    if (entry.length() > RecordLogWriter.MAX_PAYLOAD - SoloRecord.OVERHEAD) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "log entry of "
                  + entry.length()
                  + " bytes: at most "
                  + (RecordLogWriter.MAX_PAYLOAD - SoloRecord.OVERHEAD)));
    }
    lock.lock();
    try {
      if (closing || failure != null) {
        return CompletableFuture.failedFuture(notServing());
      }
      if (pendingEntries.get() >= settings.pendingEntries()
          || pendingBytes.get() >= settings.pending().bytes()) {
        return CompletableFuture.failedFuture(
            new ExhaustedException(
                "log of member "
                    + self.id()
                    + ": "
                    + pendingEntries
                    + " entries of "
                    + pendingBytes
                    + " bytes are under way, at most "
                    + settings.pendingEntries()
                    + " or "
                    + settings.pending()
                    + ": try again"));
      }
      Proposal<A> proposal = new Proposal<>(entry);
      pendingEntries.incrementAndGet();
      pendingBytes.addAndGet(entry.length());
      waiting.add(proposal);
      work.signal();
      return proposal.answer;
    } finally {
      lock.unlock();
    }
  }

  private NotServingException notServing() {
    Throwable cause = failure;
    return new NotServingException(
        cause == null
            ? "member " + self.id() + " is closed"
            : "member " + self.id() + " has failed and must be opened again: " + cause);
  }

  /** At once: nobody else leads, and what was acknowledged was applied before. */
  @Override
  public CompletableFuture<Void> readBarrier() {
    return closedOrFailed()
        ? CompletableFuture.failedFuture(notServing())
        : CompletableFuture.completedFuture(null);
  }

  private boolean closedOrFailed() {
    lock.lock();
    try {
      return closing || failure != null;
    } finally {
      lock.unlock();
    }
  }

  /** A group of one has to be turned into a larger kind first: see {@code GroupMember}. */
  @Override
  public CompletableFuture<Void> changeMembers(List<Member> members) {
    if (members.equals(List.of(self))) {
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.failedFuture(
        new InvalidRequestException(
            "members "
                + members.stream().map(Member::id).toList()
                + " for a plain log: it has the single member "
                + self.id()));
  }

  @Override
  public CompletableFuture<Void> transferLead(String memberId) {
    return memberId.equals(self.id())
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(
            new InvalidRequestException(
                "member " + memberId + " cannot lead: the only member is " + self.id()));
  }

  @Override
  public Position checkpoint() {
    CompletableFuture<Position> done = new CompletableFuture<>();
    lock.lock();
    try {
      if (closing || failure != null) {
        throw notServing();
      }
      flushThread.execute(() -> flush(done));
    } finally {
      lock.unlock();
    }
    return Futures.join(done);
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public Standing standing() {
    boolean leads = !closedOrFailed();
    return new Standing(
        self,
        leads ? Standing.Role.LEADER : Standing.Role.OBSERVER,
        leads,
        term,
        leads ? Optional.of(self) : Optional.empty(),
        List.of(self),
        applied,
        applied); // what is synced is applied at once
  }

  /**
   * Writes, syncs and applies what was taken, and stops. A large log is flushed, or the next
   * opening would apply it again, with many reads of cold files.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      work.signal();
    } finally {
      lock.unlock();
    }
    Futures.joinThread(logThread);
    Futures.joinThread(applyThread);
    flushThread.close(); // waits for the flush that is under way
    if (failure == null && bytes >= settings.log().bytes() / UNFLUSHED_PART) {
      flushAtEnd();
    }
  }

  private void flushAtEnd() {
    try {
      replica.flush();
    } catch (RuntimeException e) {
      events.publish(new RaftEvent.TidyingFailed(self.id(), e.toString())); // the log has it all
    }
  }

  // ---- the log thread

  private void writeAll() {
    List<Proposal<A>> group = List.of();
    try {
      while (takeWork()) {
        group = takeGroup();
        if (!group.isEmpty()) {
          Position first = write(group);
          tasks.add(new Task.Apply<>(first, group));
          group = List.of();
        }
        releaseFlushed();
        flushIfLarge();
        awaitFlush();
      }
      segments.roll();
    } catch (IOException | RuntimeException | Error e) {
      fail(e, group);
      giveUpFiles();
    } finally {
      endFlushes();
      tasks.add(new Task.Stop<>());
    }
  }

  /** Waits for something to do; false when the end has come. */
  private boolean takeWork() {
    lock.lock();
    try {
      while (waiting.isEmpty() && released.isEmpty()) {
        if (closing || failure != null) {
          return false;
        }
        work.awaitUninterruptibly();
      }
      return failure == null;
    } finally {
      lock.unlock();
    }
  }

  private List<Proposal<A>> takeGroup() {
    lock.lock();
    try {
      List<Proposal<A>> group = waiting;
      if (!group.isEmpty()) {
        waiting = new ArrayList<>(group.size());
      }
      return group;
    } finally {
      lock.unlock();
    }
  }

  private Position write(List<Proposal<A>> group) throws IOException {
    long index = segments.last().index() + 1;
    Position first = new Position(term, index);
    for (Proposal<A> proposal : group) {
      segments.append(new SoloRecord.Entry(new Position(term, index++), proposal.entry));
    }
    segments.sync();
    return first;
  }

  /** Drops what the replica has flushed, for those who wait for it. */
  private void releaseFlushed() throws IOException {
    List<CompletableFuture<Position>> waiters;
    Position flushed;
    lock.lock();
    try {
      if (released.isEmpty()) {
        return;
      }
      waiters = List.copyOf(released);
      released.clear();
      flushed = releasedTo;
    } finally {
      lock.unlock();
    }
    segments.roll();
    try {
      segments.release(flushed.index());
    } catch (IOException e) {
      // The segment stays in the list and goes with the next release.
      events.publish(new RaftEvent.TidyingFailed(self.id(), e.toString()));
    }
    bytes = segments.bytes();
    flushAtBytes = bytes + settings.log().bytes();
    lock.lock();
    try {
      flushUnderWay = false;
    } finally {
      lock.unlock();
    }
    waiters.forEach(waiter -> waiter.complete(flushed));
  }

  private void flushIfLarge() {
    bytes = segments.bytes();
    if (bytes < flushAtBytes) {
      return;
    }
    lock.lock();
    try {
      if (!flushUnderWay) {
        flushUnderWay = true;
        flushThread.execute(() -> flush(new CompletableFuture<>()));
      }
    } finally {
      lock.unlock();
    }
  }

  /** A log that grows faster than the state is flushed has to wait for it. */
  private void awaitFlush() {
    lock.lock();
    try {
      while (flushUnderWay
          && bytes >= flushAtBytes + settings.log().bytes()
          && released.isEmpty()
          && failure == null) {
        work.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nothing is dropped any more: that is left to the next opening. */
  private void endFlushes() {
    List<CompletableFuture<Position>> waiters;
    Position flushed;
    lock.lock();
    try {
      logEnded = true;
      waiters = List.copyOf(released);
      released.clear();
      flushed = releasedTo;
    } finally {
      lock.unlock();
    }
    waiters.forEach(waiter -> waiter.complete(flushed));
  }

  private void giveUpFiles() {
    try {
      segments.abandon();
    } catch (IOException e) {
      events.publish(new RaftEvent.TidyingFailed(self.id(), e.toString()));
    }
  }

  // ---- the apply thread

  private void applyAll() {
    boolean stop = false;
    while (!stop) {
      Task<A> task = Futures.take(tasks);
      switch (task) {
        case Task.Apply<A>(Position first, List<Proposal<A>> group) -> apply(first, group);
        case Task.Stop<A>() -> stop = true;
      }
    }
    try {
      replica.follows();
    } catch (RuntimeException | Error e) {
      fail(e, List.of());
    }
    events.publish(new RaftEvent.LeadLost(self.id()));
  }

  private void apply(Position first, List<Proposal<A>> group) {
    if (failure != null) {
      group.forEach(proposal -> proposal.answer.completeExceptionally(inDoubt()));
      return;
    }
    int done = 0;
    try {
      for (Proposal<A> proposal : group) {
        Position position = new Position(first.term(), first.index() + done);
        A answer = replica.apply(position, proposal.entry);
        applied = position.index();
        done++;
        pendingEntries.decrementAndGet();
        pendingBytes.addAndGet(-proposal.entry.length());
        proposal.answer.complete(answer);
      }
    } catch (RuntimeException | Error e) {
      fail(e, group.subList(done, group.size()));
    }
  }

  // ---- the flush thread

  private void flush(CompletableFuture<Position> done) {
    if (failure != null) {
      done.completeExceptionally(notServing());
      return;
    }
    Position flushed;
    try {
      flushed = replica.flush();
    } catch (RuntimeException | Error e) {
      fail(e, List.of());
      done.completeExceptionally(
          new UnavailableException("state of member " + self.id() + " not flushed: " + e, e));
      return;
    }
    boolean last;
    lock.lock();
    try {
      releasedTo = flushed;
      last = logEnded;
      if (!last) {
        released.add(done);
        work.signal();
      }
    } finally {
      lock.unlock();
    }
    if (last) {
      done.complete(flushed);
    }
  }

  // ---- the end

  /**
   * Nothing more is taken; the given ones may have been made durable, those after them were not.
   */
  private void fail(Throwable cause, List<Proposal<A>> doubtful) {
    List<Proposal<A>> untouched = new ArrayList<>();
    List<CompletableFuture<Position>> flushes = new ArrayList<>();
    lock.lock();
    try {
      if (failure == null) {
        failure = cause;
      }
      untouched.addAll(waiting);
      waiting.clear();
      flushes.addAll(released);
      released.clear();
      work.signal();
    } finally {
      lock.unlock();
    }
    doubtful.forEach(proposal -> proposal.answer.completeExceptionally(inDoubt()));
    untouched.forEach(proposal -> proposal.answer.completeExceptionally(notServing()));
    flushes.forEach(flush -> flush.completeExceptionally(notServing()));
    events.publish(new RaftEvent.MemberFailed(self.id(), String.valueOf(cause)));
  }

  private OutcomeUnknownException inDoubt() {
    return new OutcomeUnknownException(
        "entry of member " + self.id() + " may or may not be in its log: " + failure, failure);
  }
}
