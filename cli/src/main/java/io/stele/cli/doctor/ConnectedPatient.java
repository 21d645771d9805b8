package io.stele.cli.doctor;

import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.MetaProblem;
import io.stele.cli.Connection;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MemberReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The servers behind a connection. */
record ConnectedPatient(Connection connection) implements Patient {
  private static final String SERVERS = "/stele/servers/";
  private static final String MASTER = "/stele/master";

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
  public Cluster.Garbage garbage() {
    return connection.cluster().collectFiles(false);
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
