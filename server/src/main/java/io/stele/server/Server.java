package io.stele.server;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Defects;
import io.stele.base.event.Events;
import io.stele.base.file.LocalFileStore;
import io.stele.base.node.NodeReport;
import io.stele.base.settings.Settings;
import io.stele.base.table.Replicas;
import io.stele.base.time.Clock;
import io.stele.cli.SteleVersion;
import io.stele.engine.StoreEvent;
import io.stele.gateway.etcd.EtcdGateway;
import io.stele.gateway.etcd.EtcdServer;
import io.stele.gateway.metric.Requests;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.security.PortSecurity;
import io.stele.metastore.raft.RaftEvent;
import io.stele.server.admin.AdminPort;
import io.stele.server.admin.AdminSettings;
import io.stele.server.admin.NodeView;
import io.stele.server.admin.Readiness;
import io.stele.server.cluster.ClusterEvent;
import io.stele.server.front.TableFront;
import io.stele.server.log.LogSettings;
import io.stele.server.replicas.ReplicatedTables;
import io.stele.tables.TabletServer;
import io.stele.tables.event.TableEvent;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running server: the roles of its settings, on one directory, behind one gateway.
 *
 * <pre>{@code
 * Settings settings =
 *     ServerSchema.SCHEMA.reader().flags(List.of("server.data=/tmp/stele")).merge();
 * try (Server server = Server.start(settings, events)) {
 *   String address = server.addresses().nativeAddress();
 *   server.ended().join();
 * }
 * }</pre>
 */
public final class Server implements AutoCloseable {

  private final Path data;
  private final Events events;
  private final Addresses addresses;
  private final boolean secured;
  private final String gateway;
  private final Optional<MetastoreRole> metastore;
  private final Optional<TablesRole> tables;
  private final TableFront front;
  private final Optional<ReplicatedTables> replicas;
  private final Optional<DatasetsRole> datasets;
  private final Parts parts;
  private final Inspection inspection;
  private final Readiness readiness;
  private final CompletableFuture<Void> ended;
  private final AtomicBoolean stopping = new AtomicBoolean();

  private Server(
      Path data,
      Events events,
      Addresses addresses,
      boolean secured,
      String gateway,
      Optional<MetastoreRole> metastore,
      Optional<TablesRole> tables,
      TableFront front,
      Optional<ReplicatedTables> replicas,
      Optional<DatasetsRole> datasets,
      Parts parts,
      Inspection inspection,
      Readiness readiness,
      CompletableFuture<Void> ended) {
    this.data = data;
    this.events = events;
    this.addresses = addresses;
    this.secured = secured;
    this.gateway = gateway;
    this.metastore = metastore;
    this.tables = tables;
    this.front = front;
    this.replicas = replicas;
    this.datasets = datasets;
    this.parts = parts;
    this.inspection = inspection;
    this.readiness = readiness;
    this.ended = ended;
  }

  /** Starts a server with settings of {@link ServerSchema}; it is ready on return. */
  public static Server start(Settings settings, Events events) throws IOException {
    return start(settings, events, false);
  }

  /** Starts all parts of a server for this process alone: it listens on no port. */
  static Server embed(Settings settings, Events events) throws IOException {
    return start(settings, events, true);
  }

  private static Server start(Settings settings, Events events, boolean embedded)
      throws IOException {
    Parts parts = new Parts(events);
    boolean started = false;
    try (Ports.Reserved reserved = new Ports.Reserved()) {
      Server server = start(settings, events, embedded, parts, reserved);
      started = true;
      return server;
    } finally {
      if (!started) {
        parts.close();
      }
    }
  }

  private static Server start(
      Settings settings, Events events, boolean embedded, Parts parts, Ports.Reserved reserved)
      throws IOException {
    Assembly.check(settings);
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    LocalFileStore directory = parts.add("the lock of its directory", open(server.data()));
    Addresses.remove(directory); // of a process that was killed
    Path data = server.data().toRealPath();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    parts.add(
        "the watch for failures",
        events.subscribe(
            RaftEvent.MemberFailed.class,
            failed -> ended.completeExceptionally(new UnavailableException(failed.text()))));
    parts.add(
        "the watch for foreign files",
        events.subscribe(
            ClusterEvent.WrongFiles.class,
            wrong -> ended.completeExceptionally(new InvalidRequestException(wrong.text()))));
    parts.add(
        "the watch for dead threads of tables",
        events.subscribe(
            TableEvent.WorkerDied.class,
            died -> ended.completeExceptionally(new UnavailableException(died.text()))));
    parts.add(
        "the watch for dead threads of stores",
        events.subscribe(
            StoreEvent.WorkerDied.class,
            died -> ended.completeExceptionally(new UnavailableException(died.text()))));
    parts.add("the watch for defects", Defects.ofProcess().listen(events::publish));
    LogSettings log = settings.bind(LogSettings.class, ServerSchema.OUTPUT);
    Requests.ofProcess().tellSlow(log.slowRequest(), events::publish);
    Readiness readiness = new Readiness();
    Optional<ServerSecurity> security =
        embedded
            ? Optional.empty()
            : settings.bind(TlsSettings.class, ServerSchema.TLS).open(Clock.system(), events);
    Channels channels =
        parts.add(
            "connections to other members", new Channels(security.map(ServerSecurity::amongNodes)));
    EtcdSettings forEtcd = settings.bind(EtcdSettings.class, ServerSchema.ETCD);
    EtcdGateway etcd = parts.add("etcd's API", new EtcdGateway(channels, forEtcd.options()));
    etcd.serveHealth(readiness::isReady);
    Addresses chosen =
        embedded
            ? Addresses.unused()
            : listenForEtcd(
                settings,
                directory,
                etcd,
                forEtcd.security(security, Clock.system(), events),
                parts,
                reserved);
    NativeServer gateway =
        parts.add(
            "the native interface",
            embedded
                ? NativeServer.listenLocally(data.toString(), channels)
                : NativeServer.listen(
                    server.listen(),
                    Addresses.port(chosen.nativeAddress()),
                    Ports.ofRows(server),
                    channels,
                    etcd,
                    security.map(ServerSecurity::ports)));
    Inspection inspection =
        new Inspection(chosen.nativeAddress(), server.roles(), Clock.system())
            .directory("the server", data);
    gateway.inspectBy(inspection);
    parts.add("the watch for problems of tables", ProblemWatch.start(events, inspection));
    NodeView view =
        NodeView.of(readiness, SteleVersion.current(), chosen.byInterface(), inspection, events);
    parts.add("the metrics", view.metrics());
    if (!chosen.adminAddress().isEmpty()) {
      parts.add(
          "the admin port",
          AdminPort.listen(
              settings.bind(AdminSettings.class, ServerSchema.ADMIN),
              Addresses.port(chosen.adminAddress()),
              ServerSchema.SCHEMA,
              settings,
              view,
              ended,
              security.map(ServerSecurity::ports)));
    }
    Assembly roles =
        new Assembly(
            settings,
            data,
            chosen,
            embedded ? gateway.address() : chosen.nativeAddress(),
            gateway,
            channels,
            security.map(ServerSecurity::ports),
            events,
            parts,
            inspection,
            view);
    Optional<MetastoreRole> metastore = roles.metastore();
    metastore.ifPresent(role -> role.serve(etcd));
    parts.add("the streams of etcd's clients", etcd::endStreams);
    TableFront front = roles.front(metastore);
    Optional<TablesRole> tables = roles.tables(metastore, front);
    Optional<ReplicatedTables> replicas = roles.replicas(metastore, front);
    Optional<DatasetsRole> datasets =
        roles.datasets(embedded ? Optional.empty() : Optional.of(server.listen()));
    Addresses addresses =
        chosen.bigtableAddress().isEmpty()
            ? chosen
            : roles.bigtable(front, datasets, server.listen());
    boolean formed = metastore.map(MetastoreRole::formed).orElse(true);
    if (!embedded) {
      parts.add("addresses.json", () -> Addresses.remove(directory));
      addresses.write(directory);
    }
    readiness.started();
    events.publish(new ServerEvent.Started(data.toString(), gateway.address(), formed));
    return new Server(
        data,
        events,
        addresses,
        security.isPresent(),
        gateway.address(),
        metastore,
        tables,
        front,
        replicas,
        datasets,
        parts,
        inspection,
        readiness,
        ended);
  }

  /**
   * Chooses all ports, and listens to etcd's clients, who are answered once there is a metastore.
   * Of two servers that find the usual port free, one comes too late, and has none.
   */
  private static Addresses listenForEtcd(
      Settings settings,
      LocalFileStore directory,
      EtcdGateway etcd,
      Optional<PortSecurity> security,
      Parts parts,
      Ports.Reserved reserved)
      throws IOException {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    EtcdSettings how = settings.bind(EtcdSettings.class, ServerSchema.ETCD);
    DatasetsSettings datasets = settings.bind(DatasetsSettings.class, ServerSchema.DATASETS);
    BigtableSettings bigtable = settings.bind(BigtableSettings.class, ServerSchema.BIGTABLE);
    AdminSettings admin = settings.bind(AdminSettings.class, ServerSchema.ADMIN);
    Ports ports = Ports.choose(server, datasets, how, bigtable, admin, directory, reserved);
    if (ports.etcdPort() != 0) {
      try {
        parts.add(
            "the port for etcd's clients",
            EtcdServer.listen(server.listen(), ports.etcdPort(), etcd, security));
      } catch (UnavailableException e) {
        if (ports.etcdPort() != EtcdSettings.USUAL_PORT) {
          throw e;
        }
        ports = ports.withoutEtcd();
      }
    }
    String host = server.reachableHost();
    boolean everywhere = ServerSettings.isEverywhere(admin.listen());
    return Addresses.of(host, everywhere ? host : admin.listen(), ports);
  }

  private static LocalFileStore open(Path data) {
    try {
      return LocalFileStore.openExclusive(data);
    } catch (AccessDeniedException e) {
      throw new InvalidRequestException(
          "no right to write to the directory " + data + " of server.data", e);
    } catch (IOException e) {
      // Of the JDK's own, most messages are a path alone.
      String reason = e instanceof FileSystemException ? e.toString() : e.getMessage();
      throw new InvalidRequestException(
          "cannot use " + data + " as the directory of server.data: " + reason, e);
    }
  }

  public Addresses addresses() {
    return addresses;
  }

  /** Whether its ports speak TLS. */
  boolean secured() {
    return secured;
  }

  /** Where clients of its own process reach it. */
  String gateway() {
    return gateway;
  }

  /** Its tables of all kinds, as clients are given them. */
  TableFront front() {
    return front;
  }

  /** Its replicated tables; fails where it has none. */
  Replicas replicas() {
    return front.replicas(
        replicas
            .orElseThrow(
                () -> new NotServingException("server at " + data + " has no replicated tables"))
            .replicas());
  }

  /** Its tablet tables; fails where it has none. */
  TabletServer tables() {
    return tables
        .map(TablesRole::tables)
        .orElseThrow(() -> new NotServingException("server at " + data + " has no tables"));
  }

  /** Its datasets; fails where it has none. */
  Datasets datasets() {
    return datasets
        .map(DatasetsRole::datasets)
        .orElseThrow(() -> new NotServingException("server at " + data + " has no datasets"));
  }

  /**
   * From now on looks for new versions of datasets at each signal HUP, where it has datasets; the
   * signal ends the process otherwise.
   */
  void refreshAtHangUp() {
    if (datasets.isPresent()) {
      boolean _ = HangUp.run(this::refreshDatasets);
    }
  }

  /** Looks for new versions of datasets; what fails is told. */
  void refreshDatasets() {
    try {
      datasets().refresh();
    } catch (SteleException e) {
      events.publish(new ServerEvent.RefreshFailed(e));
    }
  }

  /** How it is, and its machine. */
  NodeReport inspect() {
    return inspection.get();
  }

  /** Whether it has tables. */
  boolean hasTables() {
    return tables.isPresent();
  }

  /** Whether it belongs to a group; if not, it waits to be made a member. */
  public boolean formed() {
    return metastore.map(MetastoreRole::formed).orElse(true);
  }

  /** Completes when it has stopped; fails as soon as it can do its work no longer. */
  public CompletableFuture<Void> ended() {
    return ended;
  }

  /** Stops it, part by part, and waits until it has stopped. */
  @Override
  public void close() {
    if (stopping.compareAndSet(false, true)) {
      readiness.stopping();
      events.publish(new ServerEvent.Stopping(data.toString()));
    }
    parts.close();
    ended.complete(null);
  }
}
