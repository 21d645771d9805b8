package io.stele.it.metastore;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.TxnResponse;
import io.stele.testkit.history.RegisterResult;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Keys by etcd's interface of one member. Nothing is repeated: what fails may have been done,
 * unless the member says that there was no leader to take it.
 */
record EtcdRegisters(ManagedChannel channel) implements Registers {
  private static final int ANSWER_SECONDS = 3;
  private static final String NO_LEADER = "etcdserver: no leader";

  private KVGrpc.KVBlockingStub keys() {
    return KVGrpc.newBlockingStub(channel)
        .withWaitForReady() // while the member is away
        .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  private static <T> T outcome(Supplier<T> call) {
    try {
      return call.get();
    } catch (StatusRuntimeException e) {
      if (NO_LEADER.equals(e.getStatus().getDescription())) {
        throw new UnavailableException(NO_LEADER, e);
      }
      throw new OutcomeUnknownException(e.getMessage(), e);
    }
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static RangeRequest range(String key) {
    return RangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  private static Optional<String> value(RangeResponse found) {
    return found.getKvsList().stream().findFirst().map(kv -> kv.getValue().toStringUtf8());
  }

  @Override
  public Optional<String> get(String key) {
    return value(outcome(() -> keys().range(range(key))));
  }

  @Override
  public void put(String key, String value) {
    var _ = outcome(() -> keys().put(putting(key, value)));
  }

  private static PutRequest putting(String key, String value) {
    return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
  }

  @Override
  public void delete(String key) {
    var _ = outcome(() -> keys().deleteRange(deleting(key)));
  }

  private static DeleteRangeRequest deleting(String key) {
    return DeleteRangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  @Override
  public RegisterResult compareAndSet(
      String key, Optional<String> expected, Optional<String> replacement) {
    Compare.Builder compare = Compare.newBuilder().setKey(bytes(key));
    expected.ifPresentOrElse(
        value -> compare.setTarget(Compare.CompareTarget.VALUE).setValue(bytes(value)),
        () -> compare.setTarget(Compare.CompareTarget.VERSION).setVersion(0));
    RequestOp.Builder change = RequestOp.newBuilder();
    replacement.ifPresentOrElse(
        value -> change.setRequestPut(putting(key, value)),
        () -> change.setRequestDeleteRange(deleting(key)));
    TxnRequest request =
        TxnRequest.newBuilder()
            .addCompare(compare)
            .addSuccess(change)
            .addFailure(RequestOp.newBuilder().setRequestRange(range(key)))
            .build();
    TxnResponse answer = outcome(() -> keys().txn(request));
    return answer.getSucceeded()
        ? RegisterResult.DONE
        : new RegisterResult.Found(value(answer.getResponses(0).getResponseRange()));
  }
}
