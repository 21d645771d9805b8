package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.stele.protocol.etcd.AlarmRequest;
import io.stele.protocol.etcd.AlarmRequest.AlarmAction;
import io.stele.protocol.etcd.AlarmType;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseRevokeRequest;
import io.stele.protocol.etcd.LeaseTimeToLiveRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import java.util.ArrayList;
import java.util.List;

/** Requests at and beyond what is allowed, in an order in which they meet an empty store first. */
final class EdgeRequests {
  private static final long LEASE = 77;

  private EdgeRequests() {}

  private static ByteString text(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static ByteString zeros(int length) {
    return ByteString.copyFrom(new byte[length]);
  }

  private static PutRequest.Builder put(String key) {
    return PutRequest.newBuilder().setKey(text(key)).setValue(text("v"));
  }

  private static RangeRequest.Builder range(String key) {
    return RangeRequest.newBuilder().setKey(text(key));
  }

  private static RequestOp op(RangeRequest.Builder range) {
    return RequestOp.newBuilder().setRequestRange(range).build();
  }

  private static RequestOp op(PutRequest.Builder put) {
    return RequestOp.newBuilder().setRequestPut(put).build();
  }

  private static RequestOp delete(String key) {
    return RequestOp.newBuilder()
        .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(text(key)))
        .build();
  }

  private static TxnRequest txn(RequestOp... operations) {
    return TxnRequest.newBuilder().addAllSuccess(List.of(operations)).build();
  }

  private static Message leased(String key, long lease) {
    return put(key).setLease(lease).build();
  }

  private static LeaseGrantRequest grant(long id, long seconds) {
    return LeaseGrantRequest.newBuilder().setID(id).setTTL(seconds).build();
  }

  private static AlarmRequest alarm(AlarmAction action, AlarmType type, long member) {
    return AlarmRequest.newBuilder().setAction(action).setAlarm(type).setMemberID(member).build();
  }

  static List<Message> all() {
    List<Message> all = new ArrayList<>();
    // Before the first write.
    all.add(range("a").build());
    all.add(txn(op(range("a"))));
    all.add(txn(delete("a"), op(range("a"))));
    all.add(
        TxnRequest.newBuilder()
            .addSuccess(RequestOp.newBuilder().setRequestTxn(txn(op(range("a")), delete("b"))))
            .build());
    all.add(DeleteRangeRequest.newBuilder().setKey(text("a")).build());
    all.add(CompactionRequest.newBuilder().setRevision(1).build());
    all.add(CompactionRequest.newBuilder().setRevision(2).build());
    all.add(txn(op(put("a")), op(range("a"))));
    all.add(txn(op(range("a")), op(put("b")), delete("b")));
    all.add(txn(op(range("a")), op(put("b")), delete("none"), op(range("b"))));
    // Revisions.
    for (long revision : new long[] {-1, -100, Long.MIN_VALUE, 1, 2, 3, 50, Long.MAX_VALUE}) {
      all.add(range("a").setRevision(revision).build());
      all.add(txn(op(range("a").setRevision(revision))));
      all.add(range("a").setMinModRevision(revision).build());
      all.add(range("a").setMaxModRevision(revision).build());
      all.add(range("a").setMinCreateRevision(revision).setMaxCreateRevision(revision).build());
      all.add(range("a").setRangeEnd(text("z")).setLimit(revision).build());
      all.add(
          TxnRequest.newBuilder()
              .addCompare(
                  Compare.newBuilder()
                      .setKey(text("a"))
                      .setTarget(Compare.CompareTarget.MOD)
                      .setResult(Compare.CompareResult.GREATER)
                      .setModRevision(revision))
              .addSuccess(op(range("a")))
              .addFailure(op(range("b")))
              .build());
    }
    for (long revision : new long[] {-1, 0, 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      all.add(CompactionRequest.newBuilder().setRevision(revision).build());
    }
    // Leases.
    for (long seconds : new long[] {0, -1, Long.MIN_VALUE, 9_000_000_000L, 9_000_000_001L}) {
      all.add(grant(LEASE, seconds));
      all.add(LeaseTimeToLiveRequest.newBuilder().setID(LEASE).setKeys(true).build());
      all.add(LeaseRevokeRequest.newBuilder().setID(LEASE).build());
    }
    all.add(grant(LEASE, 1000));
    all.add(grant(LEASE, 1000));
    all.add(grant(-5, 1000));
    all.add(leased("l", LEASE));
    all.add(leased("l", -5));
    all.add(leased("l", -6));
    all.add(leased("l", 6));
    all.add(put("l").clearValue().setIgnoreValue(true).setLease(LEASE).build());
    all.add(put("l").clearValue().setIgnoreValue(true).build());
    all.add(put("l").clearValue().setIgnoreValue(true).setIgnoreLease(true).build());
    all.add(put("l").clearValue().setIgnoreValue(true).setLease(6).build());
    all.add(put("l").setIgnoreLease(true).build());
    all.add(put("l").setIgnoreLease(true).setLease(LEASE).build());
    all.add(put("l").setIgnoreValue(true).build());
    all.add(put("none").clearValue().setIgnoreValue(true).build());
    all.add(put("none").clearValue().setIgnoreValue(true).setLease(LEASE).build());
    all.add(put("none").setIgnoreLease(true).build());
    all.add(txn(op(put("x")), op(put("none").clearValue().setIgnoreValue(true))));
    all.add(txn(op(put("x")), op(put("l").clearValue().setIgnoreValue(true).setLease(LEASE))));
    all.add(txn(op(put("x")), op(put("y").setLease(6))));
    all.add(range("x").build());
    all.add(range("l").build());
    all.add(LeaseTimeToLiveRequest.newBuilder().setID(LEASE).setKeys(true).build());
    all.add(LeaseTimeToLiveRequest.newBuilder().setID(0).build());
    all.add(LeaseTimeToLiveRequest.newBuilder().setID(6).build());
    all.add(LeaseRevokeRequest.newBuilder().setID(0).build());
    all.add(LeaseRevokeRequest.newBuilder().setID(6).build());
    all.add(LeaseRevokeRequest.newBuilder().setID(-5).build());
    all.add(LeaseRevokeRequest.newBuilder().setID(LEASE).build());
    // Sizes.
    ByteString longest = zeros(30_000); // etcd has no bound of its own: docs/etcd.md
    all.add(PutRequest.newBuilder().setKey(longest).setValue(text("v")).build());
    all.add(RangeRequest.newBuilder().setKey(longest).setCountOnly(true).build());
    all.add(DeleteRangeRequest.newBuilder().setKey(longest).build());
    for (int length : new int[] {1_572_000, 1_573_000, 2_000_000, 2_097_152, 2_200_000}) {
      all.add(PutRequest.newBuilder().setKey(text("big")).setValue(zeros(length)).build());
      all.add(txn(op(PutRequest.newBuilder().setKey(text("big")).setValue(zeros(length)))));
    }
    all.add(DeleteRangeRequest.newBuilder().setKey(text("big")).build());
    // Nothing where something belongs.
    all.add(TxnRequest.getDefaultInstance());
    all.add(txn(RequestOp.getDefaultInstance()));
    all.add(txn(op(RangeRequest.newBuilder())));
    all.add(RangeRequest.newBuilder().setRangeEnd(text("z")).build());
    all.add(range("z").setRangeEnd(text("a")).build());
    all.add(range("a").setRangeEnd(text("a")).build());
    return all;
  }

  /** Alarms are raised and disarmed for members, whether they exist or not. */
  static List<Message> alarms() {
    List<Message> all = new ArrayList<>();
    all.add(alarm(AlarmAction.GET, AlarmType.NONE, 0));
    all.add(alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE, 5));
    all.add(alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE, 5));
    all.add(alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE, -6));
    all.add(alarm(AlarmAction.GET, AlarmType.CORRUPT, 0));
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE, -6));
    all.add(alarm(AlarmAction.GET, AlarmType.NOSPACE, 0));
    all.add(put("full").build());
    all.add(txn(op(put("full"))));
    all.add(txn(op(range("full"))));
    all.add(DeleteRangeRequest.newBuilder().setKey(text("full")).build());
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.NONE, 0));
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE, 0));
    all.add(alarm(AlarmAction.GET, AlarmType.NONE, 0));
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.CORRUPT, 5));
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE, 5));
    all.add(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE, 5));
    all.add(alarm(AlarmAction.GET, AlarmType.NONE, 0));
    return all;
  }
}
