package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.bytes;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TabletLocator;
import io.stele.client.Stele;
import io.stele.client.metastore.ClientSettings;
import io.stele.testkit.table.MemoryCluster;
import io.stele.testkit.table.MemoryTables;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Servers on ports of their own, each with some of the tablets of a {@link MemoryCluster}. */
final class ClusterOfServers implements AutoCloseable {
  final MemoryCluster cluster = new MemoryCluster();
  final Channels channels = new Channels();
  final List<NativeServer> servers = new ArrayList<>();
  private final List<TcpProxy> proxies = new ArrayList<>();
  private final List<Stele> clients = new ArrayList<>();

  ClusterOfServers(int count) {
    for (int i = 0; i < count; i++) {
      NativeServer server = listen();
      serve(server, server.address());
    }
  }

  private NativeServer listen() {
    NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
    servers.add(server);
    return server;
  }

  private void serve(NativeServer server, String address) {
    server.serve((TabletLocator) cluster);
    server.serveRows(cluster.add(address));
    server.serveAdmin(cluster);
  }

  /** Adds a server whose connections can be cut or made silent. */
  TcpProxy addBehindProxy() {
    NativeServer server = listen();
    TcpProxy proxy = new TcpProxy(server.port());
    proxies.add(proxy);
    serve(server, proxy.address());
    return proxy;
  }

  String address(int server) {
    return servers.get(server).address();
  }

  MemoryTables at(int server) {
    return cluster.at(address(server));
  }

  /** A client that knows one of the servers. */
  Stele client(int server, Duration timeout) {
    return client(address(server), timeout, Duration.ofSeconds(3));
  }

  Stele client(String address, Duration timeout, Duration attempt) {
    ClientSettings settings = ClientSettings.DEFAULTS;
    Stele made =
        Stele.builder()
            .endpoints(address)
            .settings(
                settings.withCalls(
                    settings.calls().withTimeout(timeout).withAttemptTimeout(attempt)))
            .connect();
    clients.add(made);
    return made;
  }

  /** A table whose tablets are at the servers in turn. */
  TableFixture create(Stele client, String table, String... splits) {
    List<Bytes> rows = Arrays.stream(splits).map(TableFixture::bytes).toList();
    cluster.create(table, TableSchema.ofFamilies("f", "g"), rows);
    return new TableFixture(client.rows(), table);
  }

  void move(String table, String row, int server) {
    cluster.move(table, bytes(row), address(server));
  }

  @Override
  public void close() {
    clients.forEach(Stele::close);
    proxies.forEach(
        proxy -> {
          try {
            proxy.close();
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    servers.forEach(NativeServer::close);
    channels.close();
  }
}
