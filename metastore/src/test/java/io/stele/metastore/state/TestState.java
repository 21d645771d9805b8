package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.engine.StoreSettings;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.raft.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A state with a log of its own, which a test can apply, lose and replay. */
final class TestState implements AutoCloseable {
  static final FilePath DIRECTORY = FilePath.of("state");
  static final StateSettings SETTINGS =
      StateSettings.DEFAULT.withStore(StoreSettings.DEFAULT.withMemory(1 << 20, 4 << 20));

  record Logged(Position position, Optional<Bytes> entry) {}

  final List<Logged> log = new ArrayList<>();
  final List<WaitEnded> ended = new ArrayList<>();
  MemoryFileStore files = new MemoryFileStore();
  MetastoreState state;
  StateSettings settings;
  long term = 1;
  private long index;
  private long sequence;

  TestState() {
    this(SETTINGS);
  }

  /** At the newest version, with the limits of the settings. */
  TestState(StateSettings settings) {
    this(settings, ClusterVersion.NEWEST);
  }

  TestState(StateSettings settings, int version) {
    this.settings = settings;
    state = MetastoreState.open(files, DIRECTORY, settings);
    if (version > ClusterVersion.FIRST) {
      apply(new Command.SetVersion(new ClusterState(version, settings.limits())));
    }
  }

  Applied applyAll(List<Command> commands) {
    Position position = new Position(term, ++index);
    Bytes entry = EntryCodec.encode(commands);
    log.add(new Logged(position, Optional.of(entry)));
    Applied applied = state.apply(position, entry);
    ended.addAll(applied.grants());
    return applied;
  }

  Answer apply(Command command) {
    return applyAll(List.of(command)).answers().getFirst();
  }

  /** The log goes on behind a checkpoint that was installed. */
  void goOnAfter(Position position) {
    log.clear();
    term = position.term();
    index = position.index();
  }

  void skip() {
    Position position = new Position(term, ++index);
    log.add(new Logged(position, Optional.empty()));
    state.skip(position);
  }

  /** Opens the state again on the same files, without what was not flushed, and replays the log. */
  void reopen() {
    state.close();
    state = MetastoreState.open(files, DIRECTORY, settings);
    replay();
  }

  void replay() {
    Position flushed = state.flushed();
    for (Logged logged : log) {
      if (logged.position().index() > flushed.index()) {
        if (logged.entry().isPresent()) {
          state.apply(logged.position(), logged.entry().get());
        } else {
          state.skip(logged.position());
        }
      }
    }
  }

  // ---- shorthand

  static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  static KeyRange prefix(String text) {
    return KeyRange.prefix(bytes(text));
  }

  static KeyRange one(String key) {
    return KeyRange.of(bytes(key));
  }

  static Operation put(String key, String value) {
    return new Operation.Put(bytes(key), bytes(value), 0, false);
  }

  static Operation put(String key, String value, long session) {
    return new Operation.Put(bytes(key), bytes(value), session, false);
  }

  static Operation delete(String key) {
    return new Operation.Delete(one(key), false);
  }

  static Transaction transaction(Operation... operations) {
    return new Transaction(List.of(), List.of(operations), List.of(), Optional.empty());
  }

  static Transaction transaction(ReadSet reads, Operation... operations) {
    return new Transaction(List.of(), List.of(operations), List.of(), Optional.of(reads));
  }

  static Transaction when(Comparison comparison, List<Operation> then, List<Operation> otherwise) {
    return new Transaction(List.of(comparison), then, otherwise, Optional.empty());
  }

  Answer run(Transaction transaction) {
    return apply(new Command.Transact(Origin.NOBODY, transaction));
  }

  Answer run(Operation... operations) {
    return run(transaction(operations));
  }

  /** Puts a key, and returns the revision. */
  long set(String key, String value) {
    return ((Answer.Transacted) run(put(key, value))).revision();
  }

  long remove(String key) {
    return ((Answer.Transacted) run(delete(key))).revision();
  }

  long open() {
    return open("");
  }

  long open(String principal) {
    return ((Answer.SessionOpened)
            apply(new Command.OpenSession(principal, Duration.ofSeconds(5), "test", Bytes.EMPTY)))
        .session();
  }

  Origin next(long session) {
    return new Origin("", session, ++sequence, sequence);
  }

  Answer acquire(long session, String key, boolean exclusive) {
    return acquire(next(session), key, exclusive, 10, 0);
  }

  Answer acquire(Origin origin, String key, boolean exclusive, int patience, int delay) {
    return apply(
        new Command.Acquire(
            origin,
            bytes(key),
            exclusive,
            Duration.ofSeconds(patience),
            Duration.ofSeconds(delay)));
  }

  Answer release(long session, String key) {
    return apply(new Command.Release(next(session), bytes(key)));
  }

  Answer compact(long revision) {
    return apply(new Command.Compact(Origin.NOBODY, revision));
  }

  List<WaitEnded> takeEnded() {
    List<WaitEnded> taken = List.copyOf(ended);
    ended.clear();
    return taken;
  }

  // ---- looking

  static String text(KeyValue kv) {
    return kv.key().toUtf8()
        + "="
        + kv.value().toUtf8()
        + "@"
        + kv.created()
        + ","
        + kv.modified()
        + ","
        + kv.version()
        + (kv.session() == 0 ? "" : "," + kv.session());
  }

  String get(String key) {
    return state.get(bytes(key)).map(TestState::text).orElse("-");
  }

  List<String> at(long revision) {
    return at(revision, KeyRange.ALL);
  }

  List<String> at(long revision, KeyRange range) {
    return state.read(new RangeRead(range, 0, false, false, revision)).keys().stream()
        .map(TestState::text)
        .toList();
  }

  List<String> changes(long from) {
    List<String> found = new ArrayList<>();
    for (RevisionChanges revision : state.changes(from, Integer.MAX_VALUE, true)) {
      for (KeyChange change : revision.changes()) {
        found.add(
            revision.revision()
                + (change.deleted() ? " -" : " +")
                + change.now().key().toUtf8()
                + (change.deleted() ? "" : "=" + change.now().value().toUtf8())
                + change.before().map(kv -> " was " + kv.value().toUtf8()).orElse(""));
      }
    }
    return found;
  }

  @Override
  public void close() {
    state.close();
  }
}
