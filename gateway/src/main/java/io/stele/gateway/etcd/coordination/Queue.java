package io.stele.gateway.etcd.coordination;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Selection.Order;
import io.stele.metastore.command.Selection.Target;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Who wants a lock, or an election: one key each below a name, which ends with a lease.
 *
 * <pre>
 *   key := name "/" lease in hexadecimal digits
 * </pre>
 *
 * <p>The key that was created first has it. This is the form of etcd's own client library, so that
 * programs that use it and programs that call these services stand in the same queue. Methods wait
 * for their answers: they are for virtual threads.
 */
final class Queue {
  private final Metastore metastore;
  private final Grant grant;
  private final String principal;
  private final ByteString prefix;

  Queue(Metastore metastore, Grant grant, ByteString name) {
    this.metastore = metastore;
    this.grant = grant;
    this.principal = grant.principal();
    this.prefix = name.concat(ByteString.copyFromUtf8("/"));
  }

  KeyRange range() {
    return Ranges.prefix(prefix);
  }

  Bytes key(long lease) {
    return Ranges.key(prefix.concat(ByteString.copyFromUtf8(Long.toHexString(lease))));
  }

  /** Takes a place, or finds the one that the lease has already, and what stands there. */
  KeyValue enter(long lease, Bytes value) {
    Bytes key = key(lease);
    grant.checkWrite(KeyRange.of(key));
    Answer.Transacted answer =
        transact(
            created(key, 0),
            List.of(new Operation.Assign(key, value, lease, false, false, false)),
            List.of(new Operation.Select(Selection.of(KeyRange.of(key)))));
    if (answer.succeeded()) {
      return new KeyValue(key, value, answer.revision(), answer.revision(), 1, 0, lease);
    }
    return answer.results().getFirst() instanceof OperationResult.Selected found
            && !found.keys().isEmpty()
        ? found.keys().getFirst()
        : enter(lease, value); // it ended in between
  }

  /** Waits until all who came before are gone. */
  void awaitTurn(long created, CompletableFuture<Void> gone) {
    while (true) {
      RangeAnswer before = select(Order.DESCENDING, created - 1, Consistency.LINEARIZABLE);
      if (before.keys().isEmpty()) {
        checkCaller(gone);
        return;
      }
      awaitDeletion(before.keys().getFirst().key(), before.revision() + 1, gone);
    }
  }

  /** Who has it now, as of which revision. */
  RangeAnswer first() {
    return select(Order.ASCENDING, 0, Consistency.LINEARIZABLE);
  }

  /** As this member knows it. */
  RangeAnswer firstHere() {
    return select(Order.ASCENDING, 0, Consistency.STALE);
  }

  private RangeAnswer select(Order order, long maxCreated, Consistency consistency) {
    grant.checkRead(range());
    return join(
        metastore.select(
            principal,
            new Selection(
                range(),
                0,
                1,
                order,
                Target.CREATED,
                false,
                false,
                new Selection.Bounds(0, 0, 0, maxCreated)),
            consistency));
  }

  Optional<KeyValue> get(Bytes key) {
    return join(
            metastore.select(principal, Selection.of(KeyRange.of(key)), Consistency.LINEARIZABLE))
        .keys()
        .stream()
        .findFirst();
  }

  static Comparison created(Bytes key, long revision) {
    return new Comparison.Property(KeyRange.of(key), Field.CREATED, Relation.EQUAL, revision);
  }

  Answer.Transacted transact(
      Comparison condition, List<Operation> then, List<Operation> otherwise) {
    return join(
        metastore.transact(
            Origin.of(principal),
            new Transaction(List.of(condition), then, otherwise, Optional.empty())));
  }

  Answer.Transacted delete(Bytes key) {
    grant.checkWrite(KeyRange.of(key));
    return join(
        metastore.transact(
            Origin.of(principal), Transaction.of(new Operation.Delete(KeyRange.of(key), false))));
  }

  private void awaitDeletion(Bytes key, long from, CompletableFuture<Void> gone) {
    CompletableFuture<Void> deleted = new CompletableFuture<>();
    try (Watch _ =
        metastore.watch(
            principal, new WatchRequest(KeyRange.of(key), from, false), new Deletion(deleted))) {
      join(CompletableFuture.anyOf(deleted, gone));
    }
    checkCaller(gone);
  }

  /** A turn of a caller who is gone is nobody's. */
  private static void checkCaller(CompletableFuture<Void> gone) {
    if (gone.isDone()) {
      throw Status.CANCELLED.withDescription("the caller is gone").asRuntimeException();
    }
  }

  /** Waits; what goes wrong is thrown as it is. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException problem ? problem : e;
    }
  }

  /** Completes with the first deletion; what was compacted meanwhile is looked at again. */
  private record Deletion(CompletableFuture<Void> deleted) implements WatchSink {
    @Override
    public void started(long revision) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void events(long revision, List<KeyEvent> events) {
      if (events.stream().anyMatch(KeyEvent::deleted)) {
        deleted.complete(null);
      }
    }

    @Override
    public void progress(long revision) {}

    @Override
    public void compacted(long oldest) {
      deleted.complete(null);
    }

    @Override
    public void failed(SteleException problem) {
      deleted.completeExceptionally(problem);
    }
  }
}
