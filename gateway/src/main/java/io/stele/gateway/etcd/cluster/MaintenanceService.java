package io.stele.gateway.etcd.cluster;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.gateway.etcd.call.MemberIds;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Selection;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.raft.Standing;
import io.stele.protocol.etcd.AlarmMember;
import io.stele.protocol.etcd.AlarmRequest;
import io.stele.protocol.etcd.AlarmResponse;
import io.stele.protocol.etcd.AlarmType;
import io.stele.protocol.etcd.DefragmentRequest;
import io.stele.protocol.etcd.DefragmentResponse;
import io.stele.protocol.etcd.DowngradeRequest;
import io.stele.protocol.etcd.DowngradeResponse;
import io.stele.protocol.etcd.HashKVRequest;
import io.stele.protocol.etcd.HashKVResponse;
import io.stele.protocol.etcd.HashRequest;
import io.stele.protocol.etcd.HashResponse;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.MoveLeaderRequest;
import io.stele.protocol.etcd.MoveLeaderResponse;
import io.stele.protocol.etcd.SnapshotRequest;
import io.stele.protocol.etcd.SnapshotResponse;
import io.stele.protocol.etcd.StatusRequest;
import io.stele.protocol.etcd.StatusResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** The upkeep of members. There is nothing to defragment. */
public final class MaintenanceService extends MaintenanceGrpc.MaintenanceImplBase {
  /**
   * The version of etcd whose API this is. Clients choose by it what they ask for: Kubernetes asks
   * for the progress of watches from 3.5.13 on.
   */
  public static final String API_VERSION = "3.6.0";

  /** As {@link #API_VERSION}, without the last number: of what is stored. */
  private static final String STORAGE_VERSION = "3.6.0";

  private static final Pattern VERSION = Pattern.compile("[0-9]+\\.[0-9]+(\\.[0-9]+)?");

  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final ExecutorService blocking;

  public MaintenanceService(EtcdCalls calls, Access access, ExecutorService blocking) {
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
    this.blocking = blocking;
  }

  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getStatusMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          return CompletableFuture.completedFuture(status(metastore));
        });
  }

  private StatusResponse status(Metastore metastore) {
    MetastoreStatus status = metastore.status();
    Standing standing = status.standing();
    StatusResponse.Builder response =
        StatusResponse.newBuilder()
            .setHeader(backend.header(status.revision()))
            .setVersion(API_VERSION)
            .setStorageVersion(STORAGE_VERSION)
            .setDbSize(status.totalBytes())
            .setDbSizeInUse(status.inUseBytes())
            .setDbSizeQuota(status.quotaBytes())
            .setRaftIndex(standing.applied())
            .setRaftAppliedIndex(standing.applied())
            .setRaftTerm(standing.term())
            .setIsLearner(standing.role() == Standing.Role.OBSERVER);
    standing.leader().ifPresent(leader -> response.setLeader(MemberIds.of(leader.id())));
    if (status.noSpace()) {
      response.addErrors(
          "memberID:%s alarm:NOSPACE "
              .formatted(Long.toUnsignedString(MemberIds.of(standing.self().id()))));
    }
    if (standing.leader().isEmpty()) {
      response.addErrors("etcdserver: no leader");
    }
    return response.build();
  }

  @Override
  public void alarm(AlarmRequest request, StreamObserver<AlarmResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getAlarmMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          return alarms(metastore, request);
        });
  }

  /**
   * The only alarm is NOSPACE. As in etcd the answer to a change names the alarm if it is raised
   * now, or was until now.
   */
  private CompletableFuture<AlarmResponse> alarms(Metastore metastore, AlarmRequest request) {
    NoSpaceAlarm alarm = new NoSpaceAlarm(metastore);
    long member = request.getMemberID();
    boolean meant = request.getAlarm() == AlarmType.NOSPACE;
    return switch (request.getAction()) {
      case ACTIVATE -> {
        if (request.getAlarm() == AlarmType.CORRUPT) {
          throw Status.UNIMPLEMENTED
              .withDescription(
                  "etcdserver: alarm CORRUPT cannot be raised: members whose states differ are"
                      + " found by metastore.fingerprints and told in the log")
              .asRuntimeException();
        }
        yield meant
            ? alarm.raise(member).thenApply(_ -> alarms(List.of(member)))
            : CompletableFuture.completedFuture(alarms(List.of()));
      }
      case DEACTIVATE ->
          meant
              ? alarm
                  .disarm(member)
                  .thenApply(raised -> alarms(raised ? List.of(member) : List.of()))
              : CompletableFuture.completedFuture(alarms(List.of()));
      case GET, UNRECOGNIZED ->
          request.getAlarm() == AlarmType.CORRUPT
              ? CompletableFuture.completedFuture(alarms(List.of()))
              : alarm.members().thenApply(this::alarms);
    };
  }

  private AlarmResponse alarms(List<Long> members) {
    AlarmResponse.Builder response = AlarmResponse.newBuilder().setHeader(backend.header());
    members.forEach(
        member ->
            response.addAlarms(
                AlarmMember.newBuilder().setMemberID(member).setAlarm(AlarmType.NOSPACE)));
    return response.build();
  }

  @Override
  public void defragment(DefragmentRequest request, StreamObserver<DefragmentResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getDefragmentMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          return CompletableFuture.completedFuture(
              DefragmentResponse.newBuilder().setHeader(backend.header()).build());
        });
  }

  @Override
  public void moveLeader(MoveLeaderRequest request, StreamObserver<MoveLeaderResponse> caller) {
    calls.answerSteps(
        MaintenanceGrpc.getMoveLeaderMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          String target = ClusterService.named(metastore, request.getTargetID());
          return CompletableFuture.supplyAsync(() -> backend.admin().transferLead(target), blocking)
              .thenApply(_ -> MoveLeaderResponse.newBuilder().setHeader(backend.header()).build());
        });
  }

  /** No version of etcd can take over what is stored here, so none is a target. */
  @Override
  public void downgrade(DowngradeRequest request, StreamObserver<DowngradeResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getDowngradeMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          if (request.getAction() == DowngradeRequest.DowngradeAction.CANCEL) {
            throw EtcdError.NO_DOWNGRADE.exception();
          }
          throw VERSION.matcher(request.getVersion()).matches()
              ? EtcdError.DOWNGRADE_VERSION.exception()
              : EtcdError.DOWNGRADE_VERSION_FORMAT.exception();
        });
  }

  @Override
  public void hash(HashRequest request, StreamObserver<HashResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getHashMethod(),
        request,
        caller,
        (metastore, who) ->
            keysAt(metastore, admin(who), 0)
                .thenApply(
                    answer ->
                        HashResponse.newBuilder()
                            .setHeader(backend.header(answer.revision()))
                            .setHash(hash(answer))
                            .build()));
  }

  @Override
  public void hashKV(HashKVRequest request, StreamObserver<HashKVResponse> caller) {
    calls.answer(
        MaintenanceGrpc.getHashKVMethod(),
        request,
        caller,
        (metastore, who) ->
            keysAt(metastore, admin(who), request.getRevision())
                .thenApply(
                    answer ->
                        HashKVResponse.newBuilder()
                            .setHeader(backend.header(answer.revision()))
                            .setCompactRevision(metastore.status().compacted())
                            .setHashRevision(
                                request.getRevision() == 0
                                    ? answer.revision()
                                    : request.getRevision())
                            .setHash(hash(answer))
                            .build()));
  }

  /** Whoever looks at everything must be allowed to do everything. */
  private String admin(EtcdCaller who) {
    Grant grant = access.of(who);
    grant.checkAdmin();
    return grant.principal();
  }

  /** All keys of this member, however far it is. */
  private static CompletableFuture<RangeAnswer> keysAt(
      Metastore metastore, String principal, long revision) {
    Selection all = Selection.of(OpaqueKey.range(new byte[0], null));
    return metastore.select(
        principal,
        new Selection(
            all.range(),
            Math.max(0, revision),
            0,
            all.order(),
            all.target(),
            false,
            false,
            all.bounds()),
        Consistency.STALE);
  }

  /** The same on all members for the same keys at the same revision. */
  private static int hash(RangeAnswer answer) {
    CRC32C crc = new CRC32C();
    for (KeyValue kv : answer.keys()) {
      add(crc, kv.key());
      add(crc, kv.value());
      for (long number : new long[] {kv.created(), kv.modified(), kv.version(), kv.lease()}) {
        for (int shift = 0; shift < Long.SIZE; shift += 8) {
          crc.update((int) (number >>> shift));
        }
      }
    }
    return (int) crc.getValue();
  }

  private static void add(CRC32C crc, Bytes bytes) {
    crc.update(bytes.sharedArray(), 0, bytes.length());
    crc.update(bytes.length());
  }

  /** The whole state in the metastore's own form of a backup, which {@code stele} restores. */
  @Override
  public void snapshot(SnapshotRequest request, StreamObserver<SnapshotResponse> caller) {
    EtcdCaller who = EtcdCaller.current();
    SnapshotOutput out = new SnapshotOutput((ServerCallStreamObserver<SnapshotResponse>) caller);
    blocking.execute(
        () -> {
          try {
            access.refresh(backend.metastore()).join();
            access.of(who).checkAdmin();
            backend.metastore().backup(out);
            out.complete(backend.header());
          } catch (Exception e) {
            out.fail(EtcdErrors.of(e));
          }
        });
  }
}
