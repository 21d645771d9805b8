package io.stele.it.etcd;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.base.event.Events;
import io.stele.base.file.LocalFileStore;
import io.stele.gateway.etcd.EtcdGateway;
import io.stele.gateway.etcd.EtcdServer;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.gateway.security.PortSecurity;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Optional;

/** A metastore of one member in this process, behind a port for etcd's clients. */
final class SteleNode implements AutoCloseable {
  private final LocalFileStore files;
  private final MetastoreNode node;
  private static final Member SELF = new Member("a", "127.0.0.1:1", "127.0.0.1:2");
  private static final String GROUP = "differential";

  private final Channels channels = new Channels();
  private final EtcdGateway gateway = new EtcdGateway(channels);
  private final EtcdServer server;
  private final ManagedChannel channel;

  private SteleNode(Path directory, int port, Optional<PortSecurity> security) throws IOException {
    Events events = new Events((event, problem) -> {});
    files = LocalFileStore.open(directory.resolve("stele"));
    node =
        new MetastoreNode.Builder(
                files, replica -> SoloLog.open(files, SELF, replica, SoloSettings.DEFAULT, events))
            .events(events)
            .group(() -> GROUP)
            .open();
    gateway.serve(node, admin());
    server = EtcdServer.listen("127.0.0.1", port, gateway, security);
    channel = NettyChannelBuilder.forTarget("127.0.0.1:" + server.port()).usePlaintext().build();
  }

  static SteleNode start(Path directory) throws IOException {
    return start(directory, 0);
  }

  /** On a port of its own choice, as after a restart; 0 for any. */
  static SteleNode start(Path directory, int port) throws IOException {
    return new SteleNode(directory, port, Optional.empty());
  }

  static SteleNode start(Path directory, PortSecurity security) throws IOException {
    return new SteleNode(directory, 0, Optional.of(security));
  }

  /** Says who it is, and changes nothing. */
  private static MemberAdmin admin() {
    return (MemberAdmin)
        Proxy.newProxyInstance(
            MemberAdmin.class.getClassLoader(),
            new Class<?>[] {MemberAdmin.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("identify")) {
                return new PeerIdentity(SELF, Optional.of(GROUP), 1);
              }
              throw new AssertionError("not asked for: " + method);
            });
  }

  ManagedChannel channel() {
    return channel;
  }

  String address() {
    return "127.0.0.1:" + server.port();
  }

  int port() {
    return server.port();
  }

  @Override
  public void close() throws IOException {
    channel.shutdownNow();
    server.close();
    gateway.close();
    channels.close();
    node.close();
    files.close();
  }
}
