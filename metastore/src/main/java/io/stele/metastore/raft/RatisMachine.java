package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Brings a {@link Replica} to Ratis.
 *
 * <p>Ratis calls from several threads: entries from one, elections from others, which hold locks of
 * its own and must not be kept waiting by an entry. So calls of the replica are made under the
 * {@code gate}, and news of elections are queued: whoever has the gate, or the bringer if nobody
 * has, passes them on in their order.
 *
 * <p>The replica is flushed on a thread of its own, while entries are applied: all clients would
 * otherwise wait for what a flush writes. Ratis then takes a snapshot, which only tells it how far
 * the flush went, so that it drops that part of the log. Entries wait for the flush once twice as
 * many of them are not flushed as should be.
 *
 * <p>A replica that throws has this member stopped. To go on would be to skip an entry.
 */
final class RatisMachine<A> extends BaseStateMachine {
  /** An entry on its way, as the request that Ratis carries. Never leaves this process as such. */
  static final class Proposal<A> implements Message {
    private final Bytes entry;
    private final ByteString content;
    final CompletableFuture<A> answer = new CompletableFuture<>();

    /** True once it may be in the log: from then on a failure says nothing about its fate. */
    private volatile boolean appended;

    Proposal(Bytes entry) {
      this.entry = entry;
      this.content = UnsafeByteOperations.unsafeWrap(entry.sharedArray());
    }

    @Override
    public ByteString getContent() {
      return content;
    }

    boolean appended() {
      return appended;
    }
  }

  /** The state of a replica, which Ratis need not know more of than how far it goes. */
  private record Flushed(TermIndex at) implements SnapshotInfo {
    @Override
    public TermIndex getTermIndex() {
      return at;
    }

    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }

  /** Makes the names of the log's files durable: see {@link RatisStorage#syncNames}. */
  interface NameSync {
    void sync() throws IOException;
  }

  /** News of an election. */
  private sealed interface News {
    record Leads(long term) implements News {}

    record Follows() implements News {}
  }

  private final Member self;
  private final Replica<A> replica;
  private final PeerLink link;
  private final Events events;
  private final Runnable stop;
  private final NameSync names;
  private final long flushEntries;

  private final ExecutorService flusher =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("stele-raft-flush").daemon().factory());

  /** The last one that was due; of the thread that applies entries. */
  private CompletableFuture<Void> flush = CompletableFuture.completedFuture(null);

  /**
   * Held during a flush, and while a checkpoint replaces what would be flushed. Before the gate.
   */
  private final ReentrantLock flushing = new ReentrantLock();

  private final ReentrantLock gate = new ReentrantLock();
  private final Queue<News> news = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean failed = new AtomicBoolean();

  /** The term in which the replica was told that it leads; 0 while it follows. */
  private volatile long readyTerm;

  /** What the replica has flushed. */
  private volatile Position flushed;

  /** What of it Ratis knows. Invariant: {@code known.index() <= flushed.index()}. */
  private volatile Position known;

  private volatile RaftServer.@Nullable Division division;
  private volatile Runnable askForSnapshot = () -> {};

  /** The entry that is being applied makes this member's lead ready; the applying thread's own. */
  private boolean readyWithThis;

  /**
   * Makes the machine of one member.
   *
   * @param flushEntries after so many entries the replica is flushed
   * @param names called before each sync of the log, by the thread that writes it
   * @param stop ends the server; called once, on a thread of its own, when the replica failed
   */
  RatisMachine(
      Member self,
      Replica<A> replica,
      PeerLink link,
      Events events,
      long flushEntries,
      NameSync names,
      Runnable stop) {
    this.flushEntries = flushEntries;
    this.names = names;
    this.self = self;
    this.replica = replica;
    this.link = link;
    this.events = events;
    this.stop = stop;
    this.flushed = replica.flushed();
    this.known = flushed;
  }

  /**
   * Tells whose machine it is; before the server starts.
   *
   * @param snapshot has Ratis take a snapshot soon; must not wait for it
   */
  void attach(RaftServer.Division owner, Runnable snapshot) {
    division = owner;
    askForSnapshot = snapshot;
  }

  long readyTerm() {
    return readyTerm;
  }

  Position flushed() {
    return flushed;
  }

  boolean hasFailed() {
    return failed.get();
  }

  // ---- life

  @Override
  public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage)
      throws IOException {
    super.initialize(server, groupId, storage);
    getLifeCycle().startAndTransition(this::startFromFlushed);
  }

  private void startFromFlushed() {
    flushed = replica.flushed();
    known = flushed;
    if (flushed.index() > 0) {
      setLastAppliedTermIndex(RatisNames.termIndex(flushed));
    }
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() {
    getLifeCycle().startAndTransition(this::startFromFlushed);
  }

  @Override
  public void close() {
    tell(new News.Follows());
  }

  // ---- entries

  @Override
  public TransactionContext startTransaction(RaftClientRequest request) {
    TransactionContext context =
        TransactionContext.newBuilder()
            .setStateMachine(this)
            .setClientRequest(request)
            .setStateMachineContext(request.getMessage())
            .build();
    if (!(request.getMessage() instanceof Proposal<?>)) {
      context.setException(
          new IOException("entries come from the members themselves, not from " + request));
    }
    return context;
  }

  @Override
  public TransactionContext preAppendTransaction(TransactionContext context) {
    if (context.getStateMachineContext() instanceof Proposal<?> proposal) {
      proposal.appended = true;
    }
    return context;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext context) {
    LogEntryProto entry = context.getLogEntry();
    Position position = RatisNames.position(entry.getTerm(), entry.getIndex());
    // Only the server that was given a proposal, and still leads, has it in the context.
    Object known = context.getStateMachineContext();
    if (known instanceof Proposal<?>) {
      @SuppressWarnings("unchecked") // startTransaction put it there
      Proposal<A> proposal = (Proposal<A>) known;
      A answer = apply(position, proposal.entry);
      proposal.answer.complete(answer);
    } else {
      ByteString data = entry.getStateMachineLogEntry().getLogData();
      apply(position, Bytes.wrap(data.toByteArray()));
    }
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  private A apply(Position position, Bytes entry) {
    A answer;
    gate.lock();
    try {
      checkNotFailed();
      answer = replica.apply(position, entry);
      updateLastAppliedTermIndex(RatisNames.termIndex(position));
    } catch (RuntimeException | Error e) {
      throw failed(e, "entry " + position);
    } finally {
      gate.unlock();
      passOn();
    }
    flushIfDue(position);
    return answer;
  }

  private void skip(Position position) {
    gate.lock();
    try {
      checkNotFailed();
      replica.skip(position);
      updateLastAppliedTermIndex(RatisNames.termIndex(position));
    } catch (RuntimeException | Error e) {
      throw failed(e, "entry " + position);
    } finally {
      gate.unlock();
      passOn();
    }
    flushIfDue(position);
  }

  /** An entry that is not for the replica was committed, in its turn. */
  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    skip(RatisNames.position(term, index));
    if (readyWithThis) {
      readyWithThis = false;
      tell(new News.Leads(term));
    }
  }

  /** Not an entry in its turn: also told of what a leader says while a checkpoint is awaited. */
  @Override
  public void notifyConfigurationChanged(
      long term, long index, RaftConfigurationProto configuration) {
    events.publish(
        new RaftEvent.MembersChanged(
            self.id(),
            configuration.getPeersList().stream()
                .map(peer -> RatisNames.id(peer.getId()))
                .toList()));
  }

  /** Ratis calls it before it syncs the log, and waits: entries count only after both. */
  @Override
  public CompletableFuture<Void> flush(long index) {
    try {
      names.sync();
      return CompletableFuture.completedFuture(null);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // ---- flushes and checkpoints

  /** By the thread that applies entries. */
  private void flushIfDue(Position applied) {
    long unflushed = applied.index() - flushed.index();
    if (unflushed >= flushEntries && flush.isDone()) {
      flush = CompletableFuture.runAsync(this::flushAndTellRatis, flusher);
    }
    if (unflushed >= 2 * flushEntries) {
      Futures.join(flush);
    }
  }

  private void flushAndTellRatis() {
    try {
      flushReplica();
      askForSnapshot.run();
    } catch (UnavailableException e) {
      // The member is being stopped for it.
    }
  }

  /** Has the replica flush what was applied before the call. A failure stops the member. */
  void flushReplica() {
    flushing.lock();
    try {
      checkNotFailed();
      flushed = replica.flush();
    } catch (RuntimeException | Error e) {
      stopFor(e, "a flush");
      throw new UnavailableException("state of member " + self.id() + " not flushed: " + e, e);
    } finally {
      flushing.unlock();
    }
  }

  /** Waits for the flush that is under way; there is none after it. The server has stopped. */
  void endFlushes() {
    flusher.close();
  }

  @Override
  public long takeSnapshot() {
    known = flushed;
    return known.index() == 0 ? RaftLog.INVALID_LOG_INDEX : RatisNames.termIndex(known).getIndex();
  }

  /** Not what is flushed: Ratis would not take a snapshot of what it takes for one. */
  @Override
  public @Nullable SnapshotInfo getLatestSnapshot() {
    Position at = known;
    return at.index() == 0 ? null : new Flushed(RatisNames.termIndex(at));
  }

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstInLog) {
    Member leader = RatisNames.member(role.getFollowerInfo().getLeaderInfo().getId());
    CompletableFuture<TermIndex> installed = new CompletableFuture<>();
    Thread.ofVirtual().name("stele-checkpoint-install").start(() -> install(leader, installed));
    return installed;
  }

  private void install(Member leader, CompletableFuture<TermIndex> installed) {
    try (InputStream in = link.checkpoint(leader)) {
      Position position = install(in);
      events.publish(new RaftEvent.CheckpointInstalled(self.id(), leader.id(), position));
      installed.complete(RatisNames.termIndex(position));
    } catch (IOException | RuntimeException | Error e) {
      events.publish(new RaftEvent.CheckpointFailed(self.id(), leader.id(), e.toString()));
      installed.completeExceptionally(e);
    }
  }

  private Position install(InputStream in) throws IOException {
    flushing.lock();
    gate.lock();
    try {
      checkNotFailed();
      Position position = replica.installCheckpoint(in);
      flushed = position;
      known = position;
      return position;
    } finally {
      gate.unlock();
      flushing.unlock();
      passOn();
    }
  }

  // ---- elections

  /**
   * On the thread that applies entries, while it is at the first entry of this member's term: the
   * replica hears of that entry first.
   */
  @Override
  public void notifyLeaderReady() {
    readyWithThis = true;
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    tell(new News.Follows());
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, @Nullable RaftPeerId leader) {
    if (leader == null || !leader.toString().equals(self.id())) {
      tell(new News.Follows());
    }
  }

  private void tell(News item) {
    news.add(item);
    passOn();
  }

  /** Looks again after it has let go of the gate: news may have come when nobody could take it. */
  private void passOn() {
    while (!news.isEmpty() && !gate.isHeldByCurrentThread() && gate.tryLock()) {
      try {
        News item = news.poll();
        if (item != null) {
          handle(item);
        }
      } catch (RuntimeException | Error e) {
        stopFor(e, "an election");
      } finally {
        gate.unlock();
      }
    }
  }

  private void handle(News item) {
    switch (item) {
      case News.Leads(long term) -> {
        // Ratis gives up the role before it says so: if it is still ours here, the news that it is
        // not comes later, and behind this.
        if (leadsIn(term)) {
          replica.leads(term);
          readyTerm = term;
          events.publish(new RaftEvent.LeadTaken(self.id(), term));
        }
      }
      case News.Follows() -> {
        boolean led = readyTerm != 0;
        readyTerm = 0;
        replica.follows();
        if (led) {
          events.publish(new RaftEvent.LeadLost(self.id()));
        }
      }
    }
  }

  private boolean leadsIn(long term) {
    RaftServer.Division owner = division;
    return owner != null && owner.getInfo().isLeader() && owner.getInfo().getCurrentTerm() == term;
  }

  // ---- the end

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
    tell(new News.Follows());
    events.publish(new RaftEvent.MemberStopped(self.id()));
  }

  @Override
  public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
    stopFor(cause, "the log");
  }

  private void checkNotFailed() {
    if (failed.get()) {
      throw new IllegalStateException("member " + self.id() + " has failed");
    }
  }

  private IllegalStateException failed(Throwable cause, String what) {
    stopFor(cause, what);
    return new IllegalStateException("member " + self.id() + " failed at " + what, cause);
  }

  private void stopFor(Throwable cause, String what) {
    if (failed.compareAndSet(false, true)) {
      readyTerm = 0;
      events.publish(new RaftEvent.MemberFailed(self.id(), what + ": " + cause));
      Thread.ofPlatform().name("stele-raft-stop").daemon().start(stop);
    }
  }
}
