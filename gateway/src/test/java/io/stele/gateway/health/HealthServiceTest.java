package io.stele.gateway.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.stele.protocol.local.LocalTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HealthServiceTest {
  private static final String ADDRESS = LocalTransport.SCHEME + "health-test";

  private final AtomicBoolean ready = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Executors.defaultThreadFactory());
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    timer.setRemoveOnCancelPolicy(true);
    server =
        LocalTransport.server(ADDRESS)
            .addService(new HealthService(ready::get, timer))
            .build()
            .start();
    channel = LocalTransport.channel(ADDRESS).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    timer.shutdownNow();
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  @Test
  void theServerServesAsLongAsItIsReady() {
    HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);

    assertThat(health.check(of("")).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    ready.set(true);
    assertThat(health.check(of("")).getStatus()).isEqualTo(ServingStatus.SERVING);
    assertThatThrownBy(() -> health.check(of("other")))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
  }

  @Test
  void aWatchTellsOfChangesAndEndsWithItsCaller() {
    Iterator<HealthCheckResponse> watch = HealthGrpc.newBlockingStub(channel).watch(of(""));

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    ready.set(true);
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    await().atMost(Duration.ofSeconds(60)).until(() -> timer.getQueue().size() == 1);
    channel.shutdownNow();
    await().atMost(Duration.ofSeconds(60)).until(() -> timer.getQueue().isEmpty());
  }

  @Test
  void aWatchOfAnUnknownServiceSaysSo() {
    Iterator<HealthCheckResponse> watch = HealthGrpc.newBlockingStub(channel).watch(of("other"));

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
  }
}
