package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.base.tls.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A server as a member of its group, through its whole life: one log to its callers, whatever is
 * behind it.
 *
 * <pre>
 *              opened with nothing to wait for, or bootstrapped alone
 *   unformed ─────────────────────────────────────────────────────────▶ solo (a plain log)
 *      │                                                                  │ the first other
 *      │ bootstrapped with others, or added to a group                    │ member is added
 *      ▼                                                                  ▼
 *      └────────────────────────────────────────────────────────────▶ raft (a replicated log)
 * </pre>
 *
 * <p>The file {@code member} (see {@link Membership}) says where a server is, and changes only when
 * all that the new place needs is on disk: a crash at any moment leaves the one or the other. There
 * is no way back; a server that left a group needs an empty directory to join another.
 */
public final class GroupMember<A> implements Consensus<A> {
  /**
   * Where a server keeps what it must not forget, and where others find it.
   *
   * @param files the plain log, and the file {@code member}
   * @param raftDirectory of its own, for a replicated log; without it there can only be one member
   * @param id its own among the members, for ever; made up at the first opening where there is none
   * @param tls by which members prove themselves to each other; without, anybody is believed
   */
  public record Place(
      FileStore files,
      Optional<Path> raftDirectory,
      String raftAddress,
      String serviceAddress,
      Optional<String> id,
      Optional<Tls> tls) {
    public Place(
        FileStore files, Optional<Path> raftDirectory, String raftAddress, String serviceAddress) {
      this(files, raftDirectory, raftAddress, serviceAddress, Optional.empty(), Optional.empty());
    }
  }

  /** A group for which this server holds itself free. */
  private record Reservation(String group, long untilNanos) {}

  private final Place place;
  private final Replica<A> replica;
  private final PeerLink link;
  private final GroupSettings settings;
  private final Events events;
  private final Clock clock;
  private final RandomGenerator random;

  /** Held while the membership changes; never while another server is asked for something. */
  private final ReentrantLock changes = new ReentrantLock();

  private @Nullable Reservation reservation; // guarded by changes
  private volatile Membership membership;
  private volatile Optional<Consensus<A>> log = Optional.empty();
  private volatile String absence = "belongs to no group yet";
  private volatile boolean closed;

  private GroupMember(
      Place place,
      Replica<A> replica,
      PeerLink link,
      GroupSettings settings,
      Events events,
      Clock clock,
      RandomGenerator random,
      Membership membership) {
    this.place = place;
    this.replica = replica;
    this.link = link;
    this.settings = settings;
    this.events = events;
    this.clock = clock;
    this.random = random;
    this.membership = membership;
  }

  /** Opens a server's place, and takes up its part in the group it belongs to. */
  public static <A> GroupMember<A> open(
      Place place,
      Replica<A> replica,
      PeerLink link,
      GroupSettings settings,
      Events events,
      Clock clock,
      RandomGenerator random)
      throws IOException {
    Optional<Membership> found = Membership.load(place.files());
    Membership membership;
    if (found.isPresent()) {
      membership = found.get();
      checkId(place, membership.id());
    } else {
      membership =
          new Membership.Unformed(
              place.id().orElseGet(() -> "m%016x".formatted(random.nextLong())));
      membership.save(place.files());
    }
    GroupMember<A> member =
        new GroupMember<>(place, replica, link, settings, events, clock, random, membership);
    member.takeUp();
    return member;
  }

  private static void checkId(Place place, String known) {
    if (!place.id().orElse(known).equals(known)) {
      throw new InvalidRequestException(
          "member "
              + place.id().get()
              + " was to be opened in "
              + place.files().describe()
              + ", which is that of member "
              + known
              + ": name that one, or none");
    }
  }

  private void takeUp() throws IOException {
    switch (membership) {
      case Membership.Unformed unformed -> {
        if (settings.formAlone()) {
          formSolo();
        }
      }
      case Membership.Solo solo -> openSolo();
      case Membership.Raft raft -> {
        checkAddresses(raft.self());
        openRaft(raft);
        dropSoloLog();
      }
    }
  }

  private void checkAddresses(Member known) {
    if (!known.equals(self())) {
      throw new InvalidRequestException(
          "member "
              + known.id()
              + " is known to its group at "
              + known.raftAddress()
              + " and "
              + known.serviceAddress()
              + ", and was started at "
              + place.raftAddress()
              + " and "
              + place.serviceAddress()
              + ": start it there, or have it replaced by a server with an empty directory");
    }
  }

  /** This server, by the addresses it was opened with. */
  public Member self() {
    return new Member(membership.id(), place.raftAddress(), place.serviceAddress());
  }

  GroupSettings settings() {
    return settings;
  }

  Events events() {
    return events;
  }

  /** What whoever joins must be able to apply. */
  int version() {
    return replica.version();
  }

  PeerLink link() {
    return link;
  }

  String newGroup() {
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  /** Those of a group this server began that are not known to take part; itself among them. */
  List<Member> forming() {
    return membership instanceof Membership.Raft raft && raft.forming() ? raft.first() : List.of();
  }

  /** All of the first members take part, and will not be asked again. */
  void formed() throws IOException {
    changes.lock();
    try {
      if (membership instanceof Membership.Raft(String group, Member self, var first, _)) {
        Membership.Raft formed = new Membership.Raft(group, self, first, false);
        formed.save(place.files());
        membership = formed;
      }
    } finally {
      changes.unlock();
    }
  }

  // ---- what other servers ask of this one: see PeerLink

  public PeerIdentity identity() {
    return new PeerIdentity(self(), membership.group(), replica.newestVersion());
  }

  /**
   * Holds this server free for a group for a while, or longer if it is already.
   *
   * @return false if it belongs to a group, or is held for another one
   */
  public boolean reserve(String group) {
    changes.lock();
    try {
      if (membership.group().isPresent() || heldForOther(group)) {
        return false;
      }
      reservation = new Reservation(group, clock.nanos() + settings.reservation().toNanos());
      return true;
    } finally {
      changes.unlock();
    }
  }

  public void release(String group) {
    changes.lock();
    try {
      if (reservation != null && reservation.group().equals(group)) {
        reservation = null;
      }
    } finally {
      changes.unlock();
    }
  }

  private boolean heldForOther(String group) {
    Reservation held = reservation;
    return held != null && !held.group().equals(group) && held.untilNanos() - clock.nanos() > 0;
  }

  /**
   * Makes this server a member: one of the first, or with none given one that the group will take
   * in. The same call twice is the same as once.
   */
  public void form(String group, String memberId, List<Member> members) {
    form(group, memberId, members, false);
  }

  /** Makes this server the first member of a group that it has yet to make others members of. */
  void begin(String group, List<Member> members) {
    form(group, membership.id(), members, true);
  }

  private void form(String group, String memberId, List<Member> members, boolean forming) {
    changes.lock();
    try {
      checkMayForm(group, memberId, members);
      if (membership.group().isPresent()) {
        return;
      }
      Membership.Raft formed = new Membership.Raft(group, self(), members, forming);
      new RatisStorage(raftDirectory()).format(group, 0);
      formed.save(place.files());
      membership = formed;
      reservation = null;
      openRaft(formed);
    } catch (IOException e) {
      throw new UnavailableException(
          "server " + place.serviceAddress() + " not made a member of " + group + ": " + e, e);
    } finally {
      changes.unlock();
    }
  }

  private void checkMayForm(String group, String memberId, List<Member> members) {
    checkOpen();
    if (!memberId.equals(membership.id())) {
      throw new InvalidRequestException(
          "server "
              + place.serviceAddress()
              + " asked to be member "
              + memberId
              + ": its id is "
              + membership.id());
    }
    membership
        .group()
        .filter(existing -> !existing.equals(group))
        .ifPresent(
            existing -> {
              throw belongsTo(existing);
            });
    if (heldForOther(group)) {
      throw new ConflictException(
          "server " + place.serviceAddress() + " is held for another group than " + group);
    }
    if (!members.isEmpty() && !members.contains(self())) {
      throw new InvalidRequestException(
          "members " + members + " for the group " + group + ": " + self() + " is not among them");
    }
    if (membership.group().isEmpty() && !replica.flushed().equals(Position.START)) {
      throw new InvalidRequestException(
          "server "
              + place.serviceAddress()
              + " holds the state of another log, up to "
              + replica.flushed()
              + ": form a group of it alone and add the others");
    }
  }

  ConflictException belongsTo(String group) {
    return new ConflictException(
        "server " + place.serviceAddress() + " belongs to the group " + group + " already");
  }

  /** The newest term this member knows; see {@link RatisConsensus#currentTerm}. */
  public long currentTerm(String memberId) {
    Consensus<A> current = log();
    if (current instanceof RatisConsensus<A> raft) {
      return raft.currentTerm(memberId);
    }
    if (!memberId.equals(membership.id())) {
      throw new NotServingException(
          "member " + memberId + " asked for its term: this is member " + membership.id());
    }
    return current.standing().term();
  }

  // ---- changes of what is behind the log

  /** Makes this server a group of its own. */
  void formSolo() throws IOException {
    changes.lock();
    try {
      checkOpen();
      if (membership.group().isPresent()) {
        throw belongsTo(membership.group().get());
      }
      Membership.Solo formed = new Membership.Solo(membership.id(), newGroup());
      formed.save(place.files());
      membership = formed;
      reservation = null;
      openSolo();
    } finally {
      changes.unlock();
    }
  }

  private void openSolo() throws IOException {
    log = Optional.of(SoloLog.open(place.files(), self(), replica, settings.solo(), events));
  }

  private void openRaft(Membership.Raft raft) throws IOException {
    log =
        Optional.of(
            RatisConsensus.open(
                raftDirectory(),
                raft.groupId(),
                raft.self(),
                raft.first(),
                replica,
                link,
                settings.raft(),
                place.tls(),
                events));
  }

  private Path raftDirectory() {
    return place
        .raftDirectory()
        .orElseThrow(
            () ->
                new InvalidRequestException(
                    "server "
                        + place.serviceAddress()
                        + " has no local directory for a replicated log: it can only be alone"));
  }

  /**
   * Turns a group of one on a plain log into a group of one on a replicated log, to which others
   * can be added. The replica stays; the new log goes on behind its flushed state, in a later term.
   * Nothing is served for the moment it takes.
   */
  void grow() {
    changes.lock();
    try {
      checkOpen();
      if (!(membership instanceof Membership.Solo(String id, String group))) {
        return;
      }
      RatisStorage storage = new RatisStorage(raftDirectory());
      Position end = endSolo();
      Membership.Raft grown = new Membership.Raft(group, self(), List.of(self()), false);
      try {
        storage.format(group, end.term());
      } catch (IOException | RuntimeException e) {
        openSolo(); // as it was
        throw e;
      }
      // If this fails, nobody knows which of the two a restart finds: neither may be written to.
      absence = "could not be made ready for other members and must be opened again";
      grown.save(place.files());
      membership = grown;
      openRaft(grown);
      dropSoloLog();
    } catch (IOException e) {
      throw new UnavailableException(
          "group of member " + membership.id() + " not made ready for others: " + e, e);
    } finally {
      changes.unlock();
    }
  }

  /** Waits until this member leads, as one that is alone soon does. */
  void awaitReady() {
    long deadline = clock.nanos() + settings.answer().toNanos();
    while (!log().standing().ready()) {
      if (clock.nanos() - deadline > 0) {
        throw new NotServingException(
            "member " + id() + " does not lead after " + settings.answer());
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Flushes all that the plain log holds and closes it. */
  private Position endSolo() throws IOException {
    Consensus<A> solo = log();
    absence = "is being made ready for other members";
    log = Optional.empty();
    solo.close();
    Position applied = new Position(solo.standing().term(), solo.standing().applied());
    Position flushed = replica.flush();
    if (!flushed.equals(applied)) {
      openSolo();
      throw new UnavailableException(
          "state of member " + membership.id() + " flushed up to " + flushed + " of " + applied);
    }
    return flushed;
  }

  /** Everything in it is in the state that the replicated log began with. */
  private void dropSoloLog() {
    try {
      for (FileInfo file : place.files().list(SoloSegments.DIRECTORY)) {
        place.files().delete(file.path());
      }
    } catch (IOException e) {
      events.publish(new RaftEvent.TidyingFailed(membership.id(), e.toString()));
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new NotServingException("member " + membership.id() + " is closed");
    }
  }

  // ---- the log

  /** What is behind it now. */
  Consensus<A> log() {
    return log.orElseThrow(() -> new NotServingException("member " + id() + " " + absence));
  }

  private String id() {
    return membership.id();
  }

  private <T> CompletableFuture<T> ask(Function<Consensus<A>, CompletableFuture<T>> question) {
    try {
      return question.apply(log());
    } catch (NotServingException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<A> propose(Bytes entry) {
    return ask(current -> current.propose(entry));
  }

  @Override
  public CompletableFuture<Void> readBarrier() {
    return ask(Consensus::readBarrier);
  }

  @Override
  public CompletableFuture<Void> changeMembers(List<Member> members) {
    return ask(current -> current.changeMembers(members));
  }

  @Override
  public CompletableFuture<Void> transferLead(String memberId) {
    return ask(current -> current.transferLead(memberId));
  }

  @Override
  public Position checkpoint() {
    return log().checkpoint();
  }

  @Override
  public long bytes() {
    return log.map(Consensus::bytes).orElse(0L);
  }

  @Override
  public Standing standing() {
    return log.map(Consensus::standing)
        .orElseGet(
            () ->
                new Standing(
                    self(),
                    Standing.Role.OBSERVER,
                    false,
                    0,
                    Optional.empty(),
                    List.of(),
                    replica.flushed().index(),
                    replica.flushed().index()));
  }

  /** Ends this server's part; what was acknowledged stays. */
  @Override
  public void close() {
    changes.lock();
    try {
      closed = true;
      absence = "is closed";
      log.ifPresent(Consensus::close);
      log = Optional.empty();
    } finally {
      changes.unlock();
    }
  }
}
