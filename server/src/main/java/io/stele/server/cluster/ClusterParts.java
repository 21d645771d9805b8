package io.stele.server.cluster;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.table.Cluster;
import io.stele.base.table.TabletLocator;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.call.CallSettings;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoints;
import io.stele.client.cluster.RemoteCluster;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.RemoteTables;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.GrpcTabletControl;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.MetaLocator;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** What the parts of a node share: its way to the metastore, to META, to other nodes, to files. */
final class ClusterParts implements AutoCloseable {
  /** How long a change of META is tried; whoever wants it done tries again. */
  private static final Duration META_PATIENCE = Duration.ofSeconds(10);

  private static final Duration CONTROL_PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONG_WORK = Duration.ofMinutes(30);

  private final Clock clock = Clock.system();
  private final Channels channels;
  private final FileStore files;
  private final FileStore logs;
  private final MetastoreClient metastore;
  private final Endpoints endpoints;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("stele-node-timer").factory());
  private final ExecutorService lookups = Executors.newVirtualThreadPerTaskExecutor();
  private final RemoteTables reads;
  private final MetastoreMembership membership;
  private final RootStore root;
  private final ClusterMeta meta;
  private final TabletLocator locator;
  private final Cluster cluster;

  private ClusterParts(
      ClusterNodeSettings settings, Channels channels, FileStore files, FileStore logs) {
    this.channels = channels;
    this.files = files;
    this.logs = logs;
    CallSettings calls = calls(settings).withTls(channels.tls());
    this.metastore =
        new MetastoreClient(settings.metastore(), ClientSettings.DEFAULTS.withCalls(calls));
    this.membership = new MetastoreMembership(metastore);
    this.root = new ClientRootStore(metastore);
    this.endpoints = new Endpoints(List.of(settings.address()), calls);
    Caller caller = new Caller(endpoints, calls, clock, RandomSource.system(), timer);
    this.cluster = new RemoteCluster(caller);
    RemoteTables[] made = new RemoteTables[1];
    this.meta =
        new ClusterMeta(
            root,
            locations -> {
              made[0] =
                  new RemoteTables(
                      caller,
                      (table, row) ->
                          CompletableFuture.supplyAsync(() -> locations.look(table, row), lookups));
              return made[0];
            },
            this::control,
            META_PATIENCE,
            clock);
    this.reads = made[0];
    this.locator = new MetaLocator(new MetaTable(meta, root));
  }

  static ClusterParts open(ClusterNodeSettings settings, Channels channels) throws IOException {
    FileStore files = FileStores.open(settings.files());
    boolean opened = false;
    try {
      FileStore logs =
          settings.logs().equals(settings.files()) ? files : FileStores.open(settings.logs());
      opened = true;
      return new ClusterParts(settings, channels, files, logs);
    } finally {
      if (!opened) {
        files.close();
      }
    }
  }

  /** One that does not answer is given up soon enough for a session to be renewed elsewhere. */
  private static CallSettings calls(ClusterNodeSettings settings) {
    Duration attempt = settings.session().dividedBy(4);
    CallSettings defaults = CallSettings.DEFAULTS;
    return defaults
        .withPrincipal(ClusterKeys.PRINCIPAL)
        .withAttemptTimeout(
            attempt.compareTo(defaults.attemptTimeout()) < 0 ? attempt : defaults.attemptTimeout());
  }

  Clock clock() {
    return clock;
  }

  FileStore files() {
    return files;
  }

  FileStore logs() {
    return logs;
  }

  MetastoreClient metastore() {
    return metastore;
  }

  /**
   * Fails unless the files belong to the cluster of this metastore. That cannot pass by itself, so
   * the node is told to end.
   */
  void checkFiles(String what, Events events) {
    try {
      UUID _ = new StoreIdentity(files, logs, root, RandomSource.system()).settle();
    } catch (InvalidRequestException e) {
      events.publish(new ClusterEvent.WrongFiles(what, String.valueOf(e.getMessage())));
      throw e;
    }
  }

  MetastoreMembership membership() {
    return membership;
  }

  RootStore root() {
    return root;
  }

  ClusterMeta meta() {
    return meta;
  }

  /** Finds tablets by META, wherever that is. */
  TabletLocator locator() {
    return locator;
  }

  /** The whole cluster, asked through this node. */
  Cluster cluster() {
    return cluster;
  }

  /** One tablet server. */
  TabletControl control(String address) {
    return new GrpcTabletControl(channels, address, CONTROL_PATIENCE, LONG_WORK);
  }

  @Override
  public void close() throws IOException {
    meta.close();
    reads.close();
    lookups.shutdownNow();
    endpoints.close();
    timer.shutdownNow();
    metastore.close();
    logs.close(); // closing twice, where they are one, is as good as once
    files.close();
  }
}
