package io.stele.gateway.etcd.coordination;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.gateway.etcd.kv.ToEtcd;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.CampaignRequest;
import io.stele.protocol.etcd.CampaignResponse;
import io.stele.protocol.etcd.ElectionGrpc;
import io.stele.protocol.etcd.LeaderKey;
import io.stele.protocol.etcd.LeaderRequest;
import io.stele.protocol.etcd.LeaderResponse;
import io.stele.protocol.etcd.ProclaimRequest;
import io.stele.protocol.etcd.ProclaimResponse;
import io.stele.protocol.etcd.ResignRequest;
import io.stele.protocol.etcd.ResignResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;

/** etcd's elections: who created its key first is elected, and its value is what it says. */
public final class ElectionService extends ElectionGrpc.ElectionImplBase {

  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final ExecutorService blocking;
  private final RandomGenerator random;

  public ElectionService(
      EtcdCalls calls, Access access, ExecutorService blocking, RandomGenerator random) {
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
    this.blocking = blocking;
    this.random = random;
  }

  private static StatusRuntimeException unknown(String text) {
    return Status.UNKNOWN.withDescription(text).asRuntimeException();
  }

  @Override
  public void campaign(CampaignRequest request, StreamObserver<CampaignResponse> caller) {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    ((ServerCallStreamObserver<CampaignResponse>) caller)
        .setOnCancelHandler(() -> gone.complete(null));
    calls.await(
        ElectionGrpc.getCampaignMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () ->
                  Leases.under(
                      request.getLease(),
                      metastore,
                      random,
                      lease ->
                          campaign(
                              new Queue(metastore, grant, request.getName()),
                              request,
                              lease,
                              gone)),
              blocking);
        });
  }

  private CampaignResponse campaign(
      Queue queue, CampaignRequest request, long lease, CompletableFuture<Void> gone) {
    Bytes value = Ranges.value(request.getValue());
    KeyValue mine = queue.enter(lease, value);
    try {
      if (!mine.value().equals(value)) {
        proclaim(queue, mine.key(), mine.created(), lease, value);
      }
      queue.awaitTurn(mine.created(), gone);
    } catch (RuntimeException e) {
      queue.delete(mine.key()); // nobody is left who would
      throw e;
    }
    if (queue.get(mine.key()).map(KeyValue::created).orElse(0L) != mine.created()) {
      throw unknown("election: session is expired");
    }
    return CampaignResponse.newBuilder()
        .setHeader(backend.header())
        .setLeader(
            LeaderKey.newBuilder()
                .setName(request.getName())
                .setKey(Ranges.bare(mine.key()))
                .setRev(mine.created())
                .setLease(lease))
        .build();
  }

  private static Answer.Transacted proclaim(
      Queue queue, Bytes key, long created, long lease, Bytes value) {
    Answer.Transacted answer =
        queue.transact(
            Queue.created(key, created),
            List.of(new Operation.Assign(key, value, lease, false, false, false)),
            List.of());
    if (!answer.succeeded()) {
      throw unknown("election: not leader");
    }
    return answer;
  }

  @Override
  public void proclaim(ProclaimRequest request, StreamObserver<ProclaimResponse> caller) {
    LeaderKey leader = request.getLeader();
    calls.answer(
        ElectionGrpc.getProclaimMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () -> {
                Answer.Transacted answer =
                    proclaim(
                        new Queue(metastore, grant, leader.getName()),
                        Ranges.key(leader.getKey()),
                        leader.getRev(),
                        leader.getLease(),
                        Ranges.value(request.getValue()));
                return ProclaimResponse.newBuilder()
                    .setHeader(backend.header(answer.revision()))
                    .build();
              },
              blocking);
        });
  }

  @Override
  public void leader(LeaderRequest request, StreamObserver<LeaderResponse> caller) {
    calls.answer(
        ElectionGrpc.getLeaderMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () -> {
                RangeAnswer found = new Queue(metastore, grant, request.getName()).first();
                if (found.keys().isEmpty()) {
                  throw unknown("election: no leader");
                }
                return LeaderResponse.newBuilder()
                    .setHeader(backend.header(found.revision()))
                    .setKv(ToEtcd.keyValue(found.keys().getFirst()))
                    .build();
              },
              blocking);
        });
  }

  @Override
  public void resign(ResignRequest request, StreamObserver<ResignResponse> caller) {
    LeaderKey leader = request.getLeader();
    calls.answer(
        ElectionGrpc.getResignMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () -> {
                Bytes key = Ranges.key(leader.getKey());
                Answer.Transacted answer =
                    new Queue(metastore, grant, leader.getName())
                        .transact(
                            Queue.created(key, leader.getRev()),
                            List.of(new Operation.Delete(KeyRange.of(key), false)),
                            List.of());
                return ResignResponse.newBuilder()
                    .setHeader(backend.header(answer.revision()))
                    .build();
              },
              blocking);
        });
  }

  @Override
  public void observe(LeaderRequest request, StreamObserver<LeaderResponse> caller) {
    Observation.begin(
        backend, access, blocking, request, (ServerCallStreamObserver<LeaderResponse>) caller);
  }
}
