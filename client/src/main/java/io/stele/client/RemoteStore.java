package io.stele.client;

import io.stele.base.dataset.Datasets;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoints;
import io.stele.client.cluster.RemoteCluster;
import io.stele.client.dataset.RemoteDatasets;
import io.stele.client.embedded.StoreConnection;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.node.RemoteNodes;
import io.stele.client.replica.RemoteReplicas;
import io.stele.client.table.RemoteTableAdmin;
import io.stele.client.table.RemoteTables;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Servers elsewhere. Tables have connections of their own, so that much of their traffic does not
 * hold up the sessions of the metastore.
 */
final class RemoteStore implements StoreConnection {
  private final MetastoreClient metastore;
  private final Endpoints endpoints;
  private final ScheduledExecutorService timer;
  private final RemoteTables tables;
  private final RemoteTableAdmin admin;
  private final RemoteCluster cluster;
  private final RemoteReplicas replicas;
  private final RemoteNodes nodes;
  private final RemoteDatasets datasets;

  RemoteStore(List<String> addresses, ClientSettings settings) {
    this.metastore = new MetastoreClient(addresses, settings);
    this.endpoints = new Endpoints(addresses, settings.calls());
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("stele-tables-timer").factory());
    Caller caller =
        new Caller(endpoints, settings.calls(), Clock.system(), RandomSource.system(), timer);
    this.tables = new RemoteTables(caller);
    this.admin = new RemoteTableAdmin(caller);
    this.cluster = new RemoteCluster(caller);
    this.replicas = new RemoteReplicas(caller);
    this.nodes = new RemoteNodes(caller);
    this.datasets = new RemoteDatasets(caller);
  }

  @Override
  public Tables tables() {
    return tables;
  }

  @Override
  public TableAdmin tableAdmin() {
    return admin;
  }

  @Override
  public Cluster cluster() {
    return cluster;
  }

  @Override
  public Replicas replicas() {
    return replicas;
  }

  @Override
  public Nodes nodes() {
    return nodes;
  }

  @Override
  public Datasets datasets() {
    return datasets;
  }

  @Override
  public MetastoreClient metastore() {
    return metastore;
  }

  @Override
  public void close() {
    tables.close();
    endpoints.close();
    timer.shutdownNow();
    metastore.close();
  }
}
