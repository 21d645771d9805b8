package io.stele.gateway.etcd;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.etcd.cluster.MaintenanceService;
import io.stele.gateway.etcd.json.HttpOrGrpc;
import io.stele.gateway.etcd.json.JsonHandler;
import io.stele.gateway.etcd.json.StatusPages;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A port for etcd's clients: gRPC, and without TLS also JSON over HTTP/1.1. */
public final class EtcdServer implements AutoCloseable {
  private static final int STOP_SECONDS = 2;

  /** A little above what a request may have, so that one too large gets etcd's own answer. */
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  private final Server server;
  private final EtcdGateway gateway;
  private final String host;
  private @Nullable ManagedChannel self; // made for the first request in JSON; guarded by this
  private boolean closed; // guarded by this

  private EtcdServer(String host, int port, EtcdGateway gateway, Optional<EtcdTls> tls)
      throws IOException {
    this.gateway = gateway;
    this.host = host;
    StatusPages pages = new StatusPages(gateway.backend(), MaintenanceService.API_VERSION);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(host, port))
            .directExecutor() // handlers do not block
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    if (tls.isPresent()) {
      builder.sslContext(tls.get().context());
    } else {
      builder
          .protocolNegotiator(new HttpOrGrpc(() -> new JsonHandler(this::self, pages)))
          .handshakeTimeout(Long.MAX_VALUE, TimeUnit.NANOSECONDS); // JSON has none: HttpOrGrpc
    }
    gateway.addTo(builder);
    this.server = builder.build().start();
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   */
  public static EtcdServer listen(String host, int port, EtcdGateway gateway) {
    return listen(host, port, gateway, Optional.empty());
  }

  /**
   * Begins to listen.
   *
   * @param tls if connections are to be secured: then there is gRPC only
   */
  public static EtcdServer listen(
      String host, int port, EtcdGateway gateway, Optional<EtcdTls> tls) {
    try {
      return new EtcdServer(host, port, gateway, tls);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException(
          "cannot listen on " + host + ":" + port + " for etcd's clients: " + cause.getMessage(),
          e);
    }
  }

  /** Its own gRPC, by which requests in JSON are done. */
  private synchronized ManagedChannel self() {
    if (closed) {
      throw new UnavailableException("this server is stopping");
    }
    ManagedChannel channel = self;
    if (channel == null) {
      channel =
          NettyChannelBuilder.forAddress(new InetSocketAddress(host, server.getPort()))
              .usePlaintext()
              .directExecutor()
              .maxInboundMessageSize(Integer.MAX_VALUE)
              .build();
      self = channel;
    }
    return channel;
  }

  public int port() {
    return server.getPort();
  }

  /** Ends streams, lets calls that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    gateway.endStreams();
    synchronized (this) {
      closed = true;
      if (self != null) {
        self.shutdownNow();
      }
    }
    server.shutdown();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
