package io.stele.gateway.etcd;

import io.grpc.BindableService;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptors;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.AuthService;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.LeaderWait;
import io.stele.gateway.etcd.cluster.ClusterService;
import io.stele.gateway.etcd.cluster.MaintenanceService;
import io.stele.gateway.etcd.coordination.ElectionService;
import io.stele.gateway.etcd.coordination.LockService;
import io.stele.gateway.etcd.kv.KvService;
import io.stele.gateway.etcd.lease.LeaseService;
import io.stele.gateway.etcd.watch.WatchService;
import io.stele.gateway.health.HealthService;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.gateway.nativeapi.MoreServices;
import io.stele.metastore.Metastore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * etcd's version 3 API over a metastore. The services are at the server's native address, where
 * members forward to each other what only the leader can do, and at a port of their own, where
 * etcd's clients look for them:
 *
 * <pre>{@code
 * EtcdGateway etcd = new EtcdGateway(channels);
 * NativeServer server = NativeServer.listen(
 *     "127.0.0.1", 7835, OptionalInt.of(7837), channels, etcd, Optional.empty());
 * etcd.serve(metastore, admin);
 * EtcdServer port = EtcdServer.listen("127.0.0.1", 2379, etcd);
 * }</pre>
 */
public final class EtcdGateway implements MoreServices, AutoCloseable {
  private final EtcdBackend backend = new EtcdBackend(Clock.system());
  private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("stele-etcd-time").factory());
  private final EtcdOptions options;
  private final List<BindableService> services;
  private final List<BindableService> plain = new CopyOnWriteArrayList<>(); // of no protocol

  public EtcdGateway(Channels channels) {
    this(channels, EtcdOptions.DEFAULT);
  }

  /** Serves nothing until it is given what to serve. */
  public EtcdGateway(Channels channels, EtcdOptions options) {
    this.options = options;
    RandomGenerator random = RandomSource.system();
    Access access = new Access(random, Clock.system());
    LeaderWait waits =
        new LeaderWait(Clock.system(), timer, backend::lead, options.requestTimeout());
    backend.streams().add(waits);
    EtcdCalls calls = new EtcdCalls(backend, channels, access, waits);
    this.services =
        List.of(
            new KvService(
                calls, access, (int) options.maxRequestBytes().bytes(), options.maxOperations()),
            new WatchService(backend, access, timer, options.progressInterval()),
            new LeaseService(calls, access, random),
            new LockService(calls, access, blocking, random),
            new ElectionService(calls, access, blocking, random),
            new ClusterService(calls, access, blocking, channels.tls().isPresent()),
            new MaintenanceService(calls, access, blocking),
            new AuthService(calls, access, blocking));
  }

  public void serve(Metastore metastore, MemberAdmin admin) {
    backend.serve(metastore, admin);
  }

  /**
   * Answers gRPC's health checks as well; to be called before servers are made.
   *
   * @param ready must not wait
   */
  public void serveHealth(BooleanSupplier ready) {
    plain.add(new HealthService(ready, timer));
  }

  @Override
  public void addTo(ServerBuilder<?> server) {
    plain.forEach(server::addService);
    EtcdCaller.Reader reader = new EtcdCaller.Reader();
    services.forEach(service -> server.addService(ServerInterceptors.intercept(service, reader)));
  }

  EtcdOptions options() {
    return options;
  }

  EtcdBackend backend() {
    return backend;
  }

  /**
   * Ends all streams, and requests that wait for a leader, in words, so that clients go on
   * elsewhere; and those yet to come.
   */
  public void endStreams() {
    backend.streams().end();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    blocking.shutdownNow();
  }
}
