package io.stele.cli;

import io.stele.base.dataset.Datasets;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.client.Stele;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Opens stores by the client: servers over the network, a directory in this process. */
final class SteleConnector implements Connector {
  static final SteleConnector INSTANCE = new SteleConnector(System.getenv());

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  private final Map<String, String> environment;

  SteleConnector(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  @Override
  public Connection open(Request request) {
    return new SteleConnection(request.data().map(Stele::open).orElseGet(() -> connect(request)));
  }

  private Stele connect(Request request) {
    List<String> servers =
        Endpoints.choose(request.endpoints().orElse(null), environment, request.otherwise());
    if (request.timeout().isEmpty()) { // with one, the user wants to wait
      ServerProbe.requireOne(servers);
    }
    Stele.Builder stele =
        Stele.builder()
            .endpoints(servers)
            .principal(request.principal().orElse(""))
            .timeout(request.timeout().orElse(DEFAULT_TIMEOUT));
    request.tls().or(TlsOptions.of(environment)).files().ifPresent(stele::tls);
    return stele.connect();
  }

  private record SteleConnection(Stele stele) implements Connection {
    @Override
    public Table table(String name) {
      return stele.table(name);
    }

    @Override
    public TableAdmin tables() {
      return stele.tables();
    }

    @Override
    public MetastoreClient metastore() {
      return stele.metastore();
    }

    @Override
    public Cluster cluster() {
      return stele.cluster();
    }

    @Override
    public Replicas replicas() {
      return stele.replicas();
    }

    @Override
    public Datasets datasets() {
      return stele.datasets();
    }

    @Override
    public Nodes nodes() {
      return stele.nodes();
    }

    @Override
    public void close() {
      stele.close();
    }
  }
}
