package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.metastore.Consistency;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.LeaseState;
import io.stele.metastore.LockState;
import io.stele.metastore.Metastore;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.TransactionStart;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.raft.Consensus;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.Replica;
import io.stele.metastore.state.AccessRules.Right;
import io.stele.metastore.state.MetastoreState;
import io.stele.metastore.state.StateSettings;
import io.stele.metastore.txn.TransactionGround;
import io.stele.metastore.txn.TransactionTable;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchHub;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One member of the metastore, at work. It holds the parts and routes to them.
 *
 * <pre>
 *   changes  ──▶ {@link Proposer} ──▶ log ──▶ state ──▶ {@link StateEvents} ──▶ watches, locks, duties
 *   reads    ──▶ {@link ReadBarriers} ──▶ state
 *   time     ──▶ {@link LeaderDuties} ──▶ Proposer
 * </pre>
 *
 * <p>Threads: calls run on the caller's thread as far as they cannot block, reads that may on a
 * virtual thread; answers to changes come on the thread that applies the log, so whoever gets them
 * must be quick. One thread looks for deadlines, a few serve watchers.
 *
 * <pre>{@code
 * MetastoreNode node =
 *     new MetastoreNode.Builder(files, state -> SoloLog.open(files, self, state, solo, events))
 *         .settings(settings)
 *         .open();
 * }</pre>
 */
public final class MetastoreNode implements Metastore, AutoCloseable {
  /** Opens the log over a state: the way in which a group of one, or of several, plugs in. */
  public interface LogOpener {
    /** May already tell the replica to lead; answers when the log takes proposals. */
    Consensus<Applied> open(Replica<Applied> replica) throws IOException;
  }

  private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

  private static final int MOST_NAMES = 10_000; // of a directory, in one answer

  private final NodeSettings settings;
  private final Supplier<String> group;
  private final Events events;
  private final MetastoreState state;
  private final ExecutorService blocking; // for what may read from disk
  private final Proposer proposer;
  private final ReadBarriers barriers;
  private final TransactionTable transactions;
  private final WatchHub watches;
  private final LockWaits lockWaits;
  private final LeaderDuties duties;
  private final @Nullable ScheduledExecutorService ticker;
  private volatile @Nullable Consensus<Applied> log; // null until it is open
  private volatile int
      limit; // of entries in flight, for as many members as there are; 0 if unknown
  private volatile boolean closed;

  private MetastoreNode(Builder builder) throws IOException {
    settings = builder.settings;
    group = builder.group;
    events = builder.events;
    state =
        MetastoreState.open(
            builder.files, builder.directory, builder.state, builder.events::publish);
    blocking =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("stele-metastore-", 0).factory());
    proposer = new Proposer(settings, entry -> log().propose(entry), this::entriesInFlight);
    barriers = new ReadBarriers(builder.clock, settings.lease(), () -> log().readBarrier());
    transactions =
        new TransactionTable(
            settings.transactions(),
            builder.clock,
            new StateGround(state, proposer, barriers),
            blocking);
    watches = new WatchHub(settings.watch(), new StateHistory(state));
    HistoryRetention history =
        new HistoryRetention(
            settings.history(),
            settings.historyRevisions(),
            settings.reclaim(),
            state,
            proposer,
            builder.events);
    Optional<PeerLink> link = builder.link;
    VersionDuty version =
        new VersionDuty(
            state,
            proposer,
            () -> log().standing(),
            member ->
                asking(link, to -> to.identify(member.serviceAddress()))
                    .thenApply(PeerIdentity::version));
    FingerprintDuty fingerprints =
        new FingerprintDuty(
            settings.fingerprints(),
            state,
            proposer,
            () -> log().standing(),
            (member, index) -> asking(link, to -> to.fingerprint(member, index)),
            builder.events,
            blocking);
    duties =
        new LeaderDuties(
            settings,
            builder.clock,
            state,
            proposer,
            transactions,
            history,
            version,
            fingerprints,
            builder.events,
            () -> log().standing().self().id());
    lockWaits = new LockWaits(duties::endWait, duties::endGrant);
    state.listen(
        new StateEvents(
            duties, fingerprints, events, transactions, watches, lockWaits, this::leadLost));
    ticker = settings.tick().isZero() ? null : startTicker();
    boolean opened = false;
    try {
      log = builder.opener.open(state);
      opened = true;
      if (ticker != null) {
        ticker.execute(this::tickSafely); // one that is alone is at the newest version at once
      }
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  private static <T> CompletableFuture<T> asking(
      Optional<PeerLink> link, Function<PeerLink, CompletableFuture<T>> question) {
    return link.map(question)
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new UnavailableException("this member was opened without a link to others")));
  }

  private ScheduledExecutorService startTicker() {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("stele-metastore-time").daemon().factory());
    long nanos = settings.tick().toNanos();
    var _ = thread.scheduleWithFixedDelay(this::tickSafely, nanos, nanos, TimeUnit.NANOSECONDS);
    return thread;
  }

  private Consensus<Applied> log() {
    Consensus<Applied> open = log;
    if (closed) {
      throw closedHere();
    }
    if (open == null) {
      throw new NotServingException("the metastore is being opened here");
    }
    return open;
  }

  private int entriesInFlight() {
    int known = limit;
    return known > 0 ? known : settings.soloEntriesInFlight();
  }

  /** Looks for deadlines that have passed. Only for those who open it without ticks. */
  public void tick() {
    Consensus<Applied> open = log;
    if (open != null && !closed) {
      limit =
          open.standing().members().size() > 1
              ? settings.entriesInFlight()
              : settings.soloEntriesInFlight();
      duties.tick();
    }
  }

  private void tickSafely() {
    try {
      tick();
    } catch (SteleException e) {
      limit = 0; // closing, or between two logs: the next tick finds out
    } catch (RuntimeException e) {
      events.publish(new NodeEvent.DutiesFailed(e)); // the next tick tries again
    }
  }

  private void leadLost() {
    barriers.leadLost();
    // Not on this thread, which belongs to the log: notLeading asks the log who leads now.
    blocking.execute(
        () -> lockWaits.fail(closed ? closedHere() : notLeading("the wait for the lock")));
  }

  private static UnavailableException closedHere() {
    return new UnavailableException("the metastore is closed here");
  }

  private NotServingException notLeading(String what) {
    Consensus<Applied> open = log;
    Optional<Member> leader = open == null ? Optional.empty() : open.standing().leader();
    return new NotServingException(
        what + " goes on at another member: this one leads no longer",
        leader.map(Member::serviceAddress).orElse(null));
  }

  // ---- sessions

  @Override
  public CompletableFuture<Answer.SessionOpened> openSession(
      String principal, Duration timeToLive, String label, Bytes requestId) {
    if (timeToLive.compareTo(settings.shortestSession()) < 0
        || timeToLive.compareTo(settings.longestSession()) > 0) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "session with a time to live of "
                  + timeToLive
                  + ": must be from "
                  + settings.shortestSession()
                  + " to "
                  + settings.longestSession()));
    }
    if (state.sessionCount() >= settings.limits().sessions()) {
      return tooMany(state.sessionCount() + " sessions live");
    }
    return change(
        new Command.OpenSession(principal, timeToLive, label, requestId),
        Answer.SessionOpened.class);
  }

  @Override
  public CompletableFuture<Duration> keepAlive(String principal, long session) {
    return afterBarrier(() -> duties.renew(principal, session));
  }

  @Override
  public CompletableFuture<Void> closeSession(String principal, long session) {
    return done(new Command.CloseSession(principal, session));
  }

  // ---- keys

  @Override
  public CompletableFuture<RangeAnswer> read(
      String principal, RangeRead read, Consistency consistency) {
    return Outcomes.of(
        () -> {
          checkRead(read);
          return reading(
              barriers.before(consistency),
              read.range().isSingle(),
              () -> {
                checkRight(principal, read.range());
                return state.read(read);
              });
        });
  }

  @Override
  public CompletableFuture<RangeAnswer> select(
      String principal, Selection selection, Consistency consistency) {
    return Outcomes.of(
        () ->
            reading(
                barriers.before(consistency),
                selection.range().isSingle(),
                () -> {
                  checkRight(principal, selection.range());
                  return state.select(selection);
                }));
  }

  @Override
  public CompletableFuture<List<DirectoryEntry>> list(
      String principal, Bytes directory, String after, int limit, Consistency consistency) {
    return Outcomes.of(
        () -> {
          checkDirectory(directory);
          if (limit < 0) {
            throw new InvalidRequestException("limit of " + limit + ": must not be negative");
          }
          return reading(
              barriers.before(consistency),
              false,
              () -> {
                checkRight(principal, KeyRange.prefix(PathKey.prefixOf(directory)));
                return state.list(
                    directory, after, limit == 0 ? MOST_NAMES : Math.min(limit, MOST_NAMES));
              });
        });
  }

  @Override
  public CompletableFuture<Answer.Transacted> transact(Origin origin, Transaction transaction) {
    return change(new Command.Transact(origin, transaction), Answer.Transacted.class);
  }

  // ---- leases

  @Override
  public CompletableFuture<Answer.LeaseGranted> grantLease(long id, Duration timeToLive) {
    return state.leaseCount() >= settings.limits().leases()
        ? tooMany(state.leaseCount() + " leases live")
        : change(new Command.GrantLease(id, timeToLive), Answer.LeaseGranted.class);
  }

  @Override
  public CompletableFuture<Void> revokeLease(String principal, long id) {
    return done(new Command.RevokeLease(principal, id));
  }

  @Override
  public CompletableFuture<Duration> renewLease(long id) {
    return afterBarrier(() -> duties.renewLease(id));
  }

  @Override
  public CompletableFuture<LeaseState> leaseState(String principal, long id) {
    return Outcomes.of(
        () ->
            reading(
                barriers.linearizable(),
                false,
                () -> {
                  Duration remaining = duties.remaining(id);
                  List<Bytes> keys = state.leasedKeys(id);
                  keys.forEach(key -> checkRight(principal, KeyRange.of(key)));
                  Duration whole = state.lease(id).map(Lease::timeToLive).orElse(remaining);
                  return new LeaseState(remaining, whole, keys);
                }));
  }

  @Override
  public CompletableFuture<List<Long>> leases() {
    return afterBarrier(() -> state.leases().stream().map(Lease::id).toList());
  }

  // ---- interactive transactions

  @Override
  public CompletableFuture<TransactionStart> begin(String principal, long session) {
    return guarded(
        () ->
            transactions
                .begin(principal, session)
                .thenApply(begun -> new TransactionStart(begun.id(), begun.revision())));
  }

  @Override
  public CompletableFuture<RangeAnswer> readIn(
      String principal, String transaction, RangeRead read) {
    return guarded(
        () -> {
          checkRead(read);
          if (read.revision() != 0) {
            throw new InvalidRequestException(
                "read at revision "
                    + read.revision()
                    + " in transaction "
                    + transaction
                    + ": it reads at its own; must be 0");
          }
          return whileLeading(
              () ->
                  NOTHING
                      .thenComposeAsync(
                          _ -> transactions.read(principal, transaction, readOf(read)), blocking)
                      .thenApply(
                          found ->
                              new RangeAnswer(
                                  state.revision(), found.keys(), found.more(), found.count())));
        });
  }

  @Override
  public CompletableFuture<Answer.Transacted> commit(
      Origin origin, String transaction, List<Comparison> guards, List<Operation> writes) {
    return guarded(
        () -> whileLeading(() -> transactions.commit(origin, transaction, guards, writes)));
  }

  @Override
  public CompletableFuture<Void> abort(String principal, String transaction) {
    return guarded(
        () ->
            whileLeading(
                () -> {
                  transactions.abort(principal, transaction);
                  return CompletableFuture.completedFuture(null);
                }));
  }

  /** Elsewhere the barrier fails and says who leads: only there the transaction is known. */
  private <T extends @Nullable Object> CompletableFuture<T> whileLeading(
      Supplier<CompletableFuture<T>> action) {
    return duties.isLeading()
        ? action.get()
        : barriers.linearizable().thenCompose(confirmed -> action.get());
  }

  // ---- locks

  @Override
  public CompletableFuture<Long> acquire(
      Origin origin, Bytes key, boolean exclusive, Duration patience, Duration delay) {
    LockWaits.Request request = new LockWaits.Request(key, origin.session(), origin.sequence());
    CompletableFuture<Long> caller = lockWaits.enter(request);
    var _ =
        propose(new Command.Acquire(origin, key, exclusive, patience, delay))
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    lockWaits.failed(request, caller, Outcomes.problem(failure));
                  } else if (answer instanceof Answer.Granted) {
                    lockWaits.ended(
                        new Applied.WaitEnded(key, origin.session(), origin.sequence(), answer));
                  }
                });
    return caller;
  }

  @Override
  public CompletableFuture<Void> release(Origin origin, Bytes key) {
    return done(new Command.Release(origin, key));
  }

  @Override
  public CompletableFuture<LockState> lockState(String principal, Bytes key) {
    return afterBarrier(
        () -> {
          checkRight(principal, KeyRange.of(PathKey.check(key)));
          return state.lockState(key);
        });
  }

  // ---- history

  @Override
  public Watch watch(String principal, WatchRequest request, WatchSink sink) {
    log();
    checkRight(principal, request.range());
    return watches.watch(
        request,
        sink,
        () ->
            state.rules().denial(principal, request.range(), Right.READ).map(DeniedException::new));
  }

  @Override
  public CompletableFuture<Void> compact(Origin origin, long revision) {
    return done(new Command.Compact(origin, revision));
  }

  // ---- rights

  @Override
  public CompletableFuture<Void> setAcl(Origin origin, Bytes directory, List<AclEntry> entries) {
    return done(new Command.SetAcl(origin, directory, entries));
  }

  @Override
  public CompletableFuture<List<AclEntry>> acl(String principal, Bytes path) {
    return afterBarrier(
        () -> {
          checkDirectory(path);
          checkRight(principal, KeyRange.of(path));
          return state.rules().of(path);
        });
  }

  // ---- upkeep

  @Override
  public MetastoreStatus status() {
    return new MetastoreStatus(
        group.get(),
        log().standing(),
        state.revision(),
        state.compacted(),
        state.sessionCount(),
        state.lockCount(),
        watches.size(),
        transactions.size(),
        state.diskBytes(),
        state.bytes(),
        state.bytesInUse(),
        log().bytes(),
        settings.limits().quota().bytes(),
        state.noSpace());
  }

  @Override
  public long revision() {
    return state.revision();
  }

  @Override
  public void backup(OutputStream out) throws IOException {
    log();
    state.writeCheckpoint(out);
  }

  /** For members that catch up, and those who look after the log. */
  public Replica<Applied> replica() {
    return state;
  }

  /** Answers what is under way, ends watches and waits, and closes log and state. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (ticker != null) {
      ticker.shutdownNow();
    }
    proposer.close();
    Consensus<Applied> open = log;
    if (open != null) {
      open.close();
    }
    lockWaits.fail(closedHere());
    watches.close();
    transactions.follows();
    blocking.shutdown();
    state.close();
  }

  // ---- how changes and reads go

  private static <T> CompletableFuture<T> tooMany(String what) {
    return CompletableFuture.failedFuture(
        new ExhaustedException(what + ": there may be no more (settings metastore.limits)"));
  }

  private CompletableFuture<Answer> propose(Command command) {
    return Outcomes.of(
        () -> {
          log();
          return proposer.propose(command);
        });
  }

  private <T extends Answer> CompletableFuture<T> change(Command command, Class<T> type) {
    return Outcomes.plain(propose(command).thenApply(type::cast));
  }

  private CompletableFuture<Void> done(Command command) {
    return Outcomes.plain(propose(command).thenAccept(answer -> {}));
  }

  private <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> action) {
    return Outcomes.plain(
        Outcomes.of(
            () -> {
              log();
              return action.get();
            }));
  }

  private <T> CompletableFuture<T> afterBarrier(Supplier<T> action) {
    return Outcomes.of(() -> reading(barriers.linearizable(), true, action));
  }

  /**
   * Reads after a barrier.
   *
   * @param small whether it takes no longer than handing it to another thread: then it is done on
   *     the caller's thread, unless it would have to wait there for the barrier or for a file
   */
  private <T> CompletableFuture<T> reading(
      CompletableFuture<Void> barrier, boolean small, Supplier<T> read) {
    log();
    if (small && barrier.isDone() && !barrier.isCompletedExceptionally()) {
      Optional<T> found = state.atHand(() -> Refusals.reading(read));
      if (found.isPresent()) {
        return CompletableFuture.completedFuture(found.get());
      }
    }
    return Outcomes.plain(barrier.thenApplyAsync(confirmed -> Refusals.reading(read), blocking));
  }

  private void checkRight(String principal, KeyRange range) {
    Optional<String> denial = state.rules().denial(principal, range, Right.READ);
    if (denial.isPresent()) {
      throw new DeniedException(denial.get());
    }
  }

  private static void checkDirectory(Bytes directory) {
    Optional<String> problem = PathKey.directoryProblem(directory);
    if (problem.isPresent()) {
      throw new InvalidRequestException(problem.get());
    }
  }

  private static void checkRead(RangeRead read) {
    if (read.limit() < 0 || read.revision() < 0) {
      throw new InvalidRequestException(
          "limit "
              + read.limit()
              + ", revision "
              + read.revision()
              + ": neither may be negative; 0 for the server's limit and the newest revision");
    }
  }

  private static TransactionGround.Read readOf(RangeRead read) {
    return new TransactionGround.Read(
        read.range(), read.limit(), read.keysOnly(), read.countOnly());
  }

  /** Says how to open a member. */
  public static final class Builder {
    private final FileStore files;
    private final LogOpener opener;
    private FilePath directory = FilePath.of("state");
    private NodeSettings settings = NodeSettings.DEFAULT;
    private StateSettings state = StateSettings.DEFAULT;
    private Clock clock = Clock.system();
    private Events events = new Events((event, problem) -> {});
    private Supplier<String> group = () -> "";
    private Optional<PeerLink> link = Optional.empty();

    /** The files stay the caller's to close, after the member. */
    public Builder(FileStore files, LogOpener opener) {
      this.files = files;
      this.opener = opener;
    }

    /** Where the state is kept; {@code state} if nothing is said. */
    public Builder directory(FilePath value) {
      directory = value;
      return this;
    }

    public Builder settings(NodeSettings value) {
      settings = value;
      return this;
    }

    public Builder state(StateSettings value) {
      state = value;
      return this;
    }

    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    public Builder events(Events value) {
      events = value;
      return this;
    }

    /** What the group is called; asked for whenever somebody wants to know. */
    public Builder group(Supplier<String> value) {
      group = value;
      return this;
    }

    /** How to ask other members what they can apply, and for fingerprints. */
    public Builder link(PeerLink value) {
      link = Optional.of(value);
      return this;
    }

    public MetastoreNode open() throws IOException {
      return new MetastoreNode(this);
    }
  }
}
