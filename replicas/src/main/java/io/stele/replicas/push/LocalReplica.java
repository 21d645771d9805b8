package io.stele.replicas.push;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.time.Clock;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.partition.PartitionStore;
import io.stele.replicas.push.Duty.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A replica that a server has: its cells, the changes that others have still to get, and who they
 * are.
 *
 * <pre>
 *   write ──► store ──► ring ──► a Sender for each target ──► other replicas
 *   push  ──►   │         (with where it came from)
 *               └─ durable ──► acknowledged here
 * </pre>
 *
 * <p>Any number of threads write and receive. METADATA comes from one at a time ({@link #follow}).
 */
public final class LocalReplica {
  private final Replica name;
  private final PartitionStore store;
  private final StoreMark mark;
  private final LastSeen lastSeen;
  private final ScrubMark scrubMark;
  private final Beginning beginning;
  private final SequenceMap sequences;
  private final Ring ring;
  private final Handovers handovers;
  private final Partners partners;
  private final Clock clock;
  private final HybridClock time;
  private final RandomGenerator random;
  private final PushSettings settings;
  private final Consumer<? super ReplicaEvent> events;

  // Written by follow, one thread at a time.
  private boolean started;
  private volatile Metadata metadata;
  private volatile Duty duty;
  private volatile Map<String, Sender> senders = Map.of(); // by assignment
  private volatile boolean suspect; // may be set aside, and must fill no other
  private volatile long heldBehind = Long.MAX_VALUE; // later changes are not let go of
  // How far those were that are no targets any more: some who are began with what they have.
  private final Map<String, SequenceMap.Held> formerly = new ConcurrentHashMap<>();

  private final Queue<WaitingWrite> waiting = new ConcurrentLinkedQueue<>(); // by deadline
  // What senders of changes said about others: by sender, then by who has them.
  private final Map<String, Map<String, Push.Confirmed>> said = new ConcurrentHashMap<>();

  // Shared by all that take changes, alone for the end: so that none is taken and then dropped.
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
  private boolean frozen; // guarded by gate

  LocalReplica(
      Replica name,
      PartitionStore store,
      StoreMark mark,
      LastSeen lastSeen,
      ScrubMark scrubMark,
      Beginning beginning,
      SequenceMap sequences,
      Metadata metadata,
      ReplicaParts parts,
      Handovers handovers,
      Ring ring) {
    this.name = name;
    this.store = store;
    this.mark = mark;
    this.lastSeen = lastSeen;
    this.scrubMark = scrubMark;
    this.beginning = beginning;
    this.sequences = sequences;
    this.formerly.putAll(sequences.saved());
    this.ring = ring;
    this.handovers = handovers;
    this.partners = parts.partners();
    this.clock = parts.clock();
    this.time = parts.time();
    this.random = parts.random();
    this.settings = parts.settings();
    this.events = parts.events();
    this.metadata = metadata;
    this.duty = Duty.of(metadata, name);
  }

  public Replica name() {
    return name;
  }

  public PartitionStore store() {
    return store;
  }

  /**
   * Its cells, for those who read them.
   *
   * @throws NotServingException if its log failed, so that what it has grows stale; or if it was
   *     lost, and has not been sent everything again
   */
  public PartitionStore readable() {
    checkServing();
    if (mark.isFilling()) {
      throw new NotServingException(
          "replica " + name + " was lost, and is being filled by the others");
    }
    return store;
  }

  private void checkServing() {
    store
        .failure()
        .ifPresent(
            failure -> {
              throw new NotServingException(
                  "replica " + name + " is not served, since its commit log failed: " + failure);
            });
  }

  /** What it began with, and whether it has that. */
  Beginning beginning() {
    return beginning;
  }

  public Metadata metadata() {
    return metadata;
  }

  public Duty duty() {
    return duty;
  }

  Ring ring() {
    return ring;
  }

  Handovers handovers() {
    return handovers;
  }

  Partners partners() {
    return partners;
  }

  Clock clock() {
    return clock;
  }

  HybridClock time() {
    return time;
  }

  RandomGenerator random() {
    return random;
  }

  void report(ReplicaEvent event) {
    events.accept(event);
  }

  // ---- METADATA

  /** Does what METADATA says from now on. One thread at a time; older METADATA is passed over. */
  void follow(Metadata newer) {
    if (newer.sequence() < metadata.sequence()
        || (started && newer.sequence() == metadata.sequence())) {
      heldBehind = Long.MAX_VALUE;
      return;
    }
    started = true;
    Duty before = duty;
    Duty after = Duty.of(newer, name);
    Map<String, Sender> kept = new HashMap<>();
    List<Sender> fresh = new ArrayList<>();
    for (Target target : after.targets()) {
      Sender sender = senders.get(target.assignment().id());
      if (sender == null || !sender.target().equals(target)) {
        // One that has other rows than before may lack them.
        Optional<SequenceMap.Held> held =
            sender == null
                ? Optional.ofNullable(formerly.get(target.assignment().id()))
                : Optional.empty();
        sender =
            new Sender(this, target, held.map(each -> each.atMost(store.sequence())), settings);
        fresh.add(sender);
      }
      kept.put(target.assignment().id(), sender);
    }
    Map<String, Sender> gone = senders;
    // First: a change that comes now must find those that send it, or be found by them.
    senders = Map.copyOf(kept);
    heldBehind = Long.MAX_VALUE;
    metadata = newer;
    duty = after;
    gone.values().stream().filter(each -> !kept.containsValue(each)).forEach(Sender::close);
    remember(gone, kept.keySet());
    fresh.forEach(Sender::start);
    said.keySet().retainAll(mentioned(newer));
    if (before.role() != after.role()) {
      report(new ReplicaEvent.RoleChanged(name.toString(), after.role().text()));
    }
    waiting.forEach(each -> each.look(newer));
    retryNow();
  }

  private void remember(Map<String, Sender> gone, Set<String> targets) {
    if (formerly.size() > MOST_FORMER) {
      formerly.clear(); // what is not known is sent again
    }
    gone.forEach(
        (assignment, sender) -> {
          if (!targets.contains(assignment)) {
            sender.held().ifPresent(held -> formerly.put(assignment, held));
          }
        });
    formerly.keySet().removeAll(targets);
  }

  private static final int MOST_FORMER = 64;

  /** Up to which sequence somebody has all changes, as far as is known here. */
  long confirmedBy(String assignment) {
    Sender sender = senders.get(assignment);
    return sender != null
        ? sender.confirmed()
        : formerly.getOrDefault(assignment, SequenceMap.Held.NOTHING).sequence();
  }

  /** What a target has of it, and in which store; none if it is none, or has never answered. */
  Optional<SequenceMap.Held> heldBy(String assignment) {
    return Optional.ofNullable(senders.get(assignment)).flatMap(Sender::held);
  }

  /** By those whose stores are known: nothing is known for certain of the others. */
  Map<String, SequenceMap.Held> heldByAll() {
    Map<String, SequenceMap.Held> all = new HashMap<>(formerly);
    senders.forEach(
        (assignment, sender) -> sender.held().ifPresent(held -> all.put(assignment, held)));
    return all;
  }

  /** Who may still send, or be sent, changes. */
  private Set<String> mentioned(Metadata newer) {
    Set<String> ids = new HashSet<>(said.keySet());
    Set<String> assigned = new HashSet<>();
    newer
        .partitions()
        .forEach(
            partition -> {
              partition.members().forEach(each -> assigned.add(each.id()));
              partition.joining().forEach(each -> assigned.add(each.assignment().id()));
              partition
                  .split()
                  .ifPresent(
                      split -> {
                        split.lower().members().forEach(each -> assigned.add(each.id()));
                        split.upper().members().forEach(each -> assigned.add(each.id()));
                      });
            });
    // Those that leave go on sending until they are gone; a few names more do no harm.
    return ids.size() <= 64 ? ids : assigned;
  }

  /** Servers have come or gone. */
  void retryNow() {
    senders.values().forEach(Sender::retryNow);
  }

  // ---- changes

  /**
   * Takes a change that begins here.
   *
   * @return done when as many replicas have it as was asked for; answers its sequence
   */
  public CompletableFuture<Long> write(CellBatch cells, Acks acks, long deadline) {
    Change probe = Change.of(0, cells, null, null);
    WaitingWrite write = new WaitingWrite(acks, probe.firstRow(), probe.lastRow(), deadline);
    long sequence =
        add(
            cells,
            taken -> {
              write.sequence(taken);
              waiting.add(write);
              return new Change(taken, cells, probe.firstRow(), probe.lastRow(), null, write);
            });
    if (sequence == 0) {
      throw new InvalidRequestException(
          "a change of row \"" + probe.firstRow() + "\" has no family that the table has");
    }
    senders.values().forEach(Sender::wake);
    var _ =
        store
            .whenDurable(sequence)
            .whenComplete(
                (_, failure) -> {
                  if (failure != null) {
                    write.fail(failure);
                  } else {
                    Metadata known = metadata;
                    write.durableHere(name.assignment().id(), known);
                  }
                });
    return write.answer();
  }

  /** Takes changes from another replica. */
  CompletableFuture<Push.Answer> receive(Push push) {
    checkServing();
    time.learn(push.clock());
    if (push.metadata() > metadata.sequence()) {
      partners.refresh(name.table(), push.metadata());
    }
    Change.Origin origin =
        new Change.Origin(push.from().id(), push.upTo(), push.catchUp(), clock.nanos());
    long last = 0;
    for (CellBatch batch : push.batches()) {
      if (!push.catchUp() || !store.hasAll(batch)) { // what it says is here, is durable
        last = Math.max(last, add(batch, taken -> Change.of(taken, batch, origin, null)));
      }
    }
    listen(push);
    return store.whenDurable(last).thenApply(_ -> answer());
  }

  private Push.Answer answer() {
    return new Push.Answer(metadata.sequence(), time.now(), mark.store());
  }

  /** Takes cells that a read found missing. Nobody knows who else lacks them. */
  CompletableFuture<Void> mend(CellBatch cells) {
    long last = 0;
    if (!store.hasAll(cells)) {
      Change.Origin origin = new Change.Origin("", Long.MAX_VALUE, true, clock.nanos());
      last = add(cells, sequence -> Change.of(sequence, cells, origin, null));
    }
    return store.whenDurable(last).thenAccept(_ -> {});
  }

  /** Answers the sequence; 0 if nothing of it belongs here. */
  private long add(CellBatch cells, LongFunction<Change> change) {
    if (!store.takes(cells)) {
      partners.followNow(
          name.table()); // the family may be new; else it was removed, and is left out
    }
    long sequence;
    boolean tooMuch;
    gate.readLock().lock();
    try {
      if (frozen) {
        throw new NotServingException("replica " + name + " is no longer here");
      }
      sequence = store.add(cells);
      tooMuch = sequence > 0 && ring.add(change.apply(sequence));
    } finally {
      gate.readLock().unlock();
    }
    if (tooMuch || senders.isEmpty()) {
      senders.values().forEach(Sender::settle);
      trim();
      ring.shed();
    }
    return sequence;
  }

  // ---- who has what

  /** Remembers what a sender says about others. */
  private void listen(Push push) {
    Map<String, Push.Confirmed> states =
        said.computeIfAbsent(push.from().id(), _ -> new ConcurrentHashMap<>());
    for (Push.Confirmed state : push.confirmed()) {
      states.merge(
          state.assignment(),
          state,
          (a, b) ->
              new Push.Confirmed(
                  a.assignment(),
                  Math.max(a.sequence(), b.sequence()),
                  Math.max(a.own(), b.own())));
    }
    senders.values().forEach(Sender::settle);
    trim();
  }

  /** Whether a change needs not be sent to a target, as it came from there or was sent to it. */
  boolean isSentBy(Change.Origin origin, String target) {
    if (origin.assignment().equals(target)) {
      return true;
    }
    Map<String, Push.Confirmed> states = said.get(origin.assignment());
    Push.@Nullable Confirmed state = states == null ? null : states.get(target);
    return state != null && (origin.whole() ? state.sequence() : state.own()) >= origin.sequence();
  }

  List<Push.Confirmed> confirmedByOthers(Target except) {
    List<Push.Confirmed> states = new ArrayList<>();
    for (Sender sender : senders.values()) {
      if (!sender.target().equals(except)) {
        states.add(sender.state());
      }
    }
    return states;
  }

  /** A target has confirmed all up to a sequence. */
  void acknowledgeUpTo(long sequence, String assignment, long known) {
    Metadata current = metadata;
    for (WaitingWrite write : waiting) {
      if (write.sequence() <= sequence) {
        write.heldBy(assignment, known, current);
      }
    }
  }

  /**
   * The changes that are not known to be at all targets: those that will be, wait for what follows
   * METADATA next, so that who is a target then finds what comes behind these.
   */
  Ring.Part handOn() {
    heldBehind = 0;
    Ring.Part part = ring.part();
    heldBehind = part.begin() - 1;
    long now = clock.nanos();
    String own = name.assignment().id();
    return new Ring.Part(
        part.begin(),
        part.end(),
        part.changes().stream().map(each -> each.from(own, now)).toList());
  }

  /** Lets go of changes that all targets have. */
  void trim() {
    long upTo = heldBehind;
    for (Sender sender : senders.values()) {
      upTo = Math.min(upTo, sender.confirmed());
    }
    ring.trim(upTo);
  }

  /** Of its newest changes, how many the replica that is furthest behind has not confirmed. */
  public long unconfirmed() {
    long least = store.sequence();
    long newest = least;
    for (Sender sender : senders.values()) {
      least = Math.min(least, sender.confirmed());
    }
    return newest - least;
  }

  public Push.Progress progress() {
    checkServing();
    Metadata known = metadata; // first: what is said below is so under it, or a newer one
    long sequence = store.sequence();
    List<Push.Confirmed> states = new ArrayList<>();
    for (Sender sender : senders.values()) {
      sender.settle();
      states.add(sender.state());
    }
    return new Push.Progress(
        name.assignment(),
        known.sequence(),
        sequence,
        states,
        store.bytes(),
        beginning.source(),
        mark.isFilling() || suspect,
        mark.store(),
        scrubMark.last());
  }

  LastSeen lastSeen() {
    return lastSeen;
  }

  /** When it was compared with the others. */
  public ScrubMark scrubMark() {
    return scrubMark;
  }

  // ---- filling

  StoreMark mark() {
    return mark;
  }

  /** Sends a replica that was lost everything; says whether it has it. */
  boolean fill(String assignment, String lost) {
    Sender sender = senders.get(assignment);
    return sender != null
        && beginning.isWhole()
        && !mark.isFilling()
        && !suspect
        && sender.fill(lost);
  }

  /** Whether it has corrupt data, and others are being asked whether they could fill it. */
  void suspect(boolean value) {
    suspect = value;
  }

  // ---- upkeep

  /** Ends waits that have lasted long enough. */
  void expire(long now) {
    Metadata known = metadata;
    WaitingWrite first = waiting.peek();
    while (first != null && first.expire(now, known)) {
      waiting.remove(first);
      first = waiting.peek();
    }
  }

  void save() throws IOException {
    sequences.save(heldByAll());
  }

  /**
   * Whether it may go: it is not this server's any more, there is somebody who should have it, and
   * all of those have all of it.
   */
  boolean mayGo() {
    Duty current = duty;
    return current.role() == Duty.Role.LEAVING
        && !current.targets().isEmpty()
        && beginning.isWhole()
        && allHaveAll();
  }

  /** Whether all targets have confirmed everything that is here. */
  boolean allHaveAll() {
    long sequence = store.sequence();
    Map<String, Sender> all = senders;
    for (Target target : duty.targets()) {
      Sender sender = all.get(target.assignment().id());
      if (sender == null) {
        return false;
      }
      sender.settle();
      if (sender.confirmed() < sequence) {
        return false;
      }
    }
    return true;
  }

  /**
   * Up to which sequence all targets have confirmed what is here; below all before it is known who
   * they are, above all if there are none. An erasure that somebody lacks must not be forgotten:
   * what it hides would come back from there.
   */
  long confirmedByAll() {
    long least = Long.MAX_VALUE;
    Map<String, Sender> all = senders;
    for (Target target : duty.targets()) {
      Sender sender = all.get(target.assignment().id());
      least = sender == null ? -1 : Math.min(least, sender.confirmed());
    }
    return least;
  }

  /** Takes nothing any more; says whether all is elsewhere, or else goes on. */
  boolean freezeIfMayGo() {
    gate.writeLock().lock();
    try {
      frozen = mayGo();
      return frozen;
    } finally {
      gate.writeLock().unlock();
    }
  }

  /** Stops. Its files stay. */
  void close() {
    gate.writeLock().lock();
    try {
      frozen = true;
    } finally {
      gate.writeLock().unlock();
    }
    beginning.close();
    senders.values().forEach(Sender::close);
    senders.values().forEach(Sender::awaitEnd);
    waiting.forEach(
        each ->
            each.fail(
                new OutcomeUnknownException(
                    "the server of replica " + name + " stopped before enough had a change")));
    ring.close();
    try {
      store.close();
    } catch (SteleException e) {
      report(new ReplicaEvent.BackgroundFailed("closing replica " + name, e)); // its log has all
    }
  }
}
