package io.stele.gateway.etcd.coordination;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.command.KeyValue;
import io.stele.protocol.etcd.LockGrpc;
import io.stele.protocol.etcd.LockRequest;
import io.stele.protocol.etcd.LockResponse;
import io.stele.protocol.etcd.UnlockRequest;
import io.stele.protocol.etcd.UnlockResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;

/**
 * etcd's locks. A lock is held by who created its key first, as long as that key is there; who had
 * to wait looks again whether its own key is, because its lease may have ended meanwhile.
 */
public final class LockService extends LockGrpc.LockImplBase {
  private static final String EXPIRED = "mutex: session is expired";

  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final ExecutorService blocking;
  private final RandomGenerator random;

  public LockService(
      EtcdCalls calls, Access access, ExecutorService blocking, RandomGenerator random) {
    this.calls = calls;
    this.access = access;
    this.backend = calls.backend();
    this.blocking = blocking;
    this.random = random;
  }

  @Override
  public void lock(LockRequest request, StreamObserver<LockResponse> caller) {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    ((ServerCallStreamObserver<LockResponse>) caller).setOnCancelHandler(() -> gone.complete(null));
    calls.await(
        LockGrpc.getLockMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () ->
                  Leases.under(
                      request.getLease(),
                      metastore,
                      random,
                      lease -> lock(new Queue(metastore, grant, request.getName()), lease, gone)),
              blocking);
        });
  }

  private LockResponse lock(Queue queue, long lease, CompletableFuture<Void> gone) {
    KeyValue mine = queue.enter(lease, Bytes.EMPTY);
    try {
      queue.awaitTurn(mine.created(), gone);
    } catch (RuntimeException e) {
      queue.delete(mine.key()); // nobody is left who would
      throw e;
    }
    if (queue.get(mine.key()).map(KeyValue::created).orElse(0L) != mine.created()) {
      throw Status.UNKNOWN.withDescription(EXPIRED).asRuntimeException();
    }
    return LockResponse.newBuilder()
        .setHeader(backend.header())
        .setKey(Ranges.bare(mine.key()))
        .build();
  }

  @Override
  public void unlock(UnlockRequest request, StreamObserver<UnlockResponse> caller) {
    calls.answer(
        LockGrpc.getUnlockMethod(),
        request,
        caller,
        (metastore, who) -> {
          Grant grant = access.of(who);
          return CompletableFuture.supplyAsync(
              () -> {
                long revision =
                    new Queue(metastore, grant, ByteString.EMPTY)
                        .delete(Ranges.key(request.getKey()))
                        .revision();
                return UnlockResponse.newBuilder().setHeader(backend.header(revision)).build();
              },
              blocking);
        });
  }
}
