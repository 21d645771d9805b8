package io.stele.gateway.etcd.cluster;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.MemberIds;
import io.stele.metastore.Metastore;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.protocol.etcd.ClusterGrpc;
import io.stele.protocol.etcd.Member;
import io.stele.protocol.etcd.MemberAddRequest;
import io.stele.protocol.etcd.MemberAddResponse;
import io.stele.protocol.etcd.MemberListRequest;
import io.stele.protocol.etcd.MemberListResponse;
import io.stele.protocol.etcd.MemberPromoteRequest;
import io.stele.protocol.etcd.MemberPromoteResponse;
import io.stele.protocol.etcd.MemberRemoveRequest;
import io.stele.protocol.etcd.MemberRemoveResponse;
import io.stele.protocol.etcd.MemberUpdateRequest;
import io.stele.protocol.etcd.MemberUpdateResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The group's members as etcd's. The URL by which members reach each other is that of their native
 * addresses; those for clients are of the ports that etcd's clients use, which each member says of
 * itself. Clients that take their endpoints from the list stay on these ports. For a member that
 * does not answer, the URL it said last is told, or its native address, which speaks etcd's API
 * too. If the port for clients speaks TLS here, URLs without TLS are left out.
 */
public final class ClusterService extends ClusterGrpc.ClusterImplBase {
  private static final Duration ANSWER = Duration.ofSeconds(1);
  private static final String HTTPS = "https://";
  private static final Pattern URL = Pattern.compile("https?://([^/]+:[0-9]{1,5})/?");

  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final ExecutorService blocking;
  private final String scheme;

  /** By the id of a member, as it said last. There are as many as the group ever had members. */
  private final Map<String, String> clientUrls = new ConcurrentHashMap<>();

  /**
   * For the members of a group.
   *
   * @param secured whether the members' native addresses speak TLS
   */
  public ClusterService(EtcdCalls calls, Access access, ExecutorService blocking, boolean secured) {
    this.scheme = secured ? HTTPS : "http://";
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
    this.blocking = blocking;
  }

  @Override
  public void memberList(MemberListRequest request, StreamObserver<MemberListResponse> caller) {
    calls.answer(
        ClusterGrpc.getMemberListMethod(),
        request,
        caller,
        (metastore, who) ->
            members(metastore.status().standing().members())
                .thenApply(
                    members ->
                        MemberListResponse.newBuilder()
                            .setHeader(backend.header())
                            .addAllMembers(members)
                            .build()));
  }

  private CompletableFuture<List<Member>> members(List<io.stele.metastore.raft.Member> members) {
    String self = backend.metastore().status().standing().self().id();
    List<CompletableFuture<Member>> asked =
        members.stream().map(member -> wire(member, member.id().equals(self))).toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(all -> asked.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Member> wire(io.stele.metastore.raft.Member member, boolean self) {
    CompletableFuture<PeerIdentity> identity =
        self
            ? CompletableFuture.completedFuture(backend.admin().identify())
            : backend.admin().identify(member).orTimeout(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    return identity.handle(
        (known, failure) -> {
          if (known != null) {
            known.clientUrl().ifPresent(url -> clientUrls.put(member.id(), url));
          }
          return wire(member);
        });
  }

  private Member wire(io.stele.metastore.raft.Member member) {
    String url = scheme + member.serviceAddress();
    Member.Builder listed =
        Member.newBuilder().setID(MemberIds.of(member.id())).setName(member.id()).addPeerURLs(url);
    String forClients = clientUrls.getOrDefault(member.id(), url);
    if (forClients.startsWith(HTTPS) || !sendsToTlsAlone()) {
      listed.addClientURLs(forClients);
    }
    return listed.build();
  }

  /** Clients that have come by TLS are sent to no address without. */
  private boolean sendsToTlsAlone() {
    return backend.admin().identify().clientUrl().filter(url -> url.startsWith(HTTPS)).isPresent();
  }

  /** Adds a server that runs and waits to be made a member; it catches up first, then votes. */
  @Override
  public void memberAdd(MemberAddRequest request, StreamObserver<MemberAddResponse> caller) {
    calls.answerSteps(
        ClusterGrpc.getMemberAddMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          String address = address(request.getPeerURLsList());
          return CompletableFuture.supplyAsync(() -> add(address), blocking)
              .thenCompose(this::members)
              .thenApply(
                  members -> {
                    MemberAddResponse.Builder response =
                        MemberAddResponse.newBuilder()
                            .setHeader(backend.header())
                            .addAllMembers(members);
                    members.stream()
                        .filter(member -> member.getPeerURLs(0).equals(scheme + address))
                        .forEach(response::setMember);
                    return response.build();
                  });
        });
  }

  /** A server that does not answer is what the caller has to look after, not this one. */
  private List<io.stele.metastore.raft.Member> add(String address) {
    try {
      return backend.admin().add(address);
    } catch (UnavailableException e) {
      throw Status.FAILED_PRECONDITION
          .withDescription(
              "etcdserver: no server to add at %s%s: %s".formatted(scheme, address, e.getMessage()))
          .withCause(e)
          .asRuntimeException();
    }
  }

  @Override
  public void memberRemove(
      MemberRemoveRequest request, StreamObserver<MemberRemoveResponse> caller) {
    calls.answerSteps(
        ClusterGrpc.getMemberRemoveMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          String member = named(metastore, request.getID());
          return CompletableFuture.supplyAsync(() -> backend.admin().remove(member), blocking)
              .thenCompose(this::members)
              .thenApply(
                  members ->
                      MemberRemoveResponse.newBuilder()
                          .setHeader(backend.header())
                          .addAllMembers(members)
                          .build());
        });
  }

  static String named(Metastore metastore, long id) {
    return metastore.status().standing().members().stream()
        .map(io.stele.metastore.raft.Member::id)
        .filter(name -> MemberIds.of(name) == id)
        .findFirst()
        .orElseThrow(EtcdError.MEMBER_NOT_FOUND::exception);
  }

  /** Whoever is a member votes. */
  @Override
  public void memberPromote(
      MemberPromoteRequest request, StreamObserver<MemberPromoteResponse> caller) {
    calls.answer(
        ClusterGrpc.getMemberPromoteMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          named(metastore, request.getID());
          throw EtcdError.MEMBER_NOT_LEARNER.exception();
        });
  }

  /** A member's address is fixed, so only what it is already can be asked for. */
  @Override
  public void memberUpdate(
      MemberUpdateRequest request, StreamObserver<MemberUpdateResponse> caller) {
    calls.answer(
        ClusterGrpc.getMemberUpdateMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          String name = named(metastore, request.getID());
          String wanted = address(request.getPeerURLsList());
          String present =
              metastore.status().standing().members().stream()
                  .filter(member -> member.id().equals(name))
                  .map(io.stele.metastore.raft.Member::serviceAddress)
                  .findFirst()
                  .orElseThrow(EtcdError.MEMBER_NOT_FOUND::exception);
          if (!wanted.equals(present)) {
            throw Status.FAILED_PRECONDITION
                .withDescription(
                    "etcdserver: member %s is at %s%s and cannot move to %s%s: remove it, and add the server there"
                        .formatted(name, scheme, present, scheme, wanted))
                .asRuntimeException();
          }
          return members(metastore.status().standing().members())
              .thenApply(
                  members ->
                      MemberUpdateResponse.newBuilder()
                          .setHeader(backend.header())
                          .addAllMembers(members)
                          .build());
        });
  }

  /** The address that the one URL of a member names. */
  private static String address(List<String> urls) {
    Matcher url = URL.matcher(urls.size() == 1 ? urls.getFirst() : "");
    if (!url.matches()) {
      throw EtcdError.BAD_MEMBER_URLS.exception();
    }
    return url.group(1);
  }
}
