package io.stele.gateway.nativeapi;

import io.grpc.MethodDescriptor;
import io.grpc.stub.StreamObserver;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.raft.Member;
import io.stele.protocol.v1.AbortRequest;
import io.stele.protocol.v1.AbortResponse;
import io.stele.protocol.v1.AcquireRequest;
import io.stele.protocol.v1.AcquireResponse;
import io.stele.protocol.v1.AddMemberRequest;
import io.stele.protocol.v1.BackupRequest;
import io.stele.protocol.v1.BeginRequest;
import io.stele.protocol.v1.BeginResponse;
import io.stele.protocol.v1.BootstrapRequest;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.v1.CloseSessionRequest;
import io.stele.protocol.v1.CloseSessionResponse;
import io.stele.protocol.v1.CommitRequest;
import io.stele.protocol.v1.CompactRequest;
import io.stele.protocol.v1.CompactResponse;
import io.stele.protocol.v1.DeleteRequest;
import io.stele.protocol.v1.DeleteResponse;
import io.stele.protocol.v1.GetAclRequest;
import io.stele.protocol.v1.GetAclResponse;
import io.stele.protocol.v1.GetLockRequest;
import io.stele.protocol.v1.GetLockResponse;
import io.stele.protocol.v1.KeepAliveRequest;
import io.stele.protocol.v1.KeepAliveResponse;
import io.stele.protocol.v1.ListRequest;
import io.stele.protocol.v1.ListResponse;
import io.stele.protocol.v1.MembersResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.OpenSessionRequest;
import io.stele.protocol.v1.OpenSessionResponse;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.v1.PutResponse;
import io.stele.protocol.v1.RangeRequest;
import io.stele.protocol.v1.RangeResponse;
import io.stele.protocol.v1.ReadInRequest;
import io.stele.protocol.v1.ReleaseRequest;
import io.stele.protocol.v1.ReleaseResponse;
import io.stele.protocol.v1.RemoveMemberRequest;
import io.stele.protocol.v1.ReplaceMemberRequest;
import io.stele.protocol.v1.SetAclRequest;
import io.stele.protocol.v1.SetAclResponse;
import io.stele.protocol.v1.StatusRequest;
import io.stele.protocol.v1.StatusResponse;
import io.stele.protocol.v1.TransactRequest;
import io.stele.protocol.v1.TransactResponse;
import io.stele.protocol.v1.TransferLeadRequest;
import io.stele.protocol.v1.WatchRequest;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The native service over a {@link Metastore}. Handlers run on the threads that read from the
 * network, so nothing in them blocks: what takes its time runs on virtual threads.
 */
final class MetastoreService extends MetastoreGrpc.MetastoreImplBase {
  private final Backend backend;
  private final Forwarder forwarder;
  private final ExecutorService blocking;
  private final ScheduledExecutorService timer;

  MetastoreService(
      Backend backend,
      Forwarder forwarder,
      ExecutorService blocking,
      ScheduledExecutorService timer) {
    this.backend = backend;
    this.forwarder = forwarder;
    this.blocking = blocking;
    this.timer = timer;
  }

  /** How a request is put to the metastore on behalf of somebody. */
  private interface Question<A> {
    CompletableFuture<A> ask(Metastore metastore, String principal);
  }

  private <Q, R, A> void answer(
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      Question<A> question,
      Function<A, R> toWire) {
    UnaryCall<Q, R, A> call = new UnaryCall<>(forwarder, method, request, caller, toWire);
    CompletableFuture<A> answer;
    try {
      answer = question.ask(backend.metastore(), call.principal());
    } catch (RuntimeException e) {
      call.fail(e);
      return;
    }
    var _ = answer.whenComplete(call);
  }

  // ---- sessions

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> caller) {
    answer(
        MetastoreGrpc.getOpenSessionMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.openSession(
                principal,
                FromWire.millis("time to live of a session", request.getTtlMillis()),
                request.getLabel(),
                FromWire.bytes(request.getRequestId())),
        ToWire::opened);
  }

  @Override
  public void keepAlive(KeepAliveRequest request, StreamObserver<KeepAliveResponse> caller) {
    answer(
        MetastoreGrpc.getKeepAliveMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.keepAlive(principal, request.getSession()),
        timeToLive -> KeepAliveResponse.newBuilder().setTtlMillis(timeToLive.toMillis()).build());
  }

  @Override
  public void closeSession(
      CloseSessionRequest request, StreamObserver<CloseSessionResponse> caller) {
    answer(
        MetastoreGrpc.getCloseSessionMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.closeSession(principal, request.getSession()),
        done -> CloseSessionResponse.getDefaultInstance());
  }

  // ---- keys

  @Override
  public void range(RangeRequest request, StreamObserver<RangeResponse> caller) {
    answer(
        MetastoreGrpc.getRangeMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.read(
                principal, FromWire.read(request), FromWire.consistency(request.getConsistency())),
        ToWire::range);
  }

  @Override
  public void list(ListRequest request, StreamObserver<ListResponse> caller) {
    answer(
        MetastoreGrpc.getListMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.list(
                principal,
                FromWire.directory(request.getDirectory()),
                request.getAfter(),
                FromWire.limit(request.getLimit()),
                FromWire.consistency(request.getConsistency())),
        ToWire::list);
  }

  @Override
  public void put(PutRequest request, StreamObserver<PutResponse> caller) {
    answer(
        MetastoreGrpc.getPutMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.transact(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                FromWire.transaction(request)),
        ToWire::put);
  }

  @Override
  public void delete(DeleteRequest request, StreamObserver<DeleteResponse> caller) {
    answer(
        MetastoreGrpc.getDeleteMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.transact(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                FromWire.transaction(request)),
        ToWire::delete);
  }

  @Override
  public void transact(TransactRequest request, StreamObserver<TransactResponse> caller) {
    answer(
        MetastoreGrpc.getTransactMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.transact(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                FromWire.transaction(request)),
        ToWire::transacted);
  }

  // ---- interactive transactions

  @Override
  public void begin(BeginRequest request, StreamObserver<BeginResponse> caller) {
    answer(
        MetastoreGrpc.getBeginMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.begin(principal, request.getSession()),
        ToWire::begun);
  }

  @Override
  public void readIn(ReadInRequest request, StreamObserver<RangeResponse> caller) {
    answer(
        MetastoreGrpc.getReadInMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.readIn(principal, request.getTransaction(), FromWire.read(request)),
        ToWire::range);
  }

  @Override
  public void commit(CommitRequest request, StreamObserver<TransactResponse> caller) {
    answer(
        MetastoreGrpc.getCommitMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.commit(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                request.getTransaction(),
                FromWire.comparisons(request.getGuardsList()),
                FromWire.operations(request.getWritesList())),
        ToWire::transacted);
  }

  @Override
  public void abort(AbortRequest request, StreamObserver<AbortResponse> caller) {
    answer(
        MetastoreGrpc.getAbortMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.abort(principal, request.getTransaction()),
        done -> AbortResponse.getDefaultInstance());
  }

  // ---- locks

  @Override
  public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> caller) {
    UnaryCall<AcquireRequest, AcquireResponse, Long> call =
        new UnaryCall<>(
            forwarder,
            MetastoreGrpc.getAcquireMethod(),
            request,
            caller,
            token -> AcquireResponse.newBuilder().setToken(token).build());
    CompletableFuture<Long> answer;
    try {
      Origin origin = FromWire.origin(call.principal(), request.hasOrigin(), request.getOrigin());
      answer =
          backend
              .metastore()
              .acquire(
                  origin,
                  FromWire.key(request.getKey()),
                  request.getExclusive(),
                  FromWire.millis("wait for a lock", request.getWaitMillis()),
                  FromWire.millis("delay of a lock", request.getDelayMillis()));
    } catch (RuntimeException e) {
      call.fail(e);
      return;
    }
    call.endWithCaller(answer); // nobody must be granted a lock that they no longer wait for
    var _ = answer.whenComplete(call);
  }

  @Override
  public void release(ReleaseRequest request, StreamObserver<ReleaseResponse> caller) {
    answer(
        MetastoreGrpc.getReleaseMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.release(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                FromWire.key(request.getKey())),
        done -> ReleaseResponse.getDefaultInstance());
  }

  @Override
  public void getLock(GetLockRequest request, StreamObserver<GetLockResponse> caller) {
    answer(
        MetastoreGrpc.getGetLockMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.lockState(principal, FromWire.key(request.getKey())),
        ToWire::lock);
  }

  // ---- history and rights

  @Override
  public void watch(WatchRequest request, StreamObserver<WatchResponse> caller) {
    WatchStream.serve(backend, request, caller, timer);
  }

  @Override
  public void compact(CompactRequest request, StreamObserver<CompactResponse> caller) {
    answer(
        MetastoreGrpc.getCompactMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.compact(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                request.getRevision()),
        done -> CompactResponse.getDefaultInstance());
  }

  @Override
  public void setAcl(SetAclRequest request, StreamObserver<SetAclResponse> caller) {
    answer(
        MetastoreGrpc.getSetAclMethod(),
        request,
        caller,
        (metastore, principal) ->
            metastore.setAcl(
                FromWire.origin(principal, request.hasOrigin(), request.getOrigin()),
                FromWire.directory(request.getDirectory()),
                FromWire.acl(request.getEntriesList())),
        done -> SetAclResponse.getDefaultInstance());
  }

  @Override
  public void getAcl(GetAclRequest request, StreamObserver<GetAclResponse> caller) {
    answer(
        MetastoreGrpc.getGetAclMethod(),
        request,
        caller,
        (metastore, principal) -> metastore.acl(principal, FromWire.directory(request.getPath())),
        ToWire::acl);
  }

  // ---- members and upkeep

  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> caller) {
    StatusResponse response;
    try {
      response =
          backend
              .metastoreIfServed()
              .map(metastore -> ToWire.status(metastore.status()))
              .orElseGet(() -> ToWire.waiting(backend.admin().identify()));
    } catch (RuntimeException e) {
      caller.onError(ErrorMapping.toStatus(e));
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }

  private <Q> void administer(
      MethodDescriptor<Q, MembersResponse> method,
      Q request,
      StreamObserver<MembersResponse> caller,
      Supplier<List<Member>> change) {
    UnaryCall<Q, MembersResponse, List<Member>> call =
        new UnaryCall<>(forwarder, method, request, caller, ToWire::members);
    var _ = CompletableFuture.supplyAsync(change, blocking).whenComplete(call);
  }

  @Override
  public void bootstrap(BootstrapRequest request, StreamObserver<MembersResponse> caller) {
    administer(
        MetastoreGrpc.getBootstrapMethod(),
        request,
        caller,
        () -> backend.admin().bootstrap(List.copyOf(request.getServiceAddressesList())));
  }

  @Override
  public void addMember(AddMemberRequest request, StreamObserver<MembersResponse> caller) {
    administer(
        MetastoreGrpc.getAddMemberMethod(),
        request,
        caller,
        () -> backend.admin().add(request.getServiceAddress()));
  }

  @Override
  public void removeMember(RemoveMemberRequest request, StreamObserver<MembersResponse> caller) {
    administer(
        MetastoreGrpc.getRemoveMemberMethod(),
        request,
        caller,
        () -> backend.admin().remove(request.getMember()));
  }

  @Override
  public void replaceMember(ReplaceMemberRequest request, StreamObserver<MembersResponse> caller) {
    administer(
        MetastoreGrpc.getReplaceMemberMethod(),
        request,
        caller,
        () -> backend.admin().replace(request.getMember(), request.getServiceAddress()));
  }

  @Override
  public void transferLead(TransferLeadRequest request, StreamObserver<MembersResponse> caller) {
    administer(
        MetastoreGrpc.getTransferLeadMethod(),
        request,
        caller,
        () -> backend.admin().transferLead(request.getMember()));
  }

  /** It holds all keys: where it is known who asks, whoever may not read them all gets none. */
  @Override
  public void backup(BackupRequest request, StreamObserver<Chunk> caller) {
    CallInfo call = CallInfo.current();
    ChunkOutput.send(
        caller,
        blocking,
        out -> {
          Metastore metastore = backend.metastore();
          if (call.proven()) {
            checkReadsAll(metastore, call.principal());
          }
          metastore.backup(out);
        });
  }

  private static void checkReadsAll(Metastore metastore, String principal) {
    RangeRead any = new RangeRead(KeyRange.prefix(PathKey.ROOT), 1, true, false, 0);
    try {
      var _ = metastore.read(principal, any, Consistency.STALE).join();
    } catch (CompletionException e) {
      throw ErrorMapping.fromThrown("a backup holds all keys", e);
    }
  }

  @Override
  public StreamObserver<Chunk> restore(StreamObserver<MembersResponse> caller) {
    return ChunkInput.receive(caller, blocking, in -> ToWire.members(backend.admin().restore(in)));
  }
}
