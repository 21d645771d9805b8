package io.stele.gateway.etcd.kv;

import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import java.util.List;

/** Which rights requests need: all of a transaction, whichever way it goes. */
final class RequestRights {
  private RequestRights() {}

  static void check(Grant grant, RangeRequest request) {
    if (!grant.all()) {
      grant.checkRead(Ranges.of(request.getKey(), request.getRangeEnd()));
    }
  }

  static void check(Grant grant, PutRequest request) {
    if (!grant.all()) {
      KeyRange key = KeyRange.of(Ranges.key(request.getKey()));
      grant.checkWrite(key);
      if (request.getPrevKv()) {
        grant.checkRead(key);
      }
    }
  }

  static void check(Grant grant, DeleteRangeRequest request) {
    if (!grant.all()) {
      KeyRange range = Ranges.of(request.getKey(), request.getRangeEnd());
      grant.checkWrite(range);
      if (request.getPrevKv()) {
        grant.checkRead(range);
      }
    }
  }

  static void check(Grant grant, TxnRequest request) {
    if (!grant.all()) {
      for (Compare compare : request.getCompareList()) {
        grant.checkRead(Ranges.of(compare.getKey(), compare.getRangeEnd()));
      }
      check(grant, request.getSuccessList());
      check(grant, request.getFailureList());
    }
  }

  private static void check(Grant grant, List<RequestOp> operations) {
    for (RequestOp operation : operations) {
      switch (operation.getRequestCase()) {
        case REQUEST_RANGE -> check(grant, operation.getRequestRange());
        case REQUEST_PUT -> check(grant, operation.getRequestPut());
        case REQUEST_DELETE_RANGE -> check(grant, operation.getRequestDeleteRange());
        case REQUEST_TXN -> check(grant, operation.getRequestTxn());
        case REQUEST_NOT_SET -> {}
      }
    }
  }
}
