package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.engine.StoreEvent;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.cache.CachedReads;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.LockState;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.lock.KeyLockInfo;
import io.stele.metastore.lock.LockDelay;
import io.stele.metastore.lock.LockRequest;
import io.stele.metastore.raft.Position;
import io.stele.metastore.raft.Replica;
import io.stele.metastore.session.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metastore's replicated state: the same on every member that has applied the same log, down to
 * the cell, but for what is below the floor of the history. It holds the parts and routes to them;
 * {@link Rows} says where everything is stored.
 *
 * <p>Each command is one batch of the engine under a transaction number that follows from its place
 * in the log, so its changes, its answer and the place become visible, and durable, together. After
 * a crash the log is replayed from {@link #flushed}, and commands whose number the store has on
 * disk are passed over.
 *
 * <p>Threads: the calls of {@link Replica} come one at a time. Reads come from any thread, at any
 * time; while a checkpoint takes the place of the state they wait.
 */
public final class MetastoreState implements Replica<Applied>, AutoCloseable {
  private static final Answer APPLIED_BEFORE =
      new Answer.Refused(Answer.Kind.UNKNOWN, "this log entry had been applied before");

  /** The most names of one listing. */
  private static final int MAX_NAMES = 10_000;

  private final StateDirectory directory;
  private final StateSettings settings;
  private final Consumer<StoreEvent> events;
  private final List<StateListener> listeners = new CopyOnWriteArrayList<>();

  /** Held to change anything. */
  private final ReentrantLock applying = new ReentrantLock();

  /** Its read side is held while the store is read, its write side while the store is swapped. */
  private final ReentrantReadWriteLock swapping = new ReentrantReadWriteLock();

  private volatile StateTables tables; // written under both locks
  private volatile boolean closed;
  private volatile Optional<Taken> taken = Optional.empty(); // the newest fingerprint
  private volatile @Nullable Throwable broken; // why nothing more can be applied

  // Guarded by applying.
  private CommandApplier applier;
  private Position applied;
  private long replayed; // commands up to this transaction are in the store since it was opened
  private volatile Position flushed;

  private MetastoreState(
      StateDirectory directory, StateSettings settings, Consumer<StoreEvent> events) {
    this.directory = directory;
    this.settings = settings;
    this.events = events;
    this.tables = new StateTables(openStore(directory.files()), settings.limits());
    this.applier = new CommandApplier(tables);
    this.applied = tables.place();
    this.flushed = applied;
    this.replayed = tables.store.flushedTxn();
  }

  public static MetastoreState open(FileStore files, FilePath directory, StateSettings settings) {
    return open(files, directory, settings, _ -> {});
  }

  /**
   * Opens the state in a directory, or an empty one.
   *
   * @param files stay the caller's to close, after the state
   * @param events what the engine has to say
   */
  public static MetastoreState open(
      FileStore files, FilePath directory, StateSettings settings, Consumer<StoreEvent> events) {
    try {
      return new MetastoreState(StateDirectory.open(files, directory), settings, events);
    } catch (IOException e) {
      throw new UnavailableException(
          "metastore state in " + files.describe() + " cannot be opened: " + e, e);
    }
  }

  private Store openStore(FileStore files) {
    return new Store.Builder(files)
        .settings(settings.store())
        .cache(new BlockCache(settings.cache().bytes()))
        .history(StoredHistory.ALL)
        .events(events)
        .open();
  }

  /** Adds someone to be told; before the log is replayed, to miss nothing. */
  public void listen(StateListener listener) {
    listeners.add(listener);
  }

  // ---- applying the log

  @Override
  public Position flushed() {
    return flushed;
  }

  /** The newest entry that was applied or skipped. */
  public Position applied() {
    applying.lock();
    try {
      return applied;
    } finally {
      applying.unlock();
    }
  }

  @Override
  public Applied apply(Position position, Bytes entry) {
    checkUsable();
    List<Command> commands = EntryCodec.decode("log entry " + position, entry);
    applying.lock();
    try {
      if (position.index() <= applied.index()) {
        return new Applied(commands.stream().map(_ -> APPLIED_BEFORE).toList(), List.of());
      }
      Applied result = apply(position, commands);
      applied = position;
      for (StateListener listener : listeners) {
        listener.applied(position, commands, result);
      }
      return result;
    } catch (RuntimeException | Error e) {
      broken = e;
      throw e;
    } finally {
      applying.unlock();
    }
  }

  private Applied apply(Position position, List<Command> commands) {
    List<Answer> answers = new ArrayList<>(commands.size());
    List<WaitEnded> ended = new ArrayList<>(0);
    for (int i = 0; i < commands.size(); i++) {
      long txn = AppliedPlace.txn(position.index(), i + 1);
      Optional<Sweep.Target> sweepable =
          i == commands.size() - 1 ? Sweep.Target.of(commands.get(i)) : Optional.empty();
      // What may be a sweep is done when its last batch is there; a small one finds nothing again.
      long end = sweepable.isPresent() ? AppliedPlace.txn(position.index(), Sweep.END) : txn;
      if (end <= replayed) {
        answers.add(APPLIED_BEFORE);
        continue;
      }
      boolean interrupted = sweepable.isPresent() && txn <= replayed && tables.sweep().isPresent();
      Effects effects = new Effects(tables, txn);
      Answer answer =
          interrupted
              ? APPLIED_BEFORE // in part
              : applier.apply(commands.get(i), position.term(), effects);
      if (sweepable.isPresent() && (interrupted || isTooMuch(answer))) {
        Sweep sweep = new Sweep(tables, sweepable.get(), position.index(), i + 1, replayed);
        long before = tables.revision();
        answers.add(sweep.run());
        ended.addAll(sweep.ended());
        if (tables.revision() > before) {
          listeners.forEach(listener -> listener.swept(tables.revision()));
        }
        continue;
      }
      answers.add(answer);
      Optional<RevisionChanges> changes = effects.commit();
      ended.addAll(effects.ended());
      if (changes.isPresent()) {
        for (StateListener listener : listeners) {
          listener.changed(changes.get());
        }
      }
    }
    return new Applied(answers, ended);
  }

  private static boolean isTooMuch(Answer answer) {
    return answer instanceof Answer.Refused refused && refused.kind() == Answer.Kind.EXHAUSTED;
  }

  @Override
  public void skip(Position position) {
    applying.lock();
    try {
      checkUsable();
      if (position.index() > applied.index()) {
        applied = position;
      }
    } finally {
      applying.unlock();
    }
  }

  @Override
  public void leads(long term) {
    listeners.forEach(listener -> listener.leads(term));
  }

  @Override
  public void follows() {
    listeners.forEach(StateListener::follows);
  }

  @Override
  public Position flush() {
    Position reached;
    StateTables at;
    applying.lock();
    try {
      checkUsable();
      at = tables;
      reached = applied;
      long txn = AppliedPlace.txn(reached.index(), AppliedPlace.LAST);
      // During a replay the store may be ahead of the log: then the place that it knows stays.
      if (reached.index() <= flushed.index() || txn <= at.store.assignedTxn()) {
        return flushed;
      }
      at.store.applyLogged(new AppliedPlace(reached, at.revision()).batch(), txn);
    } finally {
      applying.unlock();
    }
    at.store.flush(); // while others go on
    applying.lock();
    try {
      if (at == tables && reached.index() > flushed.index()) {
        flushed = reached;
      }
      return flushed;
    } finally {
      applying.unlock();
    }
  }

  // ---- fingerprints

  /** A digest of the state behind an entry of the log. */
  private record Taken(long index, String digest) {}

  /**
   * Pins the state as it is, for a fingerprint. By a listener, when an entry has been applied: the
   * state then is the same on every member.
   *
   * @return takes the fingerprint; to be run once, on a thread that may read the whole state
   */
  public Runnable fingerprinting() {
    applying.lock();
    try {
      checkOpen();
      StateTables at = tables;
      at.retain();
      Snapshot snapshot = at.store.snapshot();
      long index = applied.index();
      return () -> {
        try (snapshot) {
          taken = Optional.of(new Taken(index, Fingerprint.of(at.store, snapshot)));
        } finally {
          releaseQuietly(at);
        }
      };
    } finally {
      applying.unlock();
    }
  }

  private void releaseQuietly(StateTables at) {
    try {
      release(at);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<String> fingerprint(long index) {
    return taken.filter(one -> one.index() == index).map(Taken::digest);
  }

  /** The newest entry of which there is a fingerprint; 0 for none. */
  public long fingerprinted() {
    return taken.map(Taken::index).orElse(0L);
  }

  // ---- checkpoints

  @Override
  public Position writeCheckpoint(OutputStream out) throws IOException {
    StateTables at;
    Position position;
    long revision;
    Snapshot snapshot;
    applying.lock();
    try {
      checkOpen();
      at = tables;
      at.retain(); // whoever takes the bytes may be slow: nobody else waits for that
      position = applied;
      revision = at.revision();
      snapshot = at.store.snapshot();
    } finally {
      applying.unlock();
    }
    try (snapshot) {
      new CheckpointWriter(out).write(at.store, snapshot, position, revision);
      return position;
    } finally {
      release(at);
    }
  }

  /** Gives up a store that is the state no longer, or that was written to a checkpoint. */
  private void release(StateTables at) throws IOException {
    if (!at.release()) {
      return;
    }
    at.store.close();
    applying.lock();
    try {
      if (!closed) {
        directory.removeLeftovers();
      }
    } finally {
      applying.unlock();
    }
  }

  @Override
  public Position installCheckpoint(InputStream in) throws IOException {
    return install(in, false);
  }

  @Override
  public Position restore(InputStream in) throws IOException {
    return install(in, true);
  }

  private Position install(InputStream in, boolean ahead) throws IOException {
    applying.lock();
    try {
      checkUsable();
      String name = directory.next();
      StateTables fresh = load(in, name, ahead);
      try {
        directory.makeCurrent(name);
      } catch (IOException | RuntimeException e) {
        broken = e; // which of the two is the state now, only opening it again can tell
        fresh.store.close();
        throw e;
      }
      swap(fresh);
      for (StateListener listener : listeners) {
        listener.installed(fresh.revision());
      }
      return flushed;
    } finally {
      applying.unlock();
    }
  }

  /** Brings a checkpoint into a directory of its own, durably; it is not the state yet. */
  private StateTables load(InputStream in, String name, boolean ahead) throws IOException {
    Store store = openStore(directory.prepare(name));
    boolean loaded = false;
    try {
      CheckpointReader checkpoint = new CheckpointReader(in);
      if (ahead) {
        checkpoint.readAheadInto(store);
      } else {
        checkpoint.readInto(store);
      }
      StateTables fresh = new StateTables(store, settings.limits());
      loaded = true;
      return fresh;
    } finally {
      if (!loaded) {
        store.close();
        directory.removeLeftovers();
      }
    }
  }

  private void swap(StateTables fresh) throws IOException {
    StateTables old = tables;
    swapping.writeLock().lock();
    try {
      tables = fresh;
      applier = new CommandApplier(fresh);
      applied = fresh.place();
      flushed = applied;
      replayed = fresh.store.flushedTxn();
    } finally {
      swapping.writeLock().unlock();
    }
    release(old);
  }

  // ---- reading, by any thread

  private <T> T reading(Function<StateTables, T> read) {
    swapping.readLock().lock();
    try {
      checkOpen();
      return read.apply(tables);
    } finally {
      swapping.readLock().unlock();
    }
  }

  /**
   * A read that must not wait, neither for a file nor while a checkpoint takes the place of the
   * state: nothing if it would have to.
   *
   * @param read by the methods of this class
   */
  public <T> Optional<T> atHand(Supplier<T> read) {
    if (!swapping.readLock().tryLock()) {
      return Optional.empty();
    }
    try {
      return CachedReads.attempt(read);
    } finally {
      swapping.readLock().unlock();
    }
  }

  /** The newest revision that readers see. */
  public long revision() {
    return tables.revision();
  }

  /** The oldest revision that can be read; 0 for all. */
  public long compacted() {
    return tables.compacted();
  }

  /** The oldest revision whose changes can be told. */
  public long oldestChanges() {
    return tables.oldestChanges();
  }

  /** How far commands have dropped the history, which they do before cluster version 3. */
  public long reclaimed() {
    return tables.reclaimed();
  }

  /** A key as it is now. */
  public Optional<KeyValue> get(Bytes key) {
    return reading(
        at -> {
          StateReader reader = new StateReader(at);
          return reader.at(0, revision -> reader.get(key, revision));
        });
  }

  /**
   * Reads a range at a revision.
   *
   * @throws io.stele.metastore.command.RefusedException if the revision is compacted, or to come
   */
  public RangeAnswer read(RangeRead read) {
    return reading(at -> new StateReader(at).read(read));
  }

  /** As {@link #read}, in an order and within bounds. */
  public RangeAnswer select(Selection selection) {
    return reading(at -> new StateReader(at).select(selection));
  }

  public Optional<Lease> lease(long id) {
    return tables.leases.get(id);
  }

  public int leaseCount() {
    return tables.leases.size();
  }

  /** What the members have agreed on. */
  public ClusterState cluster() {
    return tables.cluster();
  }

  /** What this member would have as limits. */
  public MetastoreLimits ownLimits() {
    return settings.limits();
  }

  @Override
  public int version() {
    return tables.version();
  }

  @Override
  public int newestVersion() {
    return settings.newestVersion();
  }

  /** Whether the alarm is raised that forbids to put more. */
  public boolean noSpace() {
    return tables.noSpace();
  }

  /** Leases that live, in no order. */
  public List<Lease> leases() {
    return tables.leases.all();
  }

  /** The keys that end with a lease, in their order. */
  public List<Bytes> leasedKeys(long id) {
    return reading(at -> at.leasedKeys(id));
  }

  /**
   * The names in a directory, in their order.
   *
   * @param after the last name that is not wanted; empty at first
   * @param limit the most names; 0 for as many as there may be in one answer
   */
  public List<DirectoryEntry> list(Bytes path, String after, int limit) {
    return reading(
        at ->
            new StateReader(at)
                .at(
                    0,
                    revision -> {
                      try (DirectoryListing listing = new DirectoryListing(at, path, revision)) {
                        return listing.list(
                            Bytes.utf8(after), limit < 1 ? MAX_NAMES : Math.min(limit, MAX_NAMES));
                      }
                    }));
  }

  /**
   * What revisions did, from one on: as many as fit into some bytes, and one at least if there is
   * one.
   *
   * @param previous whether to tell what was there before
   * @throws io.stele.metastore.command.RefusedException if the first one is compacted
   */
  public List<RevisionChanges> changes(long from, int maxBytes, boolean previous) {
    return changes(KeyRange.ALL, from, maxBytes, previous);
  }

  /**
   * As above, for someone who wants to know of a range: of a revision that changed very many keys
   * only those in it are told.
   *
   * @throws io.stele.metastore.command.RefusedException also if these are too many
   */
  public List<RevisionChanges> changes(KeyRange range, long from, int maxBytes, boolean previous) {
    return reading(at -> new StateReader(at).changes(range, from, maxBytes, previous));
  }

  /** Was a key of the range changed after a revision? For those who look before they commit. */
  public boolean changedAfter(KeyRange range, long revision) {
    return reading(
        at -> revision < at.revision() && !range.isEmpty() && at.isStoredAfter(range, revision));
  }

  /**
   * The answer that a session's request got; nothing if it was not done, or left no trace.
   *
   * @throws io.stele.metastore.command.RefusedException if the session is gone, or somebody else's
   */
  public Optional<Answer> answerTo(Origin origin) {
    return origin.session() == 0
        ? Optional.empty()
        : reading(at -> new Requests(at).keptFor(origin));
  }

  public AccessRules rules() {
    return tables.rules();
  }

  public Optional<Session> session(long id) {
    return tables.sessions.get(id);
  }

  /** Sessions that live, oldest first. */
  public List<Session> sessions() {
    return tables.sessions.all();
  }

  public int sessionCount() {
    return tables.sessions.size();
  }

  public int lockCount() {
    return tables.locks.size();
  }

  public LockState lockState(Bytes key) {
    KeyLockInfo lock = tables.locks.get(key);
    return new LockState(
        lock.exclusive(),
        lock.holders().stream()
            .map(holder -> new LockState.Holder(holder.session(), holder.token(), holder.count()))
            .toList(),
        lock.queue().stream().map(LockRequest::session).toList(),
        lock.delay().isPresent());
  }

  /** Requests that wait for a lock. */
  public List<LockRequest.Waiting> waiting() {
    return tables.locks.waiting();
  }

  /** Locks that stay closed for a while. */
  public List<LockDelay.Closed> delays() {
    return tables.locks.delays();
  }

  /** What it takes up, in files and in memory. */
  public long bytes() {
    return reading(at -> Fingerprint.bytes(at.store));
  }

  /** The same without what nobody can read any more, about: it goes as files are rewritten. */
  public long bytesInUse() {
    return reading(at -> Fingerprint.bytesInUse(at.store));
  }

  /** Bytes of files. */
  public long diskBytes() {
    return reading(at -> Fingerprint.diskBytes(at.store));
  }

  /** How many cells can be read, history included, but for the place in the log. Looks at all. */
  public long cellCount() {
    return reading(at -> Fingerprint.cells(at.store));
  }

  /** The same on all members that have applied the same log, whatever they flushed when. */
  public String fingerprint() {
    return reading(at -> Fingerprint.of(at.store));
  }

  private void checkUsable() {
    checkOpen();
    Throwable why = broken;
    if (why != null) {
      throw new UnavailableException(
          "metastore state takes no more changes until it is opened again: " + why, why);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new UnavailableException("metastore state is closed");
    }
  }

  /** What is not flushed is in the log. A checkpoint that is being written may end later. */
  @Override
  public void close() {
    applying.lock();
    swapping.writeLock().lock(); // always after the other one
    try {
      if (!closed) {
        closed = true;
        if (tables.release()) {
          tables.store.close();
        }
      }
    } finally {
      swapping.writeLock().unlock();
      applying.unlock();
    }
  }
}
