package io.stele.cli;

import io.stele.base.dataset.Datasets;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.Table;

/** A store that a command works on, be it behind servers or in a directory. */
public interface Connection extends AutoCloseable {
  /** One table; whether it exists shows when it is asked. */
  Table table(String name);

  /** Tables as a whole. */
  TableAdmin tables();

  MetastoreClient metastore();

  /** The servers of a cluster as a whole. */
  Cluster cluster();

  /** Replicated tables beyond what all tables have. */
  Replicas replicas();

  /** Datasets. */
  Datasets datasets();

  /** Servers, each asked for itself. */
  Nodes nodes();

  @Override
  void close();
}
