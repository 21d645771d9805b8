package io.stele.server;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.UnavailableException;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.cluster.LoneServer;
import io.stele.client.embedded.StoreConnection;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server in the process of its only client. Tables are asked without anything in between; the
 * metastore's client speaks the native protocol to it, within the process.
 */
final class EmbeddedServer implements StoreConnection {
  private final Server server;
  private final ClientSettings settings;
  private @Nullable MetastoreClient metastore; // guarded by this; made when first asked for
  private boolean closed; // guarded by this

  EmbeddedServer(Server server, ClientSettings settings) {
    this.server = server;
    this.settings = settings;
  }

  @Override
  public Tables tables() {
    return server.front().rows();
  }

  @Override
  public TableAdmin tableAdmin() {
    return server.front().whole();
  }

  @Override
  public Cluster cluster() {
    return new LoneServer(server.gateway(), server.tables(), server.tables().storedFiles());
  }

  @Override
  public Replicas replicas() {
    return server.replicas();
  }

  /** There is but this one. */
  @Override
  public Nodes nodes() {
    return _ -> server.inspect();
  }

  @Override
  public Datasets datasets() {
    return server.datasets();
  }

  @Override
  public synchronized MetastoreClient metastore() {
    if (closed) {
      throw new UnavailableException("the store is closed");
    }
    if (metastore == null) {
      metastore = new MetastoreClient(List.of(server.gateway()), settings);
    }
    return metastore;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (metastore != null) {
        metastore.close();
      }
    }
    server.close();
  }
}
