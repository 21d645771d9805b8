package io.stele.client.embedded;

import io.stele.base.dataset.Datasets;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.metastore.MetastoreClient;

/** What a client works through: servers elsewhere, or a store in this process. */
public interface StoreConnection extends AutoCloseable {
  Tables tables();

  TableAdmin tableAdmin();

  /** The servers as a whole. */
  Cluster cluster();

  /** Replicated tables beyond what all tables have. */
  Replicas replicas();

  /** Servers, each asked for itself. */
  Nodes nodes();

  Datasets datasets();

  /** Closed with the store. */
  MetastoreClient metastore();

  /** Ends the connection; a store in this process writes out what is in memory, and ends. */
  @Override
  void close();
}
