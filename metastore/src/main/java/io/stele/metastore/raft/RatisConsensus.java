package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.time.RandomSource;
import io.stele.base.tls.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.AlreadyClosedException;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;

/**
 * A log replicated by Apache Ratis, over gRPC.
 *
 * <p>What {@link #propose} returns completes on the thread that applies entries: what depends on it
 * must be quick, or go elsewhere.
 *
 * <p>Ratis' own reads are not used: a leader that was cut off answers them with old data. See
 * {@link ReadRounds} for what is done instead.
 */
public final class RatisConsensus<A> implements Consensus<A> {
  private final String group;
  private final RaftGroupId groupId;
  private final Member self;
  private final RaftPeerId peerId;
  private final RaftSettings settings;
  private final RatisStorage storage;
  private final RaftServer server;
  private final RaftServer.Division division;
  private final RatisMachine<A> machine;
  private final ReadRounds rounds;
  private final ClientId clientId;
  private final AtomicLong calls = new AtomicLong();

  private volatile boolean closed;

  private RatisConsensus(
      String group,
      Member self,
      PeerLink link,
      RaftSettings settings,
      RandomGenerator random,
      RatisStorage storage,
      RaftServer server,
      RatisMachine<A> machine)
      throws IOException {
    this.group = group;
    this.groupId = RatisNames.group(group);
    this.self = self;
    this.peerId = RaftPeerId.valueOf(self.id());
    this.settings = settings;
    this.storage = storage;
    this.server = server;
    this.division = server.getDivision(groupId);
    this.machine = machine;
    this.rounds = new ReadRounds(this::lead, link::currentTerm, settings.request());
    this.clientId = ClientId.valueOf(new UUID(random.nextLong(), random.nextLong()));
  }

  /** Makes the storage of a member that never ran, in a directory of its own. */
  public static void format(Path directory, String group, long term) throws IOException {
    new RatisStorage(directory).format(group, term);
  }

  /**
   * Starts a member on storage that {@link #format} made, or that it ran on before.
   *
   * @param group a UUID
   * @param members those the group began with; none for one that was added to it later
   * @param tls by which members prove themselves to each other; without, anybody is believed
   */
  public static <A> RatisConsensus<A> open(
      Path directory,
      String group,
      Member self,
      List<Member> members,
      Replica<A> replica,
      PeerLink link,
      RaftSettings settings,
      Optional<Tls> tls,
      Events events)
      throws IOException {
    // What Ratis would end the process for ends this member: see RatisMachine.
    ExitUtils.disableSystemExit();
    RatisStorage storage = new RatisStorage(directory);
    if (!storage.exists(group)) {
      throw new UnavailableException(
          "directory " + directory + " holds no log of the group " + group);
    }
    storage.sync();
    CompletableFuture<RaftServer> built = new CompletableFuture<>();
    RatisMachine<A> machine =
        new RatisMachine<>(
            self,
            replica,
            link,
            events,
            settings.flushEntries(),
            () -> storage.syncNames(group),
            () -> close(built.join()));
    List<RaftPeer> peers = members.stream().map(RatisNames::peer).toList();
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(RaftPeerId.valueOf(self.id()))
            .setGroup(RaftGroup.valueOf(RatisNames.group(group), peers))
            .setStateMachine(machine)
            .setProperties(RatisProperties.of(directory, self, settings))
            .setParameters(RatisSecurity.of(tls))
            .setOption(RaftStorage.StartupOption.RECOVER)
            .build();
    built.complete(server);
    try {
      RatisConsensus<A> consensus =
          new RatisConsensus<>(
              group, self, link, settings, RandomSource.system(), storage, server, machine);
      machine.attach(consensus.division, consensus::askForSnapshot);
      server.start();
      return consensus;
    } catch (ExitUtils.ExitException e) {
      close(server);
      throw new UnavailableException(
          "member " + self.id() + " not started at " + self.raftAddress() + ": " + e.getMessage(),
          e);
    } catch (IOException | RuntimeException e) {
      close(server);
      throw e;
    }
  }

  RatisStorage storage() {
    return storage;
  }

  public String group() {
    return group;
  }

  @Override
  public CompletableFuture<A> propose(Bytes entry) {
    if (entry.length() > settings.entry().bytes()) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "log entry of " + entry.length() + " bytes: at most " + settings.entry()));
    }
    if (machine.readyTerm() == 0 || closed) {
      return CompletableFuture.failedFuture(notServing("does not lead"));
    }
    RatisMachine.Proposal<A> proposal = new RatisMachine.Proposal<>(entry);
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(clientId)
            .setServerId(peerId)
            .setGroupId(groupId)
            .setCallId(calls.incrementAndGet())
            .setMessage(proposal)
            .setType(RaftClientRequest.writeRequestType())
            .build();
    try {
      var _ =
          server
              .submitClientRequestAsync(request)
              .whenComplete((reply, failure) -> settle(proposal, reply, failure));
    } catch (IOException | RuntimeException e) {
      settle(proposal, null, e);
    }
    return proposal.answer;
  }

  /** The answer came when the entry was applied; here only its absence is explained. */
  private void settle(
      RatisMachine.Proposal<A> proposal,
      @Nullable RaftClientReply reply,
      @Nullable Throwable failure) {
    if (proposal.answer.isDone()) {
      return;
    }
    Throwable cause = failure != null ? unwrap(failure) : failureOf(reply);
    if (proposal.appended()) {
      proposal.answer.completeExceptionally(
          new OutcomeUnknownException(
              "entry of member "
                  + self.id()
                  + " may or may not become part of the log: "
                  + reason(cause),
              cause));
    } else if (cause instanceof ResourceUnavailableException) {
      proposal.answer.completeExceptionally(
          new ExhaustedException(
              "member " + self.id() + " has too many entries under way: try again", cause));
    } else {
      proposal.answer.completeExceptionally(notServing("did not take the entry: " + reason(cause)));
    }
  }

  @Override
  public CompletableFuture<Void> readBarrier() {
    return rounds.await();
  }

  private ReadRounds.Lead lead() {
    DivisionInfo info = division.getInfo();
    long term = info.getCurrentTerm();
    if (closed || !info.isAlive() || !info.isLeader() || machine.readyTerm() != term) {
      throw notServing(
          info.isLeader() ? "leads, but has not applied all entries yet" : "does not lead");
    }
    RaftConfiguration conf = division.getRaftConf();
    List<Set<Member>> quorums = new ArrayList<>();
    quorums.add(new LinkedHashSet<>(RatisNames.members(conf.getCurrentPeers())));
    if (!conf.getPreviousPeers().isEmpty()) {
      quorums.add(new LinkedHashSet<>(RatisNames.members(conf.getPreviousPeers())));
    }
    return new ReadRounds.Lead(term, self, quorums);
  }

  /**
   * The newest term that this member knows: what it answers to {@link PeerLink#currentTerm}.
   *
   * @throws NotServingException if it is another one than the asker meant, or has stopped
   */
  public long currentTerm(String memberId) {
    if (!memberId.equals(self.id())) {
      throw new NotServingException(
          "member " + memberId + " asked for its term: this is member " + self.id());
    }
    if (closed || !division.getInfo().isAlive()) {
      throw notServing("has stopped");
    }
    return division.getInfo().getCurrentTerm();
  }

  @Override
  public CompletableFuture<Void> changeMembers(List<Member> members) {
    List<RaftPeer> peers = members.stream().map(RatisNames::peer).toList();
    if (peers.isEmpty()) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException("no members for a group: at least one must be left"));
    }
    return ask(
            () ->
                server.setConfigurationAsync(
                    new SetConfigurationRequest(
                        clientId, peerId, groupId, calls.incrementAndGet(), peers)),
            "did not change the members")
        .thenApply(reply -> null);
  }

  @Override
  public CompletableFuture<Void> transferLead(String memberId) {
    if (memberId.equals(self.id()) && division.getInfo().isLeader()) {
      return CompletableFuture.completedFuture(null);
    }
    return ask(
            () ->
                server.transferLeadershipAsync(
                    new TransferLeadershipRequest(
                        clientId,
                        peerId,
                        groupId,
                        calls.incrementAndGet(),
                        RaftPeerId.valueOf(memberId),
                        settings.electionMax().plus(settings.request()).toMillis())),
            "did not hand over to " + memberId)
        .thenApply(reply -> null);
  }

  @Override
  public Position checkpoint() {
    if (closed) {
      throw notServing("has stopped");
    }
    machine.flushReplica();
    Futures.join(snapshot());
    return machine.flushed();
  }

  /** A member that is being closed need not drop what is flushed. */
  private void askForSnapshot() {
    var _ = snapshot();
  }

  /** Has Ratis drop what is flushed. */
  private CompletableFuture<RaftClientReply> snapshot() {
    return ask(
        () ->
            server.snapshotManagementAsync(
                SnapshotManagementRequest.newCreate(
                    clientId,
                    peerId,
                    groupId,
                    calls.incrementAndGet(),
                    settings.catchUp().toMillis(),
                    1)),
        "did not drop what is flushed");
  }

  @Override
  public long bytes() {
    return storage.bytes();
  }

  @Override
  public Standing standing() {
    DivisionInfo info = division.getInfo();
    RaftConfiguration conf = division.getRaftConf();
    long term = info.getCurrentTerm();
    long applied = info.getLastAppliedIndex() + 1; // before what it cannot be beyond
    boolean running = !closed && info.isAlive() && !machine.hasFailed();
    boolean ready = running && info.isLeader() && machine.readyTerm() == term;
    return new Standing(
        self,
        running ? role(info, conf) : Standing.Role.OBSERVER,
        ready,
        term,
        running ? leader() : Optional.empty(),
        RatisNames.members(conf.getCurrentPeers()),
        applied,
        Math.max(applied, division.getRaftLog().getLastCommittedIndex() + 1));
  }

  private Standing.Role role(DivisionInfo info, RaftConfiguration conf) {
    if (conf.getPeer(peerId) == null) {
      return Standing.Role.OBSERVER;
    }
    return switch (info.getCurrentRole()) {
      case LEADER -> Standing.Role.LEADER;
      case CANDIDATE -> Standing.Role.CANDIDATE;
      case FOLLOWER -> Standing.Role.FOLLOWER;
      default -> Standing.Role.OBSERVER;
    };
  }

  private Optional<Member> leader() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    return leader == null
        ? Optional.empty()
        : Optional.ofNullable(division.getRaftConf().getPeer(leader)).map(RatisNames::member);
  }

  @Override
  public void close() {
    closed = true;
    try {
      close(server);
    } finally {
      machine.endFlushes();
    }
  }

  private static void close(RaftServer server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new UnavailableException("member " + server.getId() + " not stopped: " + e, e);
    }
  }

  // ---- what Ratis says, in our words

  /** A request to this server itself. */
  private interface Call {
    CompletableFuture<RaftClientReply> send() throws IOException;
  }

  private CompletableFuture<RaftClientReply> ask(Call call, String what) {
    CompletableFuture<RaftClientReply> replied;
    try {
      replied = call.send();
    } catch (IOException | RuntimeException e) {
      replied = CompletableFuture.failedFuture(e);
    }
    return replied.handle(
        (reply, failure) -> {
          if (reply != null && reply.isSuccess()) {
            return reply;
          }
          throw refused(what, failure != null ? unwrap(failure) : failureOf(reply));
        });
  }

  private SteleException refused(String what, @Nullable Throwable cause) {
    String message = "member " + self.id() + " " + what + ": " + reason(cause);
    return switch (cause) {
      case NotLeaderException e -> notServing(what + ": " + reason(e));
      case LeaderNotReadyException e -> notServing(what + ": " + reason(e));
      case LeaderSteppingDownException e -> notServing(what + ": " + reason(e));
      case AlreadyClosedException e -> notServing(what + ": " + reason(e));
      case ReconfigurationInProgressException e -> new ConflictException(message, e);
      case null, default -> new UnavailableException(message, cause);
    };
  }

  private NotServingException notServing(String what) {
    Optional<Member> leader =
        closed ? Optional.empty() : leader().filter(member -> !member.id().equals(self.id()));
    return new NotServingException(
        "member "
            + self.id()
            + " "
            + what
            + leader.map(member -> "; member " + member.id() + " leads").orElse(""),
        leader.map(Member::serviceAddress).orElse(null));
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static @Nullable Throwable failureOf(@Nullable RaftClientReply reply) {
    return reply == null ? null : reply.getException();
  }

  private static String reason(@Nullable Throwable cause) {
    return cause == null ? "no reason was given" : String.valueOf(cause.getMessage());
  }
}
