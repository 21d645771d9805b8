package io.stele.gateway.etcd.kv;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.CompactionResponse;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.DeleteRangeResponse;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.PutResponse;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RangeStreamResponse;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.TxnResponse;
import java.util.concurrent.CompletableFuture;

/**
 * etcd's keys. Handlers run on the threads that read from the network, so nothing in them blocks.
 */
public final class KvService extends KVGrpc.KVImplBase {
  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final RequestChecks checks;

  /**
   * Serves keys.
   *
   * @param maxBytes of a request that changes something
   * @param maxOperations of each list of a transaction
   */
  public KvService(EtcdCalls calls, Access access, int maxBytes, int maxOperations) {
    this.checks = new RequestChecks(maxBytes, maxOperations);
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
  }

  @Override
  public void range(RangeRequest request, StreamObserver<RangeResponse> caller) {
    calls.answer(
        KVGrpc.getRangeMethod(),
        request,
        caller,
        (metastore, who) -> range(metastore, access.of(who), request));
  }

  private CompletableFuture<RangeResponse> range(
      Metastore metastore, Grant grant, RangeRequest request) {
    RequestChecks.check(request);
    RequestRights.check(grant, request);
    return metastore
        .select(
            grant.principal(),
            FromEtcd.selection(request),
            request.getSerializable() ? Consistency.STALE : Consistency.LINEARIZABLE)
        .thenApply(answer -> ToEtcd.range(backend.header(answer.revision()), answer));
  }

  /** The same in pieces, so that no message is large. */
  @Override
  public void rangeStream(RangeRequest request, StreamObserver<RangeStreamResponse> caller) {
    range(request, new RangePieces((ServerCallStreamObserver<RangeStreamResponse>) caller));
  }

  @Override
  public void put(PutRequest request, StreamObserver<PutResponse> caller) {
    calls.answer(
        KVGrpc.getPutMethod(),
        request,
        caller,
        (metastore, who) -> {
          checks.checkMessage(request.getSerializedSize());
          RequestChecks.check(request);
          Grant grant = access.of(who);
          RequestRights.check(grant, request);
          checks.checkSize(request.getSerializedSize());
          return metastore
              .transact(Origin.of(grant.principal()), Transaction.of(FromEtcd.put(request)))
              .thenApply(
                  done -> ToEtcd.put(backend.header(done.revision()), done.results().getFirst()));
        });
  }

  @Override
  public void deleteRange(DeleteRangeRequest request, StreamObserver<DeleteRangeResponse> caller) {
    calls.answer(
        KVGrpc.getDeleteRangeMethod(),
        request,
        caller,
        (metastore, who) -> {
          RequestChecks.check(request);
          Grant grant = access.of(who);
          RequestRights.check(grant, request);
          return metastore
              .transact(Origin.of(grant.principal()), Transaction.of(FromEtcd.delete(request)))
              .thenApply(
                  done ->
                      ToEtcd.delete(backend.header(done.revision()), done.results().getFirst()));
        });
  }

  @Override
  public void txn(TxnRequest request, StreamObserver<TxnResponse> caller) {
    calls.answer(
        KVGrpc.getTxnMethod(),
        request,
        caller,
        (metastore, who) -> {
          checks.checkMessage(request.getSerializedSize());
          checks.check(request);
          Grant grant = access.of(who);
          RequestRights.check(grant, request);
          checks.checkSize(request.getSerializedSize());
          return metastore
              .transact(Origin.of(grant.principal()), FromEtcd.transaction(request))
              .thenApply(done -> ToEtcd.transaction(backend.header(done.revision()), done));
        });
  }

  @Override
  public void compact(CompactionRequest request, StreamObserver<CompactionResponse> caller) {
    calls.answer(
        KVGrpc.getCompactMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          grant.checkAdmin(); // it takes the past of all keys away
          if (request.getRevision() <= 0) {
            throw EtcdError.COMPACTED.exception(); // there is nothing before the empty store
          }
          return metastore
              .compact(Origin.of(grant.principal()), request.getRevision())
              .thenApply(_ -> CompactionResponse.newBuilder().setHeader(backend.header()).build());
        });
  }
}
