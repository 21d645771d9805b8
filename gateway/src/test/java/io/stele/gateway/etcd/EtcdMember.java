package io.stele.gateway.etcd;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.node.NodeSettings;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A metastore of one member with etcd's API in front of it, on a free port. */
final class EtcdMember implements AutoCloseable {
  private final MemoryFileStore files = new MemoryFileStore();
  private final Channels channels = new Channels();
  private final EtcdGateway gateway;
  private final EtcdServer server;
  private final ManagedChannel channel;
  private final HttpClient http = HttpClient.newHttpClient();
  final MetastoreNode node;

  EtcdMember() {
    this(EtcdOptions.DEFAULT);
  }

  EtcdMember(EtcdOptions options) {
    this(options, NodeSettings.DEFAULT);
  }

  EtcdMember(EtcdOptions options, NodeSettings settings) {
    Events events = new Events((event, problem) -> {});
    Member self = new Member("self", "127.0.0.1:1", "127.0.0.1:2");
    try {
      node =
          new MetastoreNode.Builder(
                  files, state -> SoloLog.open(files, self, state, SoloSettings.DEFAULT, events))
              .settings(settings)
              .events(events)
              .group(() -> "group")
              .open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await().until(() -> node.replica().version() == ClusterVersion.NEWEST);
    gateway = new EtcdGateway(channels, options);
    gateway.serve(node, nobody());
    server = EtcdServer.listen("127.0.0.1", 0, gateway);
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
  }

  /** Nobody asks it here. */
  static MemberAdmin nobody() {
    return (MemberAdmin)
        Proxy.newProxyInstance(
            MemberAdmin.class.getClassLoader(),
            new Class<?>[] {MemberAdmin.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }

  EtcdGateway gateway() {
    return gateway;
  }

  ManagedChannel channel() {
    return channel;
  }

  int port() {
    return server.port();
  }

  KVGrpc.KVBlockingStub keys() {
    return KVGrpc.newBlockingStub(channel);
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  /** Puts a key, and returns the revision. */
  long put(String key, String value) {
    return keys()
        .put(PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build())
        .getHeader()
        .getRevision();
  }

  RangeResponse get(String key) {
    return keys().range(RangeRequest.newBuilder().setKey(bytes(key)).build());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .version(HttpClient.Version.HTTP_1_1);
  }

  HttpResponse<String> send(HttpRequest request) throws Exception {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> page(String path) throws Exception {
    return send(request(path).build());
  }

  @Override
  public void close() {
    http.close();
    channel.shutdownNow();
    server.close();
    gateway.close();
    channels.close();
    node.close();
    files.close();
  }
}
