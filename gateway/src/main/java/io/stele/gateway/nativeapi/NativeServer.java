package io.stele.gateway.nativeapi;

import static io.grpc.ServerInterceptors.intercept;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.stele.base.dataset.Datasets;
import io.stele.base.error.UnavailableException;
import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocator;
import io.stele.gateway.memory.RequestMemory;
import io.stele.gateway.metric.GrpcRequests;
import io.stele.gateway.security.NodesOnly;
import io.stele.gateway.security.PortSecurity;
import io.stele.metastore.Metastore;
import io.stele.protocol.local.LocalTransport;
import io.stele.protocol.wire.WireLimits;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.ReplicaPeer;
import io.stele.tables.master.TabletControl;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The native interface on a port. It listens from the start, so that its address is known and other
 * servers can ask for it; it answers {@code NotServing} until it is given what to serve:
 *
 * <pre>{@code
 * NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
 * server.serve(memberAdmin);
 * server.serve(metastore);
 * }</pre>
 */
public final class NativeServer implements AutoCloseable {
  private static final int STOP_SECONDS = 2;

  private final Backend backend = new Backend();
  private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("stele-watch-progress").factory());
  private final TableDataService tables = new TableDataService(backend, blocking);
  private final ReplicaPeerService replicas = new ReplicaPeerService(backend, blocking);
  private final String address;
  private final Server server;
  private final Optional<RowServer> rows;
  private final int port;

  /** Listens; the name is its host, or its whole address within this process. */
  private NativeServer(
      NettyServerBuilder builder,
      String name,
      OptionalInt rowsPort,
      Channels channels,
      MoreServices more,
      Optional<PortSecurity> security)
      throws IOException {
    security.ifPresent(secured -> secured.secure(builder));
    NodesOnly nodesOnly = new NodesOnly();
    this.rows =
        rowsPort.isEmpty()
            ? Optional.empty()
            : Optional.of(
                RowServer.listen(name, rowsPort.getAsInt(), backend::tablesIfServed, security));
    rows.ifPresent(listening -> builder.intercept(new RowsPortHeader(listening.port())));
    more.addTo(builder);
    RequestMemory.ofProcess().guard(builder);
    GrpcRequests.measure(builder);
    this.server =
        builder
            .directExecutor() // handlers do not block: see MetastoreService
            .maxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .intercept(new CallInfo.Reader())
            .addService(new MetastoreService(backend, new Forwarder(channels), blocking, timer))
            .addService(intercept(new MetastorePeerService(backend, blocking), nodesOnly))
            .addService(tables)
            .addService(new TableAdminService(backend, blocking))
            .addService(intercept(new TabletControlService(backend, blocking), nodesOnly))
            .addService(new ClusterService(backend, blocking))
            .addService(intercept(replicas, nodesOnly))
            .addService(new ReplicasService(backend, blocking))
            .addService(new NodeService(backend, blocking))
            .addService(new DatasetsService(backend, blocking))
            .build()
            .start();
    this.port = server.getPort();
    this.address = LocalTransport.isLocal(name) ? name : name + ":" + port;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param channels to the other members, for forwarding; not closed with the server
   */
  public static NativeServer listen(String host, int port, Channels channels) {
    return listen(host, port, OptionalInt.empty(), channels, MoreServices.NONE, Optional.empty());
  }

  /**
   * As {@link #listen(String, int, Channels)}.
   *
   * @param rowsPort also serves single operations on rows there, 0 for any port that is free
   * @param more of other protocols, at the same port
   * @param security of both ports, if they are secured
   */
  public static NativeServer listen(
      String host,
      int port,
      OptionalInt rowsPort,
      Channels channels,
      MoreServices more,
      Optional<PortSecurity> security) {
    return listen(
        NettyServerBuilder.forAddress(new InetSocketAddress(host, port)),
        host,
        rowsPort,
        host + ":" + port,
        channels,
        more,
        security);
  }

  /** Begins to listen to clients of this process, which have no network in between. */
  public static NativeServer listenLocally(String name, Channels channels) {
    String address = LocalTransport.SCHEME + name;
    return listen(
        LocalTransport.server(address),
        address,
        OptionalInt.empty(),
        address,
        channels,
        MoreServices.NONE,
        Optional.empty());
  }

  private static NativeServer listen(
      NettyServerBuilder builder,
      String name,
      OptionalInt rowsPort,
      String where,
      Channels channels,
      MoreServices more,
      Optional<PortSecurity> security) {
    try {
      return new NativeServer(builder, name, rowsPort, channels, more, security);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException("cannot listen on " + where + ": " + cause.getMessage(), e);
    }
  }

  public Serving serve(MemberAdmin admin) {
    return backend.serve(admin);
  }

  public Serving serve(Metastore metastore) {
    return backend.serve(metastore);
  }

  /** Serves tables, all of which are here. */
  public Serving serve(Tables tables, TableAdmin admin) {
    Serving whole = backend.serve(admin);
    Serving rows = serveRows(tables);
    return () -> {
      whole.close();
      rows.close();
    };
  }

  /**
   * Serves the rows of tables. Unless there is a {@link TabletLocator}, which must be there before
   * them, clients take all tables to be here. Streams to tables that were served before end, as
   * does what clients know of their transactions.
   */
  public Serving serveRows(Tables served) {
    Serving serving = backend.serve(served);
    tables.endOthers();
    return () -> {
      serving.close();
      tables.endOthers();
    };
  }

  /** Serves what is done to tables as a whole. */
  public Serving serveAdmin(TableAdmin admin) {
    return backend.serve(admin);
  }

  /** Tells clients on which servers of a cluster tablets are. */
  public Serving serve(TabletLocator locator) {
    return backend.serve(locator);
  }

  /** Takes orders of a cluster's master. */
  public Serving serve(TabletControl control) {
    return backend.serve(control);
  }

  /** Answers as the master of a cluster. */
  public Serving serve(Cluster cluster) {
    return backend.serve(cluster);
  }

  /** Answers other servers of replicated tables. */
  public Serving serve(MetadataPeer metadata, ReplicaPeer replicas) {
    Serving files = backend.serve(metadata);
    Serving changes = backend.serve(replicas);
    return () -> {
      changes.close();
      files.close();
    };
  }

  /** Answers people about replicated tables. */
  public Serving serve(Replicas replicas) {
    return backend.serve(replicas);
  }

  /** Answers lookups in datasets, and what people ask of their versions. */
  public Serving serve(Datasets datasets) {
    return backend.serve(datasets);
  }

  /**
   * Where those are sent who ask for what only a cluster's master can do, while this server is not
   * the master.
   *
   * @param master its address, where it is known; asked by any thread, and must not wait
   */
  public void sendToMaster(Supplier<Optional<String>> master) {
    backend.masterIs(master);
  }

  /**
   * Where to send clients that ask for tables, while this server has none.
   *
   * @param server its address, where it is known; asked by any thread, and must not wait
   */
  public void sendForTables(Supplier<Optional<String>> server) {
    backend.tableServerIs(server);
  }

  /** What it tells of itself to whoever asks; may look at disks. */
  public void inspectBy(Supplier<NodeReport> looking) {
    backend.inspectBy(looking);
  }

  /** All of its services, for a test that must not forget one. */
  List<ServerServiceDefinition> services() {
    return server.getServices();
  }

  public int port() {
    return port;
  }

  /** {@code HOST:PORT} as it was told to listen, or the name within this process. */
  public String address() {
    return address;
  }

  /**
   * Ends the streams of tables in order, before what they are about ends: clients know then what
   * was done, and go on elsewhere.
   */
  public void endTables() {
    rows.ifPresent(RowServer::end);
    tables.end();
  }

  /** Lets calls that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    server.shutdown();
    endTables();
    rows.ifPresent(RowServer::close);
    replicas.end();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    timer.shutdownNow();
    blocking.shutdownNow();
  }
}
