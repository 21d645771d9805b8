package io.stele.cli.shell;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.cli.Connection;
import io.stele.cli.Connector;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.Table;

/** Gives the commands of a shell its connection, unless a command names another store. */
final class SharedConnector implements Connector {
  private final Connection shared;
  private final Request shell;
  private final Connector others;

  /**
   * @param shell what the shell itself was told
   * @param others opens what a command names
   */
  SharedConnector(Connection shared, Request shell, Connector others) {
    this.shared = shared;
    this.shell = shell;
    this.others = others;
  }

  @Override
  public Connection open(Request request) {
    if (request.isOpen()) {
      return new Borrowed(shared);
    }
    if (request.endpoints().isPresent() || request.data().isPresent()) {
      return others.open(request);
    }
    if (shell.data().isPresent()) {
      throw new InvalidRequestException(
          "--timeout, --principal and the options of TLS are for servers, and this shell works on a"
              + " directory");
    }
    return others.open(
        new Request(
            shell.endpoints(),
            shell.data(),
            request.principal().or(shell::principal),
            request.timeout().or(shell::timeout),
            request.tls().or(shell.tls()),
            request.otherwise()));
  }

  /** Closing it leaves the shell's connection open. */
  private record Borrowed(Connection shared) implements Connection {
    @Override
    public Table table(String name) {
      return shared.table(name);
    }

    @Override
    public TableAdmin tables() {
      return shared.tables();
    }

    @Override
    public MetastoreClient metastore() {
      return shared.metastore();
    }

    @Override
    public Cluster cluster() {
      return shared.cluster();
    }

    @Override
    public Replicas replicas() {
      return shared.replicas();
    }

    @Override
    public Datasets datasets() {
      return shared.datasets();
    }

    @Override
    public Nodes nodes() {
      return shared.nodes();
    }

    @Override
    public void close() {}
  }
}
