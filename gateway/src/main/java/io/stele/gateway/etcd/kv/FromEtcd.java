package io.stele.gateway.etcd.kv;

import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests that were checked, as the metastore understands them. */
final class FromEtcd {
  private FromEtcd() {}

  static Selection selection(RangeRequest request) {
    return new Selection(
        Ranges.of(request.getKey(), request.getRangeEnd()),
        Math.max(0, request.getRevision()),
        Math.max(0, request.getLimit()),
        switch (request.getSortOrder()) {
          case ASCEND -> Selection.Order.ASCENDING;
          case DESCEND -> Selection.Order.DESCENDING;
          case NONE, UNRECOGNIZED -> Selection.Order.NONE;
        },
        switch (request.getSortTarget()) {
          case VERSION -> Selection.Target.VERSION;
          case CREATE -> Selection.Target.CREATED;
          case MOD -> Selection.Target.MODIFIED;
          case VALUE -> Selection.Target.VALUE;
          case KEY, UNRECOGNIZED -> Selection.Target.KEY;
        },
        request.getKeysOnly(),
        request.getCountOnly(),
        new Selection.Bounds(
            request.getMinModRevision(),
            request.getMaxModRevision(),
            request.getMinCreateRevision(),
            request.getMaxCreateRevision()));
  }

  static Operation put(PutRequest request) {
    return new Operation.Assign(
        Ranges.key(request.getKey()),
        Ranges.value(request.getValue()),
        request.getLease(),
        request.getPrevKv(),
        request.getIgnoreValue(),
        request.getIgnoreLease());
  }

  static Operation delete(DeleteRangeRequest request) {
    return new Operation.Delete(
        Ranges.of(request.getKey(), request.getRangeEnd()), request.getPrevKv());
  }

  static Transaction transaction(TxnRequest request) {
    return new Transaction(
        comparisons(request.getCompareList()),
        operations(request.getSuccessList()),
        operations(request.getFailureList()),
        Optional.empty());
  }

  private static List<Operation> operations(List<RequestOp> requests) {
    List<Operation> operations = new ArrayList<>(requests.size());
    for (RequestOp request : requests) {
      operations.add(
          switch (request.getRequestCase()) {
            case REQUEST_RANGE -> new Operation.Select(selection(request.getRequestRange()));
            case REQUEST_PUT -> put(request.getRequestPut());
            case REQUEST_DELETE_RANGE -> delete(request.getRequestDeleteRange());
            case REQUEST_TXN ->
                new Operation.Branch(
                    comparisons(request.getRequestTxn().getCompareList()),
                    operations(request.getRequestTxn().getSuccessList()),
                    operations(request.getRequestTxn().getFailureList()));
            case REQUEST_NOT_SET ->
                throw Status.INVALID_ARGUMENT
                    .withDescription("operation of a transaction that does nothing")
                    .asRuntimeException();
          });
    }
    return operations;
  }

  private static List<Comparison> comparisons(List<Compare> compares) {
    List<Comparison> comparisons = new ArrayList<>(compares.size());
    for (Compare compare : compares) {
      add(compare, comparisons);
    }
    return comparisons;
  }

  /**
   * A range without keys counts as one key whose numbers are all 0, and whose value compares as
   * nothing. To the metastore such a range fulfils everything, so where 0 would not, it is asked
   * for a key as well.
   */
  private static void add(Compare compare, List<Comparison> comparisons) {
    KeyRange range = Ranges.of(compare.getKey(), compare.getRangeEnd());
    Relation relation = relation(compare.getResult());
    if (compare.getTarget() == Compare.CompareTarget.VALUE) {
      Bytes operand = Ranges.value(compare.getValue());
      comparisons.add(new Comparison.Value(range, relation, operand));
      if (!range.isSingle()) {
        comparisons.add(new Comparison.Present(range));
      }
      return;
    }
    long operand = operand(compare);
    comparisons.add(new Comparison.Property(range, field(compare), relation, operand));
    if (!range.isSingle() && !holds(Long.compare(0, operand), relation)) {
      comparisons.add(new Comparison.Present(range));
    }
  }

  private static boolean holds(int order, Relation relation) {
    return switch (relation) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case GREATER -> order > 0;
    };
  }

  private static Relation relation(Compare.CompareResult result) {
    return switch (result) {
      case EQUAL -> Relation.EQUAL;
      case GREATER -> Relation.GREATER;
      case LESS -> Relation.LESS;
      case NOT_EQUAL -> Relation.NOT_EQUAL;
      case UNRECOGNIZED -> throw unknown("result");
    };
  }

  private static Field field(Compare compare) {
    return switch (compare.getTarget()) {
      case VERSION -> Field.VERSION;
      case CREATE -> Field.CREATED;
      case MOD -> Field.MODIFIED;
      case LEASE -> Field.LEASE;
      case VALUE, UNRECOGNIZED -> throw unknown("target");
    };
  }

  /** The operand of the target; one that belongs to another counts as not given. */
  private static long operand(Compare compare) {
    return switch (compare.getTarget()) {
      case VERSION -> compare.getVersion();
      case CREATE -> compare.getCreateRevision();
      case MOD -> compare.getModRevision();
      case LEASE -> compare.getLease();
      case VALUE, UNRECOGNIZED -> 0;
    };
  }

  private static RuntimeException unknown(String what) {
    return Status.INVALID_ARGUMENT
        .withDescription("etcdserver: unknown " + what + " of a comparison")
        .asRuntimeException();
  }
}
