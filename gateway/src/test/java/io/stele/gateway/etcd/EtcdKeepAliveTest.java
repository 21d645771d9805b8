package io.stele.gateway.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.stele.metastore.Metastore;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LeaseKeepAliveRequest;
import io.stele.protocol.etcd.LeaseKeepAliveResponse;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stream of renewals whose client does not take the answers. */
class EtcdKeepAliveTest {
  private static final int REQUESTS = 20_000;

  private final EtcdMember member = new EtcdMember();
  private final AtomicInteger renewals = new AtomicInteger();

  @AfterEach
  void close() {
    member.close();
  }

  /** The member's metastore, which counts renewals. */
  private Metastore counting() {
    return (Metastore)
        Proxy.newProxyInstance(
            Metastore.class.getClassLoader(),
            new Class<?>[] {Metastore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("renewLease")) {
                renewals.incrementAndGet();
              }
              try {
                return method.invoke(member.node, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Takes answers when it is told to. */
  private static final class Client
      implements ClientResponseObserver<LeaseKeepAliveRequest, LeaseKeepAliveResponse> {
    final CompletableFuture<ClientCallStreamObserver<LeaseKeepAliveRequest>> stream =
        new CompletableFuture<>();
    final AtomicInteger answers = new AtomicInteger();

    @Override
    public void beforeStart(ClientCallStreamObserver<LeaseKeepAliveRequest> requests) {
      requests.disableAutoRequestWithInitial(0);
      stream.complete(requests);
    }

    @Override
    public void onNext(LeaseKeepAliveResponse response) {
      answers.incrementAndGet();
    }

    @Override
    public void onError(Throwable problem) {}

    @Override
    public void onCompleted() {}
  }

  @Test
  void isNotListenedToUntilItTakesThem() {
    member.gateway().serve(counting(), EtcdMember.nobody());
    long lease =
        LeaseGrpc.newBlockingStub(member.channel())
            .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(60).build())
            .getID();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", member.port())
            .usePlaintext()
            .flowControlWindow(65_535)
            .build();
    try {
      Client client = new Client();
      LeaseGrpc.newStub(channel).leaseKeepAlive(client);
      ClientCallStreamObserver<LeaseKeepAliveRequest> stream = client.stream.join();
      LeaseKeepAliveRequest request = LeaseKeepAliveRequest.newBuilder().setID(lease).build();
      for (int i = 0; i < REQUESTS; i++) {
        stream.onNext(request);
      }
      await().during(Duration.ofMillis(300)).until(new Steady(renewals)::isSteady);
      assertThat(renewals.get()).as("renewed without a reader").isBetween(1, REQUESTS / 2);
      stream.request(REQUESTS);
      await().atMost(Duration.ofSeconds(20)).until(() -> client.answers.get() == REQUESTS);
      stream.onCompleted();
    } finally {
      channel.shutdownNow();
    }
  }

  /** A number that is what it was at the last look. */
  private static final class Steady {
    private final AtomicInteger number;
    private int last = -1;

    Steady(AtomicInteger number) {
      this.number = number;
    }

    boolean isSteady() {
      int before = last;
      last = number.get();
      return last > 0 && last == before;
    }
  }
}
