package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Bytes;
import io.stele.protocol.v1.Comparison;
import io.stele.protocol.v1.KeyRange;
import io.stele.protocol.v1.Operation;
import io.stele.protocol.v1.OperationResult;
import io.stele.protocol.v1.TransactResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the client's types are in the native protocol, and back. */
final class Wire {
  private Wire() {}

  /** Shares the array: byte strings on both sides never change. */
  static ByteString bytes(Bytes bytes) {
    return bytes.isEmpty()
        ? ByteString.EMPTY
        : UnsafeByteOperations.unsafeWrap(bytes.sharedArray());
  }

  static Bytes bytes(ByteString bytes) {
    return bytes.isEmpty() ? Bytes.EMPTY : Bytes.wrap(bytes.toByteArray());
  }

  static KeyRange range(Keys keys) {
    KeyRange.Builder range = KeyRange.newBuilder().setFrom(bytes(keys.first()));
    if (!keys.isSingle()) {
      Bytes end = keys.end();
      range.setTo(end == null ? ByteString.EMPTY : bytes(end));
    }
    return range.build();
  }

  static KeyRange range(String key) {
    return KeyRange.newBuilder().setFrom(ByteString.copyFromUtf8(key)).build();
  }

  static io.stele.protocol.v1.Consistency consistency(Consistency consistency) {
    return switch (consistency) {
      case LINEARIZABLE -> io.stele.protocol.v1.Consistency.LINEARIZABLE;
      case LEASE -> io.stele.protocol.v1.Consistency.LEASE;
      case STALE -> io.stele.protocol.v1.Consistency.STALE;
    };
  }

  static KeyValue keyValue(io.stele.protocol.v1.KeyValue message) {
    return new KeyValue(
        message.getKey().toStringUtf8(),
        bytes(message.getValue()),
        message.getCreated(),
        message.getModified(),
        message.getVersion(),
        message.getSession());
  }

  static List<KeyValue> keyValues(List<io.stele.protocol.v1.KeyValue> messages) {
    List<KeyValue> keys = new ArrayList<>(messages.size());
    for (var message : messages) {
      keys.add(keyValue(message));
    }
    return keys;
  }

  static Comparison comparison(Condition condition) {
    Comparison.Builder message = Comparison.newBuilder();
    switch (condition) {
      case Condition.OnNumber(var keys, var field, var relation, var operand) -> {
        message.setRange(range(keys)).setRelation(relation(relation));
        switch (field) {
          case CREATED -> message.setCreated(operand);
          case MODIFIED -> message.setModified(operand);
          case VERSION -> message.setVersion(operand);
          case SESSION -> message.setSession(operand);
        }
      }
      case Condition.OnValue(var keys, var relation, var operand) ->
          message.setRange(range(keys)).setRelation(relation(relation)).setValue(bytes(operand));
      case Condition.LockHeld(var key, var token) ->
          message.setLockHeld(
              Comparison.LockHeld.newBuilder()
                  .setKey(ByteString.copyFromUtf8(key))
                  .setToken(token));
    }
    return message.build();
  }

  private static Comparison.Relation relation(Condition.Relation relation) {
    return switch (relation) {
      case EQUAL -> Comparison.Relation.EQUAL;
      case NOT_EQUAL -> Comparison.Relation.NOT_EQUAL;
      case LESS -> Comparison.Relation.LESS;
      case GREATER -> Comparison.Relation.GREATER;
    };
  }

  static Operation operation(Step step) {
    Operation.Builder message = Operation.newBuilder();
    switch (step) {
      case Step.Put(var key, var value, var session, var previous) ->
          message.setPut(
              Operation.Put.newBuilder()
                  .setKey(ByteString.copyFromUtf8(key))
                  .setValue(bytes(value))
                  .setSession(session)
                  .setPrevious(previous));
      case Step.Delete(var keys, var previous) ->
          message.setDelete(
              Operation.Delete.newBuilder().setRange(range(keys)).setPrevious(previous));
      case Step.Get(var keys, var limit) ->
          message.setGet(Operation.Get.newBuilder().setRange(range(keys)).setLimit(limit));
    }
    return message.build();
  }

  static TransactionResult transacted(TransactResponse response) {
    List<StepResult> results = new ArrayList<>(response.getResultsCount());
    for (OperationResult result : response.getResultsList()) {
      results.add(result(result));
    }
    return new TransactionResult(response.getSucceeded(), response.getRevision(), results);
  }

  private static StepResult result(OperationResult result) {
    return switch (result.getResultCase()) {
      case DELETED ->
          new StepResult.Deleted(
              result.getDeleted().getCount(), keyValues(result.getDeleted().getPreviousList()));
      case FOUND ->
          new StepResult.Found(
              keyValues(result.getFound().getKeysList()), result.getFound().getMore());
      case DONE, RESULT_NOT_SET ->
          new StepResult.Put(
              result.getDone().hasPrevious()
                  ? Optional.of(keyValue(result.getDone().getPrevious()))
                  : Optional.empty());
    };
  }
}
