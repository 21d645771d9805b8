package io.stele.gateway.etcd;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A port for etcd's clients. */
public final class EtcdServer implements AutoCloseable {
  private static final int STOP_SECONDS = 2;

  /** A little above what a request may have, so that one too large gets etcd's own answer. */
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  private final Server server;
  private final EtcdGateway gateway;

  private EtcdServer(Server server, EtcdGateway gateway) {
    this.server = server;
    this.gateway = gateway;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   */
  public static EtcdServer listen(String host, int port, EtcdGateway gateway) {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(host, port))
            .directExecutor() // handlers do not block
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    gateway.addTo(builder);
    try {
      return new EtcdServer(builder.build().start(), gateway);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException(
          "cannot listen on " + host + ":" + port + " for etcd's clients: " + cause.getMessage(),
          e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** Ends streams, lets calls that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    gateway.endStreams();
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
