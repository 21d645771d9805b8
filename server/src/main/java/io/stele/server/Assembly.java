package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.settings.Settings;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.server.cluster.ClusterNode;
import io.stele.server.cluster.ClusterNodeSettings;
import io.stele.tables.master.MasterSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private final Settings settings;
  private final ServerSettings server;
  private final TablesSettings tables;
  private final Path data;
  private final Addresses addresses;
  private final NativeServer gateway;
  private final Channels channels;
  private final Events events;
  private final Parts parts;
  private final Inspection inspection;

  Assembly(
      Settings settings,
      Path data,
      Addresses addresses,
      NativeServer gateway,
      Channels channels,
      Events events,
      Parts parts,
      Inspection inspection) {
    this.settings = settings;
    this.server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    this.tables = settings.bind(TablesSettings.class, ServerSchema.TABLES);
    this.data = data;
    this.addresses = addresses;
    this.gateway = gateway;
    this.channels = channels;
    this.events = events;
    this.parts = parts;
    this.inspection = inspection;
  }

  /** Refuses settings that are right each by itself, and make no server together. */
  static void check(Settings settings) {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
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
              + " has in its own metastore; add that role, or set tables.shared and tables.files");
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
    return Optional.of(
        parts.add(
            "the metastore",
            MetastoreRole.start(
                settings, data.resolve("metastore"), addresses, gateway, channels, events)));
  }

  /** The tables that this server has to itself from the start; none in a cluster. */
  Optional<TablesRole> tables(Optional<MetastoreRole> metastore) throws IOException {
    if (tables.shared()) {
      if (server.has(Role.TABLES) || server.has(Role.MASTER)) {
        ClusterNodeSettings place = node();
        ClusterNode node =
            parts.add(
                "its part in the cluster", ClusterNode.start(place, gateway, channels, events));
        inspection.location("tables", place.files()).runBy(node::run);
        if (!place.logs().equals(place.files())) {
          inspection.location("logs of tables", place.logs());
        }
      }
      return Optional.empty();
    }
    if (metastore.isEmpty() || !hasTables(metastore.get())) {
      return Optional.empty();
    }
    LateTables.Start start = () -> ownTables(metastore.get());
    if (metastore.get().alone()) {
      return Optional.of(parts.add("the tables", start.start()));
    }
    parts.add("the tables", new LateTables(start, events));
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

  private TablesRole ownTables(MetastoreRole metastore) throws IOException {
    return TablesRole.start(
        settings,
        data.resolve("tables"),
        addresses.nativeAddress(),
        metastore.metastore(),
        gateway,
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
    return Optional.of(
        parts.add(
            "the datasets",
            DatasetsRole.start(settings, data, addresses, listen, members(), gateway, events)));
  }

  /** Where the metastore is asked: here first, where this server is one of its members. */
  private List<String> members() {
    List<String> metastore = new ArrayList<>(server.metastore());
    if (server.has(Role.METASTORE)) {
      metastore.remove(addresses.nativeAddress());
      metastore.addFirst(addresses.nativeAddress()); // a member answers for the others
    }
    return metastore;
  }

  private ClusterNodeSettings node() {
    String files = tables.files().orElseThrow();
    return new ClusterNodeSettings(
        addresses.nativeAddress(),
        server.has(Role.METASTORE),
        members(),
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
