package io.stele.cli.doctor;

import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.Replicas;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.client.metastore.MemberReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the doctor asks; every question may fail with a {@code SteleException}. */
interface Patient {
  /** The servers that were named, and the members that they know. */
  List<MemberReport> members();

  /** The addresses of tablet servers whose sessions live, by the names of their runs. */
  Map<String, String> servers();

  /** The addresses of tablet servers that take part in the cluster or once did. */
  List<String> knownServers();

  /** The address of a cluster's master. */
  Optional<String> master();

  /** What the master says. */
  Cluster.Status status();

  List<MetaProblem> verifyMeta();

  /** Files that nothing needs. */
  Garbage garbage();

  /** The addresses of servers of replicated tables whose sessions live, by their ids. */
  Map<String, String> replicaServers();

  List<String> replicatedTables();

  Replicas.Status replicas(String table);

  NodeReport node(String address);

  /** The wall clock of this machine, microseconds since 1970 UTC. */
  long wallMicros();
}
