package io.stele.gateway.bigtable;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.admin.NotedTypes;
import io.stele.gateway.bigtable.admin.TableAdminService;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.call.ClientFeatures;
import io.stele.gateway.bigtable.data.DataBackend;
import io.stele.gateway.bigtable.data.DataService;
import io.stele.gateway.bigtable.instance.InstanceAdminService;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import io.stele.gateway.bigtable.operation.OperationsService;
import io.stele.gateway.health.HealthService;
import io.stele.gateway.memory.RequestMemory;
import io.stele.gateway.metric.GrpcRequests;
import io.stele.gateway.security.PortSecurity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * A port for Bigtable's clients. Without TLS it is what they expect of {@code
 * BIGTABLE_EMULATOR_HOST}:
 *
 * <pre>{@code
 * BigtableServer port =
 *     BigtableServer.listen(
 *         "127.0.0.1",
 *         8086,
 *         tables,
 *         admin,
 *         Clock.system(),
 *         RandomSource.system(),
 *         () -> true,
 *         Optional.empty());
 * }</pre>
 */
public final class BigtableServer implements AutoCloseable {
  /** The most bytes that a request may have, as the service has it. */
  private static final int MAX_MESSAGE_BYTES = 256 << 20;

  private static final int STOP_SECONDS = 2;
  private static final Duration UPKEEP = Duration.ofMinutes(10);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("stele-bigtable-time").factory());
  private final TableAdminService admin;
  private final Server server;

  private BigtableServer(
      String host,
      int port,
      Tables tables,
      TableAdmin wholes,
      Clock clock,
      RandomGenerator random,
      BooleanSupplier ready,
      Optional<PortSecurity> security)
      throws IOException {
    BigtableCalls calls = new BigtableCalls(threads);
    Notes notes = new Notes(tables, wholes);
    NotedTypes types = new NotedTypes(notes, clock, threads);
    DoneOperations operations = new DoneOperations(notes, clock, random);
    this.admin = new TableAdminService(tables, wholes, notes, types, operations, clock, calls);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(host, port))
            .directExecutor() // handlers do not block
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    security.ifPresent(secured -> secured.secure(builder));
    RequestMemory.ofProcess().guard(builder);
    GrpcRequests.measure(builder);
    List<ServerServiceDefinition> services =
        List.of(
            new DataService(new DataBackend(tables, wholes, types, clock, random), calls)
                .bindService(),
            admin.bindService(),
            new InstanceAdminService(notes, operations, clock, calls).bindService(),
            new OperationsService(operations, calls).bindService());
    ClientFeatures features = new ClientFeatures();
    services.forEach(each -> builder.addService(ServerInterceptors.intercept(each, features)));
    builder.addService(new HealthService(ready, timer));
    this.server = builder.build().start();
    var _ =
        timer.scheduleWithFixedDelay(
            this::upkeep, UPKEEP.toMillis(), UPKEEP.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param tables with the rows of all tables, wherever they are
   * @param ready for gRPC's health checks; must not wait
   * @param security of connections, if they are secured
   */
  public static BigtableServer listen(
      String host,
      int port,
      Tables tables,
      TableAdmin admin,
      Clock clock,
      RandomGenerator random,
      BooleanSupplier ready,
      Optional<PortSecurity> security) {
    try {
      return new BigtableServer(host, port, tables, admin, clock, random, ready, security);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException(
          "cannot listen on "
              + host
              + ":"
              + port
              + " for Bigtable's clients: "
              + cause.getMessage(),
          e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** Each server of a cluster does this; what another has done already is done. */
  private void upkeep() {
    try {
      admin.forgetOld();
    } catch (RuntimeException e) { // one that got away would end it for good
      // Tables are not to be had at the moment: the next time.
    }
  }

  /** Lets calls that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    timer.shutdownNow();
    server.shutdown();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
  }
}
