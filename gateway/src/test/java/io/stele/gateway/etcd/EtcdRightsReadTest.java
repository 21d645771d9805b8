package io.stele.gateway.etcd;

import static io.stele.gateway.etcd.EtcdMember.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.stub.StreamObserver;
import io.stele.metastore.Metastore;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.PutResponse;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers' rights that have to be read from the disk hold up nobody else. */
class EtcdRightsReadTest {
  private final EtcdMember member = new EtcdMember();
  private final CompletableFuture<Void> disk = new CompletableFuture<>();
  private final AtomicBoolean slow = new AtomicBoolean(); // for the next read

  @AfterEach
  void close() {
    disk.complete(null);
    member.close();
  }

  /** The rights are read by the only call of {@code read} there is. */
  private Metastore withSlowDisk() {
    return (Metastore)
        Proxy.newProxyInstance(
            Metastore.class.getClassLoader(),
            new Class<?>[] {Metastore.class},
            (proxy, method, arguments) ->
                method.getName().equals("read") && slow.getAndSet(false)
                    ? disk.thenCompose(
                        _ -> {
                          try {
                            return (CompletableFuture<?>) method.invoke(member.node, arguments);
                          } catch (ReflectiveOperationException e) {
                            return CompletableFuture.failedFuture(e);
                          }
                        })
                    : method.invoke(member.node, arguments));
  }

  private ListenableFuture<PutResponse> put(String key) {
    return KVGrpc.newFutureStub(member.channel())
        .put(PutRequest.newBuilder().setKey(bytes(key)).build());
  }

  @Test
  void aRequestThatWaitsForThemLeavesItsConnectionToOthers() throws Exception {
    member.gateway().serve(withSlowDisk(), EtcdMember.nobody());
    slow.set(true);
    ListenableFuture<PutResponse> waiting = put("a");
    await().untilFalse(slow);
    assertThat(put("b").get(10, TimeUnit.SECONDS).getHeader().getRevision()).isEqualTo(2);
    assertThat(waiting.isDone()).isFalse();
    disk.complete(null);
    assertThat(waiting.get(10, TimeUnit.SECONDS).getHeader().getRevision()).isEqualTo(3);
  }

  @Test
  void watchesOfAStreamAreMadeInOrder() throws Exception {
    member.gateway().serve(withSlowDisk(), EtcdMember.nobody());
    slow.set(true);
    List<WatchResponse> told = new CopyOnWriteArrayList<>();
    StreamObserver<WatchRequest> requests =
        WatchGrpc.newStub(member.channel())
            .watch(
                new StreamObserver<>() {
                  @Override
                  public void onNext(WatchResponse response) {
                    told.add(response);
                  }

                  @Override
                  public void onError(Throwable problem) {}

                  @Override
                  public void onCompleted() {}
                });
    for (long id = 7; id <= 8; id++) {
      requests.onNext(
          WatchRequest.newBuilder()
              .setCreateRequest(WatchCreateRequest.newBuilder().setKey(bytes("k")).setWatchId(id))
              .build());
    }
    await().untilFalse(slow);
    put("b").get(10, TimeUnit.SECONDS);
    assertThat(told).isEmpty();
    disk.complete(null);
    await().until(() -> told.size() == 2);
    assertThat(told).extracting(WatchResponse::getWatchId).containsExactly(7L, 8L);
    requests.onCompleted();
  }
}
