package io.stele.gateway.etcd.kv;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What etcd refuses before it looks at any key. */
final class RequestChecks {
  /**
   * By how much a message may be larger than a request: then the request is refused by its size.
   */
  private static final int ENVELOPE_BYTES = 512 << 10;

  private final int maxBytes;
  private final int maxOperations;

  /**
   * Checks against these bounds.
   *
   * @param maxBytes of a request
   * @param maxOperations of each list of a transaction; those within it have what the outer one
   *     leaves
   */
  RequestChecks(int maxBytes, int maxOperations) {
    this.maxBytes = maxBytes;
    this.maxOperations = maxOperations;
  }

  static void check(RangeRequest request) {
    checkKey(request.getKey());
    if (request.getSortOrder() == RangeRequest.SortOrder.UNRECOGNIZED
        || request.getSortTarget() == RangeRequest.SortTarget.UNRECOGNIZED) {
      throw EtcdError.INVALID_SORT.exception();
    }
  }

  static void check(PutRequest request) {
    checkKey(request.getKey());
    if (request.getIgnoreValue() && !request.getValue().isEmpty()) {
      throw EtcdError.VALUE_PROVIDED.exception();
    }
    if (request.getIgnoreLease() && request.getLease() != 0) {
      throw EtcdError.LEASE_PROVIDED.exception();
    }
  }

  static void check(DeleteRangeRequest request) {
    checkKey(request.getKey());
  }

  void check(TxnRequest request) {
    check(request, maxOperations);
    Writes.of(request.getSuccessList());
    Writes.of(request.getFailureList());
  }

  /** What etcd does not even read: the first check of all. */
  void checkMessage(int bytes) {
    int most = maxBytes + ENVELOPE_BYTES;
    if (bytes > most) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription(
              "grpc: received message larger than max (" + bytes + " vs. " + most + ")")
          .asRuntimeException();
    }
  }

  void checkSize(int bytes) {
    if (bytes > maxBytes) {
      throw EtcdError.TOO_LARGE.exception();
    }
  }

  private static void checkKey(ByteString key) {
    if (key.isEmpty()) {
      throw EtcdError.EMPTY_KEY.exception();
    }
    if (key.size() > OpaqueKey.MAX_BYTES) {
      throw EtcdError.TOO_LARGE.exception();
    }
  }

  private static void check(TxnRequest request, int room) {
    int most =
        Math.max(
            request.getCompareCount(),
            Math.max(request.getSuccessCount(), request.getFailureCount()));
    if (most > room) {
      throw EtcdError.TOO_MANY_OPERATIONS.exception();
    }
    for (Compare compare : request.getCompareList()) {
      checkKey(compare.getKey());
    }
    request.getSuccessList().forEach(operation -> check(operation, room - most));
    request.getFailureList().forEach(operation -> check(operation, room - most));
  }

  private static void check(RequestOp operation, int room) {
    switch (operation.getRequestCase()) {
      case REQUEST_RANGE -> {
        check(operation.getRequestRange());
        if (operation.getRequestRange().getRevision() < 0) {
          throw EtcdError.COMPACTED.exception(); // outside of transactions it is the newest
        }
      }
      case REQUEST_PUT -> check(operation.getRequestPut());
      case REQUEST_DELETE_RANGE -> check(operation.getRequestDeleteRange());
      case REQUEST_TXN -> check(operation.getRequestTxn(), room);
      case REQUEST_NOT_SET -> throw EtcdError.KEY_NOT_FOUND.exception(); // etcd's own oddity
    }
  }

  /**
   * Keys that a list of operations puts and ranges that it deletes: no key twice, none both. Of a
   * transaction within it the two cases exclude each other, so a key may be put in either.
   */
  private static final class Writes {
    private final Set<Bytes> puts = new HashSet<>();
    private final List<KeyRange> deletes = new ArrayList<>();

    static Writes of(List<RequestOp> operations) {
      Writes writes = new Writes();
      for (RequestOp operation : operations) {
        if (operation.hasRequestDeleteRange()) {
          DeleteRangeRequest delete = operation.getRequestDeleteRange();
          writes.deletes.add(Ranges.of(delete.getKey(), delete.getRangeEnd()));
        }
      }
      for (RequestOp operation : operations) {
        if (operation.hasRequestTxn()) {
          writes.branch(operation.getRequestTxn());
        }
      }
      for (RequestOp operation : operations) {
        if (operation.hasRequestPut()) {
          writes.put(Ranges.key(operation.getRequestPut().getKey()));
        }
      }
      return writes;
    }

    private void branch(TxnRequest request) {
      Writes then = of(request.getSuccessList());
      Writes otherwise = of(request.getFailureList());
      Set<Bytes> either = new HashSet<>(then.puts);
      either.addAll(otherwise.puts);
      either.forEach(this::put);
      deletes.addAll(then.deletes);
      deletes.addAll(otherwise.deletes);
    }

    private void put(Bytes key) {
      if (!puts.add(key) || deletes.stream().anyMatch(range -> range.contains(key))) {
        throw EtcdError.DUPLICATE_KEY.exception();
      }
    }
  }
}
