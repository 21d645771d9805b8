package io.stele.cli.doctor;

import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.Replicas;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.text.JsonReader;
import io.stele.cli.Connection;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MemberReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The servers behind a connection. */
record ConnectedPatient(Connection connection) implements Patient {
  private static final String SERVERS = "/stele/servers/";
  private static final String KNOWN = "/stele/known/";
  private static final String MASTER = "/stele/master";
  private static final String REPLICA_SERVERS = "/stele/replicas/servers/";
  private static final String REPLICATED_TABLES = "/stele/replicas/tables/";

  @Override
  public List<MemberReport> members() {
    return connection.metastore().admin().status();
  }

  @Override
  public Map<String, String> servers() {
    Map<String, String> servers = new LinkedHashMap<>();
    for (KeyValue key : connection.metastore().range(Keys.prefix(SERVERS))) {
      servers.put(key.key().substring(SERVERS.length()), key.text());
    }
    return servers;
  }

  @Override
  public List<String> knownServers() {
    List<String> known = new ArrayList<>();
    for (KeyValue key : connection.metastore().range(Keys.prefix(KNOWN))) {
      known.add(key.key().substring(KNOWN.length()));
    }
    return known;
  }

  @Override
  public Optional<String> master() {
    return connection.metastore().get(MASTER).map(KeyValue::text);
  }

  @Override
  public Cluster.Status status() {
    return connection.cluster().status();
  }

  @Override
  public List<MetaProblem> verifyMeta() {
    return connection.tables().verifyMeta("");
  }

  @Override
  public Garbage garbage() {
    return connection.cluster().collectFiles(false);
  }

  @Override
  public Map<String, String> replicaServers() {
    Map<String, String> servers = new LinkedHashMap<>();
    for (KeyValue key : connection.metastore().range(Keys.prefix(REPLICA_SERVERS))) {
      if (JsonReader.read(key.text()) instanceof Map<?, ?> said
          && said.get("address") instanceof String address) {
        servers.put(key.key().substring(REPLICA_SERVERS.length()), address);
      }
    }
    return servers;
  }

  /** Keys are paths, in which some characters of names are written otherwise. */
  @Override
  public List<String> replicatedTables() {
    List<String> tables = new ArrayList<>();
    for (KeyValue key : connection.metastore().range(Keys.prefix(REPLICATED_TABLES))) {
      tables.add(
          key.key()
              .substring(REPLICATED_TABLES.length())
              .replace("%2E", ".")
              .replace("%2F", "/")
              .replace("%25", "%"));
    }
    return tables;
  }

  @Override
  public Replicas.Status replicas(String table) {
    return connection.replicas().status(table);
  }

  @Override
  public NodeReport node(String address) {
    return connection.nodes().inspect(address);
  }

  @Override
  public long wallMicros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  }
}
