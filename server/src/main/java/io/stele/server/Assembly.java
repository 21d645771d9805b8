package io.stele.server;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.settings.Settings;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.dataset.DatasetTables;
import io.stele.client.metastore.ClientSettings;
import io.stele.gateway.bigtable.BigtableServer;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.security.PortSecurity;
import io.stele.server.admin.NodeView;
import io.stele.server.cluster.ClusterNode;
import io.stele.server.cluster.ClusterNodeSettings;
import io.stele.server.front.TableFront;
import io.stele.server.metrics.ServiceSources;
import io.stele.server.replicas.ReplicaNode;
import io.stele.server.replicas.ReplicaNodeSettings;
import io.stele.server.replicas.ReplicatedTables;
import io.stele.tables.TabletServer;
import io.stele.tables.master.MasterSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Starts the roles of a server behind its gateway: of each kind of tables the right one.
 *
 * <pre>
 *   tables.shared    group                      tables
 *   yes              any                        a node of a cluster
 *   no               of this server alone       its own
 *   no               of several                 its own if it had some, from when it leads
 * </pre>
 */
final class Assembly {
  private static final Duration REGISTER_PATIENCE = Duration.ofSeconds(10);

  private final Settings settings;
  private final ServerSettings server;
  private final TablesSettings tables;
  private final Path data;
  private final Addresses addresses;
  private final String self;
  private final NativeServer gateway;
  private final Channels channels;
  private final Optional<PortSecurity> security;
  private final Events events;
  private final Parts parts;
  private final Inspection inspection;
  private final NodeView view;
  private final ReplicatedTables replicated = new ReplicatedTables();

  /**
   * Roles to be started.
   *
   * @param self how this server reaches itself, which may be without a network
   * @param security of its ports, if they are secured
   */
  Assembly(
      Settings settings,
      Path data,
      Addresses addresses,
      String self,
      NativeServer gateway,
      Channels channels,
      Optional<PortSecurity> security,
      Events events,
      Parts parts,
      Inspection inspection,
      NodeView view) {
    this.settings = settings;
    this.server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    this.tables = settings.bind(TablesSettings.class, ServerSchema.TABLES);
    this.data = data;
    this.addresses = addresses;
    this.self = self;
    this.gateway = gateway;
    this.channels = channels;
    this.security = security;
    this.events = events;
    this.parts = parts;
    this.inspection = inspection;
    this.view = view;
  }

  /** Refuses settings that are right each by itself, and make no server together. */
  static void check(Settings settings) {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    Exposure.check(settings);
    TablesSettings tables = settings.bind(TablesSettings.class, ServerSchema.TABLES);
    DatasetsSettings datasets = settings.bind(DatasetsSettings.class, ServerSchema.DATASETS);
    if (server.has(Role.DATASETS)
        && datasets.cluster().isPresent()
        && !server.has(Role.METASTORE)
        && server.metastore().isEmpty()) {
      throw new InvalidRequestException(
          "datasets.cluster is "
              + datasets.cluster().get()
              + " and roles are "
              + String.join(", ", server.roles())
              + ", without metastore: server.metastore must name the servers that have it");
    }
    if (tables.shared()) {
      return;
    }
    if (server.has(Role.TABLES) && !server.has(Role.METASTORE)) {
      throw new InvalidRequestException(
          "roles are "
              + String.join(", ", server.roles())
              + " and tables.shared is false: a server that has its files to itself keeps what it"
              + " has in its own metastore; add that role, or set tables.shared and tables.files"
              + (server.has(Role.REPLICAS)
                  ? ", or leave out tables and master: replicated tables need neither"
                  : ""));
    }
    if (server.has(Role.MASTER) && !server.has(Role.TABLES)) {
      throw new InvalidRequestException(
          "roles are "
              + String.join(", ", server.roles())
              + " and tables.shared is false: a master leads the tablet servers of a cluster; set"
              + " tables.shared and tables.files, or leave it out");
    }
  }

  Optional<MetastoreRole> metastore() throws IOException {
    if (!server.has(Role.METASTORE)) {
      return Optional.empty();
    }
    MetastoreRole role =
        parts.add(
            "the metastore",
            MetastoreRole.start(
                settings, data.resolve("metastore"), addresses, gateway, channels, events));
    view.add(
        "metastore",
        role::problem,
        () -> StatusParts.metastore(role.metastore().status()),
        ServiceSources.metastore(() -> role.metastore().status()));
    return Optional.of(role);
  }

  /** What clients are given of tables, to which roles add what they have. */
  TableFront front(Optional<MetastoreRole> metastore) {
    boolean expected = tables.shared() || metastore.filter(this::hasTables).isPresent();
    return new TableFront(
        gateway, server.has(Role.REPLICAS) ? Optional.of(replicated) : Optional.empty(), expected);
  }

  /** The tables that this server has to itself from the start; none in a cluster. */
  Optional<TablesRole> tables(Optional<MetastoreRole> metastore, TableFront front)
      throws IOException {
    if (tables.shared()) {
      if (server.has(Role.TABLES) || server.has(Role.MASTER)) {
        ClusterNodeSettings place = node();
        ClusterNode node =
            parts.add(
                "its part in the cluster",
                ClusterNode.start(place, gateway, front, channels, events));
        inspection.location("tables", place.files()).runBy(node::run);
        if (server.has(Role.TABLES)) {
          view.add(
              "tables",
              node::problem,
              () -> StatusParts.tables(node.run(), node.tabletServer()),
              ServiceSources.tables(() -> node.tabletServer().map(TabletServer::figures)));
        }
        if (!place.logs().equals(place.files())) {
          inspection.location("logs of tables", place.logs());
        }
      }
      return Optional.empty();
    }
    if (metastore.isEmpty() || !hasTables(metastore.get())) {
      return Optional.empty();
    }
    LateTables.Start start = () -> ownTables(metastore.get(), front);
    if (metastore.get().alone()) {
      TablesRole role = parts.add("the tables", start.start());
      view.add(
          "tables",
          role::problem,
          () -> StatusParts.tables(addresses.nativeAddress(), Optional.of(role.tables())),
          ServiceSources.tables(() -> Optional.of(role.tables().figures())));
      return Optional.of(role);
    }
    LateTables late = parts.add("the tables", new LateTables(start, events));
    view.add(
        "tables",
        late::problem,
        () -> StatusParts.tables(addresses.nativeAddress(), late.tables()),
        ServiceSources.tables(() -> late.tables().map(TabletServer::figures)));
    return Optional.empty();
  }

  /**
   * Whether this server has tables to itself: with its role, and if it is alone in its group or has
   * had tables before it got company. Files of its own are of no use to other members.
   */
  private boolean hasTables(MetastoreRole metastore) {
    return server.has(Role.TABLES)
        && metastore.formed()
        && (metastore.alone() || Files.isDirectory(data.resolve("tables")));
  }

  /** Replicated tables; others know of it on return if this server alone is the metastore. */
  Optional<ReplicatedTables> replicas(Optional<MetastoreRole> metastore, TableFront front)
      throws IOException {
    if (!server.has(Role.REPLICAS)) {
      return Optional.empty();
    }
    ReplicasSettings known = settings.bind(ReplicasSettings.class, ServerSchema.REPLICAS);
    Path directory = Files.createDirectories(data.resolve("replicas"));
    inspection.directory("replicas", directory);
    boolean alone = metastore.filter(MetastoreRole::alone).isPresent();
    ReplicaNode node =
        parts.add(
            "its replicas",
            ReplicaNode.start(
                new ReplicaNodeSettings(
                    addresses.nativeAddress(),
                    metastoreFrom(),
                    directory,
                    known.session(),
                    alone,
                    known.server(),
                    known.cache().bytes(),
                    known.rack()),
                gateway,
                front,
                replicated,
                channels,
                events));
    view.metrics().add(ServiceSources.replicas(node::figures));
    if (alone) {
      try {
        boolean _ = node.awaitRegistered(REGISTER_PATIENCE); // else a little later
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return Optional.of(replicated);
  }

  private TablesRole ownTables(MetastoreRole metastore, TableFront front) throws IOException {
    return TablesRole.start(
        settings,
        data.resolve("tables"),
        addresses.nativeAddress(),
        metastore.metastore(),
        gateway,
        front,
        inspection,
        events);
  }

  /**
   * The datasets of this server, alone or with others.
   *
   * @param listen the host to listen on; nothing for a server that listens nowhere
   */
  Optional<DatasetsRole> datasets(Optional<String> listen) throws IOException {
    if (!server.has(Role.DATASETS)) {
      return Optional.empty();
    }
    DatasetsRole role =
        parts.add(
            "the datasets",
            DatasetsRole.start(
                settings,
                data,
                addresses,
                listen,
                metastoreFrom(),
                gateway,
                channels.tls(),
                security,
                events));
    view.add(
        "datasets",
        role::problem,
        () -> StatusParts.datasets(role.datasets().ownStatus()),
        ServiceSources.datasets(() -> role.datasets().ownStatus()));
    return Optional.of(role);
  }

  /**
   * A port for Bigtable's clients, over the tables here; in a cluster, by a client of it, over
   * those of all servers. Of two servers that find the usual port free, one comes too late, and has
   * none.
   *
   * @return the addresses of this server after that
   */
  Addresses bigtable(TableFront front, Optional<DatasetsRole> datasets, String listen) {
    int port = Addresses.port(addresses.bigtableAddress());
    Tables rows;
    TableAdmin whole;
    Optional<Datasets> known;
    if (tables.shared()) {
      Stele cluster =
          parts.add(
              "the client of the cluster for Bigtable's clients",
              Stele.builder()
                  .endpoints(self)
                  .settings(
                      ClientSettings.DEFAULTS.withCalls(
                          CallSettings.DEFAULTS.withTls(channels.tls())))
                  .connect());
      rows = cluster.rows();
      whole = cluster.tables();
      known = datasets.map(_ -> cluster.datasets());
    } else {
      rows = front.lastingRows();
      whole = front.lastingWhole();
      known = datasets.map(DatasetsRole::datasets);
    }
    Tables all = known.<Tables>map(each -> new DatasetTables(rows, each)).orElse(rows);
    try {
      parts.add(
          "the port for Bigtable's clients",
          BigtableServer.listen(
              listen,
              port,
              all,
              whole,
              Clock.system(),
              RandomSource.system(),
              view.readiness()::isReady,
              security));
      return addresses;
    } catch (UnavailableException e) {
      if (port != BigtableSettings.USUAL_PORT) {
        throw e;
      }
      return addresses.withoutBigtable();
    }
  }

  /** Who answers for the metastore. */
  private List<String> metastoreFrom() {
    List<String> metastore = new ArrayList<>(server.metastore());
    if (server.has(Role.METASTORE)) {
      metastore.remove(addresses.nativeAddress());
      metastore.addFirst(self); // a member answers for the others
    }
    return metastore;
  }

  private ClusterNodeSettings node() {
    String files = tables.files().orElseThrow();
    return new ClusterNodeSettings(
        addresses.nativeAddress(),
        server.has(Role.METASTORE),
        metastoreFrom(),
        files,
        tables.logs().orElse(files),
        tables.session(),
        server.has(Role.TABLES),
        server.has(Role.MASTER),
        tables.server(),
        settings.bind(MasterSettings.class, ServerSchema.MASTER),
        tables.cache().bytes());
  }
}
