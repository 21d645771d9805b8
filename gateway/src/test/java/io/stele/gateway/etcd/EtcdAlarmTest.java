package io.stele.gateway.etcd;

import static io.stele.gateway.etcd.EtcdMember.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.base.settings.ByteSize;
import io.stele.metastore.node.NodeLimits;
import io.stele.metastore.node.NodeSettings;
import io.stele.protocol.etcd.AlarmRequest;
import io.stele.protocol.etcd.AlarmRequest.AlarmAction;
import io.stele.protocol.etcd.AlarmResponse;
import io.stele.protocol.etcd.AlarmType;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.StatusRequest;
import io.stele.protocol.etcd.TxnRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that is as large as it may be. */
class EtcdAlarmTest {
  private static final NodeLimits SMALL = new NodeLimits(ByteSize.ofMiB(1), 2, 2);

  private final EtcdMember member =
      new EtcdMember(EtcdOptions.DEFAULT, NodeSettings.DEFAULT.withLimits(SMALL));

  @AfterEach
  void close() {
    member.close();
  }

  private AlarmResponse alarm(AlarmAction action) {
    return alarm(action, 0);
  }

  private AlarmResponse alarm(AlarmAction action, long of) {
    return MaintenanceGrpc.newBlockingStub(member.channel())
        .alarm(
            AlarmRequest.newBuilder()
                .setAction(action)
                .setAlarm(AlarmType.NOSPACE)
                .setMemberID(of)
                .build());
  }

  private void fill() {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              try {
                member.put("key", "v".repeat(50_000));
                return false;
              } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(e.getStatus().getDescription())
                    .isEqualTo("etcdserver: mvcc: database space exceeded");
                return true;
              }
            });
  }

  @Test
  void theQuotaRaisesTheAlarmWhichRefusesPutsAndLetsDeletionsThrough() {
    fill();

    assertThat(alarm(AlarmAction.GET).getAlarmsList())
        .singleElement()
        .satisfies(raised -> assertThat(raised.getAlarm()).isEqualTo(AlarmType.NOSPACE));
    var status =
        MaintenanceGrpc.newBlockingStub(member.channel())
            .status(StatusRequest.getDefaultInstance());
    assertThat(status.getDbSizeQuota()).isEqualTo(1 << 20);
    assertThat(status.getErrorsList()).singleElement().asString().contains("alarm:NOSPACE");
    RequestOp put =
        RequestOp.newBuilder()
            .setRequestPut(PutRequest.newBuilder().setKey(bytes("a")).setValue(bytes("1")))
            .build();
    assertThatThrownBy(() -> member.keys().txn(TxnRequest.newBuilder().addFailure(put).build()))
        .hasMessageContaining("database space exceeded");
    assertThatThrownBy(
            () ->
                LeaseGrpc.newBlockingStub(member.channel())
                    .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(10).build()))
        .hasMessageContaining("database space exceeded");

    assertThat(member.get("key").getCount()).isEqualTo(1);
    long revision =
        member
            .keys()
            .deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("key")).build())
            .getHeader()
            .getRevision();
    member.keys().compact(CompactionRequest.newBuilder().setRevision(revision).build());
  }

  @Test
  void anAlarmIsRaisedAndDisarmedByHandAndRaisedAgainWhileThereIsTooMuch() {
    alarm(AlarmAction.ACTIVATE);
    assertThatThrownBy(() -> member.put("a", "1")).hasMessageContaining("space exceeded");
    assertThat(alarm(AlarmAction.DEACTIVATE).getAlarmsCount()).isEqualTo(1);
    assertThat(alarm(AlarmAction.GET).getAlarmsCount()).isZero();
    member.put("a", "1");

    fill();
    for (var raised : alarm(AlarmAction.GET).getAlarmsList()) { // as etcdctl does
      assertThat(alarm(AlarmAction.DEACTIVATE, raised.getMemberID()).getAlarmsList())
          .containsExactly(raised);
    }
    await().until(() -> alarm(AlarmAction.GET).getAlarmsCount() == 1);
  }

  @Test
  void leasesAreBounded() {
    LeaseGrpc.LeaseBlockingStub leases = LeaseGrpc.newBlockingStub(member.channel());
    LeaseGrantRequest grant = LeaseGrantRequest.newBuilder().setTTL(60).build();
    leases.leaseGrant(grant);
    leases.leaseGrant(grant);
    assertThatThrownBy(() -> leases.leaseGrant(grant))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
  }
}
