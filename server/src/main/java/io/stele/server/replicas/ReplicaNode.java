package io.stele.server.replicas;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.event.Subscription;
import io.stele.base.file.LocalFileStore;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import io.stele.engine.cache.BlockCache;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.GrpcReplicaPeers;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.MetadataEvent;
import io.stele.replicas.placement.KeeperEvent;
import io.stele.replicas.push.ReplicaEvent;
import io.stele.replicas.serve.ReplicaFigures;
import io.stele.replicas.serve.ReplicaServer;
import io.stele.replicas.serve.ServerId;
import io.stele.server.cluster.SessionLoop;
import io.stele.server.front.TableFront;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server's replicas and its part in looking after all replicated tables. It begins without the
 * metastore and goes on without it; as soon as that answers it registers, under one session after
 * the other.
 */
public final class ReplicaNode implements AutoCloseable {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // the last started first
  private final Registration registration;
  private @Nullable ReplicaServer server; // set once, before others see the node

  private ReplicaNode(Registration registration) {
    this.registration = registration;
  }

  /**
   * Begins to take part, and has the gateway serve what it does.
   *
   * @param front knows the tables of other kinds
   * @param tables is given what it has
   * @param channels to other servers; not closed with the node
   */
  public static ReplicaNode start(
      ReplicaNodeSettings settings,
      NativeServer gateway,
      TableFront front,
      ReplicatedTables tables,
      Channels channels,
      Events events)
      throws IOException {
    LocalFileStore files = LocalFileStore.open(settings.directory());
    String id = ServerId.of(files, RandomSource.system());
    Registration registration = new Registration(() -> self(id, settings));
    ReplicaNode node = new ReplicaNode(registration);
    node.parts.push(files);
    boolean started = false;
    try {
      node.start(settings, gateway, front, tables, channels, events, files);
      started = true;
      return node;
    } finally {
      if (!started) {
        node.close();
      }
    }
  }

  private void start(
      ReplicaNodeSettings settings,
      NativeServer gateway,
      TableFront front,
      ReplicatedTables tables,
      Channels channels,
      Events events,
      LocalFileStore files) {
    MetastoreClient metastore =
        new MetastoreClient(
            settings.metastore(),
            ClientSettings.DEFAULTS.withCalls(calls(settings).withTls(channels.tls())));
    parts.push(metastore);
    MetastoreCoordination coordination =
        new MetastoreCoordination(metastore, front::hasTabletTable, registration::leads);
    NearPeers peers =
        new NearPeers(
            settings.address(),
            new GrpcReplicaPeers(
                channels,
                GrpcReplicaPeers.Patience.DEFAULT.withAnswer(settings.server().peerTimeout())));
    ReplicaServer.Builder builder =
        ReplicaServer.builder(files, coordination, peers)
            .address(settings.address())
            .settings(settings.server())
            .clock(Clock.system())
            .random(RandomSource.system())
            .cache(new BlockCache(settings.cacheBytes()))
            .events(event -> tell(event, coordination, events));
    ReplicaServer server =
        settings.awaitsMetastore() ? builder.open() : builder.withoutWaiting().open();
    parts.push(server);
    this.server = server;
    registration.checkedBy(server::checkCluster); // the sessions start below
    parts.push(coordination::stop); // nothing of it waits for the metastore any more
    peers.near(server.metadataPeer(), server.replicaPeer());
    Serving toPeers = gateway.serve(server.metadataPeer(), server.replicaPeer());
    Serving toPeople = gateway.serve(front.replicas(server));
    parts.push(toPeers);
    parts.push(toPeople);
    Subscription names = tables.follow(coordination);
    parts.push(names);
    tables.serve(server);
    parts.push(tables::stop);
    String what = "replica server " + settings.address();
    SessionLoop sessions =
        new SessionLoop(what, metastore, settings.session(), registration, events).start();
    parts.push(sessions); // leaves first, so that others are asked
  }

  /** That something will be tried again is not so once it stops. */
  private static void tell(Event event, MetastoreCoordination coordination, Events events) {
    boolean triedAgain =
        event instanceof MetadataEvent.Failed
            || event instanceof KeeperEvent.Failed
            || event instanceof ReplicaEvent.BackgroundFailed;
    if (!triedAgain || !coordination.isStopped()) {
      events.publish(event);
    }
  }

  /** What its replicas did and have; for metrics. */
  public Optional<ReplicaFigures> figures() {
    return Optional.ofNullable(server).map(ReplicaServer::figures);
  }

  /** Waits until others know of it; false if that takes longer. */
  public boolean awaitRegistered(Duration patience) throws InterruptedException {
    return registration.awaitRegistered(patience);
  }

  private static LiveServer self(String id, ReplicaNodeSettings settings) {
    long free = 0; // a disk that cannot be asked gets nothing more while there are others
    long total = 0;
    try {
      FileStore disk = Files.getFileStore(settings.directory());
      free = disk.getUsableSpace();
      total = disk.getTotalSpace();
    } catch (IOException e) {
      // Said again a little later.
    }
    return new LiveServer(id, settings.address(), free, total, settings.rack());
  }

  /** One that does not answer is given up soon enough for a session to be renewed elsewhere. */
  private static CallSettings calls(ReplicaNodeSettings settings) {
    Duration attempt = settings.session().dividedBy(4);
    CallSettings defaults = CallSettings.DEFAULTS;
    return defaults
        .withPrincipal(ReplicaKeys.PRINCIPAL)
        .withAttemptTimeout(
            attempt.compareTo(defaults.attemptTimeout()) < 0 ? attempt : defaults.attemptTimeout());
  }

  /** Leaves, and stops; its replicas stay on its disk. */
  @Override
  public void close() throws IOException {
    IOException failed = null;
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        if (failed == null) {
          failed = new IOException("replicas were not closed in order: " + e.getMessage(), e);
        } else {
          failed.addSuppressed(e);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
