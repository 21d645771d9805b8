package io.stele.server;

import io.stele.base.event.Events;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.Settings;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.GrpcPeerLink;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.node.NodeSettings;
import io.stele.metastore.raft.GroupMember;
import io.stele.metastore.raft.GroupSettings;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.RaftSettings;
import io.stele.metastore.raft.Replica;
import io.stele.metastore.raft.SoloSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

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

  private MetastoreRole(LocalFileStore files, MetastoreNode node, GroupMember<Applied> member) {
    this.files = files;
    this.node = node;
    this.member = member;
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
    boolean started = false;
    try {
      AtomicReference<GroupMember<Applied>> opened = new AtomicReference<>();
      MetastoreNode node =
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
              .group(() -> opened.get().identity().group().orElse(""))
              .open();
      started = true;
      GroupMember<Applied> member = opened.get();
      gateway.serve(new GroupAdmin(member, node.replica()));
      gateway.serve(node);
      return new MetastoreRole(files, node, member);
    } finally {
      if (!started) {
        files.close();
      }
    }
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
    PeerLink link = new GrpcPeerLink(channels, raft.request(), FORM_PATIENCE);
    return GroupMember.open(
        new GroupMember.Place(
            files,
            Optional.of(directory.resolve("raft")),
            addresses.raftAddress(),
            addresses.nativeAddress(),
            server.name()),
        replica,
        link,
        group,
        events,
        Clock.system(),
        RandomSource.system());
  }

  /** Whether it belongs to a group. */
  boolean formed() {
    return member.identity().group().isPresent();
  }

  @Override
  public void close() throws IOException {
    node.close();
    files.close();
  }
}
