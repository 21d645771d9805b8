package io.stele.server;

import io.stele.base.event.Events;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.Settings;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.gateway.etcd.EtcdGateway;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.GrpcPeerLink;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.metastore.Metastore;
import io.stele.metastore.command.Applied;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.node.NodeSettings;
import io.stele.metastore.raft.Discovery;
import io.stele.metastore.raft.DiscoverySettings;
import io.stele.metastore.raft.GroupMember;
import io.stele.metastore.raft.GroupSettings;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.RaftSettings;
import io.stele.metastore.raft.RatisSurvivor;
import io.stele.metastore.raft.Replica;
import io.stele.metastore.raft.SoloSettings;
import io.stele.server.cluster.KnownServers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A server's part in a metastore: wires log, state and gateway. Its files are in the directory
 * {@code metastore} of the server's.
 */
final class MetastoreRole implements AutoCloseable {

  /** How long another server may take to start its part of the log. */
  private static final Duration FORM_PATIENCE = Duration.ofSeconds(30);

  private final LocalFileStore files;
  private final MetastoreNode node;
  private final GroupMember<Applied> member;
  private final GroupAdmin admin;

  private MetastoreRole(
      LocalFileStore files, MetastoreNode node, GroupMember<Applied> member, GroupAdmin admin) {
    this.files = files;
    this.node = node;
    this.member = member;
    this.admin = admin;
  }

  /**
   * Takes up its part and has the gateway serve it.
   *
   * @param directory of the role's own
   */
  static MetastoreRole start(
      Settings settings,
      Path directory,
      Addresses addresses,
      NativeServer gateway,
      Channels channels,
      Events events)
      throws IOException {
    LocalFileStore files = LocalFileStore.open(directory);
    AtomicReference<GroupMember<Applied>> opened = new AtomicReference<>();
    @Nullable MetastoreNode node = null;
    boolean started = false;
    try {
      node =
          new MetastoreNode.Builder(
                  files,
                  replica -> {
                    opened.set(
                        join(settings, directory, files, addresses, replica, channels, events));
                    return opened.get();
                  })
              .settings(settings.bind(NodeSettings.class, ServerSchema.METASTORE))
              .state(settings.bind(StorageSettings.class, ServerSchema.STORAGE).state())
              .events(events)
              .link(link(settings, channels))
              .group(() -> opened.get().identity().group().orElse(""))
              .open();
      GroupMember<Applied> member = opened.get();
      GroupAdmin admin =
          new GroupAdmin(
              member,
              node.replica(),
              link(settings, channels),
              clientUrl(settings, addresses),
              discovery(settings, addresses, channels, events));
      gateway.serve(admin);
      gateway.serve(node);
      sendElsewhere(settings, gateway, node);
      admin.finishForming();
      started = true;
      return new MetastoreRole(files, node, member, admin);
    } finally {
      if (!started) {
        if (node != null) {
          node.close(); // with its log: another process may have the directory next
        }
        files.close();
      }
    }
  }

  /** A server with neither tables nor a master tells clients where these are. */
  private static void sendElsewhere(Settings settings, NativeServer gateway, Metastore metastore) {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    if (!server.has(Role.TABLES) && !server.has(Role.MASTER)) {
      KnownServers known = new KnownServers(metastore, Clock.system());
      gateway.sendForTables(known::server);
      gateway.sendToMaster(known::master);
    }
  }

  private static Optional<String> clientUrl(Settings settings, Addresses addresses) {
    boolean secure =
        settings.bind(EtcdSettings.class, ServerSchema.ETCD).certificate().isPresent()
            || settings.bind(TlsSettings.class, ServerSchema.TLS).certificate().isPresent();
    return Optional.of(addresses.etcdAddress())
        .filter(address -> !address.isEmpty())
        .map(address -> (secure ? "https://" : "http://") + address);
  }

  /** Has etcd's API in front of it as well. */
  void serve(EtcdGateway etcd) {
    etcd.serve(node, admin);
  }

  private static GroupMember<Applied> join(
      Settings settings,
      Path directory,
      LocalFileStore files,
      Addresses addresses,
      Replica<Applied> replica,
      Channels channels,
      Events events)
      throws IOException {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    RaftSettings raft = settings.bind(RaftSettings.class, ServerSchema.RAFT);
    GroupSettings group =
        new GroupSettings(
            !server.waitsForGroup(),
            GroupSettings.DEFAULT.reservation(),
            GroupSettings.DEFAULT.answer(),
            settings.bind(SoloSettings.class, ServerSchema.LOG),
            raft.listenHost().isEmpty() ? raft.withListenHost(server.listen()) : raft);
    GroupMember.Place place =
        new GroupMember.Place(
            files,
            Optional.of(directory.resolve("raft")),
            addresses.raftAddress(),
            addresses.nativeAddress(),
            server.name(),
            channels.tls());
    PeerLink link = link(settings, channels);
    if (server.forceNewCluster()) {
      new RatisSurvivor(place, replica, link)
          .takeOver(RandomSource.system())
          .ifPresent(taken -> events.publish(new ServerEvent.NewClusterForced(taken)));
    }
    return GroupMember.open(
        place, replica, link, group, events, Clock.system(), RandomSource.system());
  }

  private static PeerLink link(Settings settings, Channels channels) {
    RaftSettings raft = settings.bind(RaftSettings.class, ServerSchema.RAFT);
    return new GrpcPeerLink(channels, raft.request(), FORM_PATIENCE);
  }

  /** Where the settings name others, or have this server be found: so that a group begins once. */
  private static Optional<Discovery> discovery(
      Settings settings, Addresses addresses, Channels channels, Events events) throws IOException {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    if (server.seeds().isEmpty() && !server.multicast()) {
      return Optional.empty();
    }
    DiscoverySettings known = DiscoverySettings.DEFAULT;
    return Optional.of(
        Discovery.start(
            addresses.nativeAddress(),
            link(settings, channels),
            new DiscoverySettings(
                server.seeds(),
                known.answer(),
                server.multicast(),
                known.multicastGroup(),
                known.multicastPort(),
                known.multicastInterface(),
                known.interval()),
            Clock.system(),
            events));
  }

  Metastore metastore() {
    return node;
  }

  /** Whether it is the only member of its group. */
  boolean alone() {
    return formed() && member.standing().members().size() == 1;
  }

  /** Whether it belongs to a group. */
  boolean formed() {
    return member.identity().group().isPresent();
  }

  /** Why it cannot be asked at the moment, if so. */
  Optional<String> problem() {
    if (!formed()) {
      return Optional.of("this member belongs to no group yet: it waits to be made a member");
    }
    return member.standing().leader().isPresent()
        ? Optional.empty()
        : Optional.of("no leader is known: a majority of the members must be up");
  }

  @Override
  public void close() throws IOException {
    admin.close();
    node.close();
    files.close();
  }
}
