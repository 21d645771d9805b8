package io.stele.gateway.etcd;

import static io.stele.gateway.etcd.EtcdMember.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.stele.base.error.NotServingException;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.metastore.Metastore;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LockGrpc;
import io.stele.protocol.etcd.LockRequest;
import io.stele.protocol.etcd.LockResponse;
import io.stele.protocol.etcd.RangeRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that a follower passes on to the leader. */
class EtcdFollowerTest {
  private final EtcdMember leader = new EtcdMember();
  private final Channels channels = new Channels();
  private NativeServer nativePort;
  private EtcdGateway gateway;
  private EtcdServer server;
  private ManagedChannel channel;

  @BeforeEach
  void open() {
    nativePort =
        NativeServer.listen(
            "127.0.0.1", 0, OptionalInt.empty(), channels, leader.gateway(), Optional.empty());
    gateway = new EtcdGateway(channels);
    gateway.serve(follower(), EtcdMember.nobody());
    server = EtcdServer.listen("127.0.0.1", 0, gateway);
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    server.close();
    gateway.close();
    nativePort.close();
    channels.close();
    leader.close();
  }

  /** Answers about itself, and knows who leads. */
  private Metastore follower() {
    return (Metastore)
        Proxy.newProxyInstance(
            Metastore.class.getClassLoader(),
            new Class<?>[] {Metastore.class},
            (proxy, method, arguments) -> {
              boolean local =
                  method.getReturnType() != CompletableFuture.class
                      || (arguments.length == 3 && method.getName().equals("read"));
              return local
                  ? method.invoke(leader.node, arguments)
                  : CompletableFuture.failedFuture(
                      new NotServingException("another leads", nativePort.address()));
            });
  }

  private long queued() {
    return leader
        .keys()
        .range(
            RangeRequest.newBuilder()
                .setKey(bytes("lock/"))
                .setRangeEnd(bytes("lock0"))
                .setCountOnly(true)
                .build())
        .getCount();
  }

  @Test
  void anAnswerOfAnySizeComesFromTheLeader() {
    for (int i = 0; i < 12; i++) {
      leader.put("large" + i, "v".repeat(1 << 20));
    }
    assertThat(
            KVGrpc.newBlockingStub(channel)
                .range(
                    RangeRequest.newBuilder()
                        .setKey(bytes("large"))
                        .setRangeEnd(bytes("large~"))
                        .build())
                .getKvsCount())
        .isEqualTo(12);
  }

  @Test
  void aCallerThatLeavesIsTakenOutOfTheQueueAtTheLeader() throws Exception {
    long lease =
        LeaseGrpc.newBlockingStub(channel)
            .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(600).build())
            .getID();
    LockGrpc.LockFutureStub locks = LockGrpc.newFutureStub(channel);
    LockResponse held = locks.lock(LockRequest.newBuilder().setName(bytes("lock")).build()).get();
    assertThat(held.getKey().isEmpty()).isFalse();
    ListenableFuture<LockResponse> waiting =
        locks.lock(LockRequest.newBuilder().setName(bytes("lock")).setLease(lease).build());
    await().until(() -> queued() == 2);

    waiting.cancel(true);

    await().atMost(Duration.ofSeconds(10)).until(() -> queued() == 1);
  }
}
