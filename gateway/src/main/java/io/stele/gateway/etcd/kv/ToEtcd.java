package io.stele.gateway.etcd.kv;

import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.OperationResult;
import io.stele.protocol.etcd.DeleteRangeResponse;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.PutResponse;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.ResponseHeader;
import io.stele.protocol.etcd.ResponseOp;
import io.stele.protocol.etcd.TxnResponse;
import java.util.List;

/** Answers of the metastore as etcd gives them. */
public final class ToEtcd {
  private ToEtcd() {}

  public static KeyValue keyValue(io.stele.metastore.command.KeyValue kv) {
    return KeyValue.newBuilder()
        .setKey(Ranges.bare(kv.key()))
        .setCreateRevision(kv.created())
        .setModRevision(kv.modified())
        .setVersion(kv.version())
        .setValue(Ranges.value(kv.value()))
        .setLease(kv.lease())
        .build();
  }

  static RangeResponse range(ResponseHeader header, RangeAnswer answer) {
    return range(header, answer.keys(), answer.more(), answer.count());
  }

  private static RangeResponse range(
      ResponseHeader header,
      List<io.stele.metastore.command.KeyValue> keys,
      boolean more,
      long count) {
    RangeResponse.Builder response =
        RangeResponse.newBuilder().setHeader(header).setMore(more).setCount(count);
    keys.forEach(kv -> response.addKvs(keyValue(kv)));
    return response.build();
  }

  static PutResponse put(ResponseHeader header, OperationResult result) {
    PutResponse.Builder response = PutResponse.newBuilder().setHeader(header);
    if (result instanceof OperationResult.Done done) {
      done.previous().ifPresent(kv -> response.setPrevKv(keyValue(kv)));
    }
    return response.build();
  }

  static DeleteRangeResponse delete(ResponseHeader header, OperationResult result) {
    DeleteRangeResponse.Builder response = DeleteRangeResponse.newBuilder().setHeader(header);
    if (result instanceof OperationResult.Deleted deleted) {
      response.setDeleted(deleted.count());
      deleted.previous().forEach(kv -> response.addPrevKvs(keyValue(kv)));
    }
    return response.build();
  }

  static TxnResponse transaction(ResponseHeader header, Answer.Transacted answer) {
    return new Steps(answer).response(header, answer.succeeded(), answer.results());
  }

  /**
   * The steps of a transaction, in the order in which they were done. Of their headers only the
   * revision is given, as etcd does: until the first change it is the revision before the
   * transaction, from then on its own.
   */
  private static final class Steps {
    private long revision;
    private final long own;

    Steps(Answer.Transacted answer) {
      own = answer.revision();
      revision = answer.results().stream().anyMatch(Steps::isChange) ? own - 1 : own;
    }

    private static boolean isChange(OperationResult result) {
      return switch (result) {
        case OperationResult.Done _ -> true;
        case OperationResult.Deleted deleted -> deleted.count() > 0;
        case OperationResult.Branched branched ->
            branched.results().stream().anyMatch(Steps::isChange);
        case OperationResult.Selected _, OperationResult.Found _ -> false;
      };
    }

    TxnResponse response(ResponseHeader header, boolean succeeded, List<OperationResult> results) {
      TxnResponse.Builder response =
          TxnResponse.newBuilder().setHeader(header).setSucceeded(succeeded);
      results.forEach(result -> response.addResponses(step(result)));
      return response.build();
    }

    private ResponseOp.Builder step(OperationResult result) {
      ResponseOp.Builder step = ResponseOp.newBuilder();
      if (result instanceof OperationResult.Branched branched) {
        return step.setResponseTxn(
            response(
                ResponseHeader.getDefaultInstance(), branched.succeeded(), branched.results()));
      }
      if (isChange(result)) {
        revision = own;
      }
      ResponseHeader inner = ResponseHeader.newBuilder().setRevision(revision).build();
      return switch (result) {
        case OperationResult.Done done -> step.setResponsePut(put(inner, done));
        case OperationResult.Deleted deleted -> step.setResponseDeleteRange(delete(inner, deleted));
        case OperationResult.Selected selected ->
            step.setResponseRange(range(inner, selected.keys(), selected.more(), selected.count()));
        case OperationResult.Found found ->
            step.setResponseRange(range(inner, found.keys(), found.more(), found.keys().size()));
        case OperationResult.Branched _ -> step; // above
      };
    }
  }
}
