package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
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
import java.util.List;
import java.util.random.RandomGenerator;

/** Requests on few keys, so that they meet; the same for the same seed. */
final class RandomRequests {
  private static final List<ByteString> KEYS =
      List.of(
          text("a"),
          text("a/1"),
          text("a/2"),
          text("b"),
          text("/path"),
          text("/path/below"),
          text("e"),
          text("f"),
          bytes(0),
          bytes(0, 0),
          bytes(0x61, 0),
          bytes(0xff),
          bytes(0xff, 0xff));

  private static final long LEASES = 4;

  /** No lease ends by itself while the requests run. */
  private static final long LONG_SECONDS = 100_000;

  private final RandomGenerator random;

  RandomRequests(RandomGenerator random) {
    this.random = random;
  }

  private static ByteString text(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static ByteString bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ByteString.copyFrom(bytes);
  }

  private boolean one(int in) {
    return random.nextInt(in) == 0;
  }

  private ByteString key() {
    return one(60) ? ByteString.EMPTY : KEYS.get(random.nextInt(KEYS.size()));
  }

  /** Most often none: the one key. */
  private ByteString end() {
    return switch (random.nextInt(6)) {
      case 0 -> bytes(0);
      case 1 -> KEYS.get(random.nextInt(KEYS.size()));
      default -> ByteString.EMPTY;
    };
  }

  /** Around a revision, some of them wrong. */
  long revision(long newest) {
    return switch (random.nextInt(10)) {
      case 0 -> newest + 1 + random.nextInt(2);
      case 1 -> -1;
      default -> Math.max(1, newest - random.nextInt(30));
    };
  }

  private long lease() {
    return one(3) ? 1 + random.nextLong(LEASES) : 0;
  }

  private ByteString value() {
    return one(10) ? ByteString.EMPTY : text("v" + random.nextInt(6));
  }

  Message next(long newest) {
    int kind = random.nextInt(100);
    if (kind < 35) {
      return putAlone();
    } else if (kind < 55) {
      return range(newest);
    } else if (kind < 65) {
      return delete();
    } else if (kind < 90) {
      return transaction(newest, 0);
    } else if (kind < 92) {
      return CompactionRequest.newBuilder()
          .setRevision(Math.max(1, revision(newest)))
          .setPhysical(one(2))
          .build();
    } else if (kind < 95) {
      return LeaseGrantRequest.newBuilder()
          .setID(1 + random.nextLong(LEASES))
          .setTTL(one(10) ? 9_000_000_001L : LONG_SECONDS)
          .build();
    } else if (kind < 97) {
      return LeaseRevokeRequest.newBuilder().setID(1 + random.nextLong(LEASES)).build();
    }
    return LeaseTimeToLiveRequest.newBuilder()
        .setID(1 + random.nextLong(LEASES))
        .setKeys(true)
        .build();
  }

  private PutRequest put() {
    PutRequest.Builder put = PutRequest.newBuilder().setKey(key()).setPrevKv(one(2));
    if (one(8)) {
      put.setIgnoreValue(true);
    }
    if (!put.getIgnoreValue() || one(4)) {
      put.setValue(value());
    }
    if (one(8)) {
      put.setIgnoreLease(true);
    }
    if (!put.getIgnoreLease() || one(4)) {
      put.setLease(lease());
    }
    return put.build();
  }

  /** Of two errors etcd names one in a transaction, and the other outside. */
  private PutRequest putAlone() {
    PutRequest put = put();
    return put.getIgnoreValue() && !put.getIgnoreLease()
        ? put.toBuilder().clearLease().build()
        : put;
  }

  private DeleteRangeRequest delete() {
    return DeleteRangeRequest.newBuilder()
        .setKey(key())
        .setRangeEnd(one(2) ? end() : ByteString.EMPTY)
        .setPrevKv(one(2))
        .build();
  }

  private RangeRequest range(long newest) {
    RangeRequest.Builder range =
        RangeRequest.newBuilder()
            .setKey(key())
            .setRangeEnd(one(2) ? bytes(0) : end())
            .setSerializable(one(3))
            .setKeysOnly(one(5))
            .setCountOnly(one(8));
    if (one(3)) {
      range.setRevision(revision(newest));
    }
    if (one(3)) {
      range.setLimit(1 + random.nextInt(5));
    }
    if (one(3)) {
      range.setSortOrderValue(random.nextInt(3));
      range.setSortTargetValue(random.nextInt(5));
    }
    if (one(5)) {
      range.setMinModRevision(Math.max(0, revision(newest)));
    }
    if (one(5)) {
      range.setMaxModRevision(Math.max(0, revision(newest)));
    }
    if (one(8)) {
      range.setMinCreateRevision(Math.max(0, revision(newest)));
    }
    if (one(8)) {
      range.setMaxCreateRevision(Math.max(0, revision(newest)));
    }
    return range.build();
  }

  private TxnRequest transaction(long newest, int depth) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    for (int i = random.nextInt(3); i > 0; i--) {
      request.addCompare(compare(newest));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      request.addSuccess(operation(newest, depth));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      request.addFailure(operation(newest, depth));
    }
    return request.build();
  }

  private RequestOp operation(long newest, int depth) {
    RequestOp.Builder operation = RequestOp.newBuilder();
    switch (random.nextInt(depth < 2 ? 10 : 8)) {
      case 0, 1, 2, 3 -> operation.setRequestPut(put());
      case 4, 5, 6 -> operation.setRequestRange(rangeInside(newest));
      case 7 -> operation.setRequestDeleteRange(deleteInside());
      default -> operation.setRequestTxn(transaction(newest, depth + 1));
    }
    return operation.build();
  }

  /** A negative revision is the newest to etcd outside of a transaction, and compacted inside. */
  private RangeRequest rangeInside(long newest) {
    RangeRequest range = range(newest);
    return range.getRevision() < 0 ? range.toBuilder().clearRevision().build() : range;
  }

  /** etcd lets a transaction put a key that it deletes by a range without an end: we do not. */
  private DeleteRangeRequest deleteInside() {
    DeleteRangeRequest delete = delete();
    return delete.getRangeEnd().equals(bytes(0))
        ? delete.toBuilder().clearRangeEnd().build()
        : delete;
  }

  private Compare compare(long newest) {
    Compare.Builder compare = Compare.newBuilder().setKey(key()).setResultValue(random.nextInt(4));
    if (one(4)) {
      compare.setRangeEnd(end());
    }
    long number = one(3) ? 0 : one(3) ? -1 : random.nextLong(newest + 2);
    switch (random.nextInt(5)) {
      case 0 -> compare.setTargetValue(0).setVersion(random.nextInt(3));
      case 1 -> compare.setTargetValue(1).setCreateRevision(number);
      case 2 -> compare.setTargetValue(2).setModRevision(number);
      case 3 -> compare.setTargetValue(3).setValue(value());
      default -> compare.setTargetValue(4).setLease(lease());
    }
    return compare.build();
  }
}
