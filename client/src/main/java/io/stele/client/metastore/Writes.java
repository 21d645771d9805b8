package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.protocol.v1.DeleteRequest;
import io.stele.protocol.v1.DeleteResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.Origin;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.v1.PutResponse;
import io.stele.protocol.v1.TransactRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The requests that change keys, whoever numbers them. */
final class Writes {
  private Writes() {}

  /** Sends a change, under whatever name for ever it gives it: none if the origin is empty. */
  interface Sender {
    <Q, R> CompletableFuture<R> send(MethodDescriptor<Q, R> method, Function<Origin, Q> toRequest);
  }

  static CompletableFuture<PutResult> put(
      Sender sender, String key, Bytes value, long owner, boolean previous) {
    return sender
        .send(
            MetastoreGrpc.getPutMethod(),
            origin ->
                PutRequest.newBuilder()
                    .setOrigin(origin)
                    .setKey(ByteString.copyFromUtf8(key))
                    .setValue(Wire.bytes(value))
                    .setSession(owner)
                    .setPrevious(previous)
                    .build())
        .thenApply(Writes::result);
  }

  private static PutResult result(PutResponse response) {
    return new PutResult(
        response.getRevision(),
        response.hasPrevious()
            ? Optional.of(Wire.keyValue(response.getPrevious()))
            : Optional.empty());
  }

  static CompletableFuture<DeleteResult> delete(Sender sender, Keys keys, boolean previous) {
    return sender
        .send(
            MetastoreGrpc.getDeleteMethod(),
            origin ->
                DeleteRequest.newBuilder()
                    .setOrigin(origin)
                    .setRange(Wire.range(keys))
                    .setPrevious(previous)
                    .build())
        .thenApply(Writes::result);
  }

  private static DeleteResult result(DeleteResponse response) {
    return new DeleteResult(
        response.getRevision(), response.getCount(), Wire.keyValues(response.getPreviousList()));
  }

  static CompletableFuture<TransactionResult> transact(Sender sender, Transaction transaction) {
    TransactRequest.Builder request = TransactRequest.newBuilder();
    transaction.conditions().forEach(c -> request.addComparisons(Wire.comparison(c)));
    transaction.thenSteps().forEach(step -> request.addThen(Wire.operation(step)));
    transaction.otherwiseSteps().forEach(step -> request.addOtherwise(Wire.operation(step)));
    TransactRequest unnumbered = request.build();
    return sender
        .send(
            MetastoreGrpc.getTransactMethod(),
            origin -> unnumbered.toBuilder().setOrigin(origin).build())
        .thenApply(Wire::transacted);
  }
}
