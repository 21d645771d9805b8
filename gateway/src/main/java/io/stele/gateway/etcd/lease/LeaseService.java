package io.stele.gateway.etcd.lease;

import io.grpc.stub.StreamObserver;
import io.stele.base.error.ConflictException;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.LeaseState;
import io.stele.metastore.Metastore;
import io.stele.metastore.command.Answer;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrantResponse;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LeaseKeepAliveRequest;
import io.stele.protocol.etcd.LeaseKeepAliveResponse;
import io.stele.protocol.etcd.LeaseLeasesRequest;
import io.stele.protocol.etcd.LeaseLeasesResponse;
import io.stele.protocol.etcd.LeaseRevokeRequest;
import io.stele.protocol.etcd.LeaseRevokeResponse;
import io.stele.protocol.etcd.LeaseStatus;
import io.stele.protocol.etcd.LeaseTimeToLiveRequest;
import io.stele.protocol.etcd.LeaseTimeToLiveResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** etcd's leases. */
public final class LeaseService extends LeaseGrpc.LeaseImplBase {
  /** Shorter ones would end before a change of leader has passed. */
  private static final long SHORTEST_SECONDS = 2;

  private static final long LONGEST_SECONDS = 9_000_000_000L;

  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final RandomGenerator random;

  public LeaseService(EtcdCalls calls, Access access, RandomGenerator random) {
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
    this.random = random;
  }

  @Override
  public void leaseGrant(LeaseGrantRequest request, StreamObserver<LeaseGrantResponse> caller) {
    calls.answer(
        LeaseGrpc.getLeaseGrantMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who);
          if (request.getTTL() > LONGEST_SECONDS) {
            throw EtcdError.LEASE_TOO_LONG.exception();
          }
          Duration time = Duration.ofSeconds(Math.max(SHORTEST_SECONDS, request.getTTL()));
          CompletableFuture<Answer.LeaseGranted> granted =
              request.getID() == 0
                  ? grantAny(metastore, time)
                  : metastore.grantLease(request.getID(), time);
          return granted.thenApply(
              lease ->
                  LeaseGrantResponse.newBuilder()
                      .setHeader(backend.header())
                      .setID(lease.id())
                      .setTTL(lease.timeToLive().toSeconds())
                      .build());
        });
  }

  private CompletableFuture<Answer.LeaseGranted> grantAny(Metastore metastore, Duration time) {
    long id = 1 + random.nextLong(Long.MAX_VALUE);
    return metastore
        .grantLease(id, time)
        .exceptionallyCompose(
            problem ->
                EtcdErrors.cause(problem) instanceof ConflictException
                    ? grantAny(metastore, time)
                    : CompletableFuture.failedFuture(problem));
  }

  @Override
  public void leaseRevoke(LeaseRevokeRequest request, StreamObserver<LeaseRevokeResponse> caller) {
    calls.answer(
        LeaseGrpc.getLeaseRevokeMethod(),
        request,
        caller,
        (metastore, who) ->
            revoke(metastore, access.of(who), request.getID())
                .thenApply(
                    _ -> LeaseRevokeResponse.newBuilder().setHeader(backend.header()).build()));
  }

  /** Who ends a lease deletes its keys, and needs the right to. */
  private static CompletableFuture<Void> revoke(Metastore metastore, Grant grant, long id) {
    if (grant.all()) {
      return metastore.revokeLease(grant.principal(), id);
    }
    return metastore
        .leaseState(grant.principal(), id)
        .thenCompose(
            state -> {
              state.keys().forEach(key -> grant.checkWrite(KeyRange.of(key)));
              return metastore.revokeLease(grant.principal(), id);
            });
  }

  @Override
  public StreamObserver<LeaseKeepAliveRequest> leaseKeepAlive(
      StreamObserver<LeaseKeepAliveResponse> caller) {
    return new KeepAliveCall(calls, caller);
  }

  @Override
  public void leaseTimeToLive(
      LeaseTimeToLiveRequest request, StreamObserver<LeaseTimeToLiveResponse> caller) {
    calls.answer(
        LeaseGrpc.getLeaseTimeToLiveMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return metastore
              .leaseState(grant.principal(), request.getID())
              .thenApply(state -> timeToLive(grant, request, state))
              .exceptionallyCompose(problem -> unknown(request, problem));
        });
  }

  private LeaseTimeToLiveResponse timeToLive(
      Grant grant, LeaseTimeToLiveRequest request, LeaseState state) {
    LeaseTimeToLiveResponse.Builder response =
        LeaseTimeToLiveResponse.newBuilder()
            .setHeader(backend.header())
            .setID(request.getID())
            .setTTL(state.remaining().toSeconds())
            .setGrantedTTL(state.timeToLive().toSeconds());
    if (request.getKeys()) {
      state.keys().forEach(key -> grant.checkRead(KeyRange.of(key)));
      state.keys().forEach(key -> response.addKeys(Ranges.bare(key)));
    }
    return response.build();
  }

  private CompletableFuture<LeaseTimeToLiveResponse> unknown(
      LeaseTimeToLiveRequest request, Throwable problem) {
    return KeepAliveCall.isAbsent(problem)
        ? CompletableFuture.completedFuture(
            LeaseTimeToLiveResponse.newBuilder()
                .setHeader(backend.header())
                .setID(request.getID())
                .setTTL(-1)
                .build())
        : CompletableFuture.failedFuture(problem);
  }

  @Override
  public void leaseLeases(LeaseLeasesRequest request, StreamObserver<LeaseLeasesResponse> caller) {
    calls.answer(
        LeaseGrpc.getLeaseLeasesMethod(),
        request,
        caller,
        (metastore, who) ->
            metastore
                .leases()
                .thenApply(
                    ids -> {
                      LeaseLeasesResponse.Builder response =
                          LeaseLeasesResponse.newBuilder().setHeader(backend.header());
                      ids.forEach(id -> response.addLeases(LeaseStatus.newBuilder().setID(id)));
                      return response.build();
                    }));
  }
}
