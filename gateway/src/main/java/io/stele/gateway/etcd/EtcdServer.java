package io.stele.gateway.etcd;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.etcd.cluster.MaintenanceService;
import io.stele.gateway.etcd.json.HttpOrGrpc;
import io.stele.gateway.etcd.json.JsonHandler;
import io.stele.gateway.etcd.json.StatusPages;
import io.stele.gateway.metric.GrpcRequests;
import io.stele.gateway.security.Callers;
import io.stele.gateway.security.PortSecurity;
import io.stele.gateway.web.WebGuard;
import io.stele.protocol.local.LocalTransport;
import io.stele.protocol.tls.GrpcTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A port for etcd's clients: gRPC, and JSON over HTTP/1.1. What comes in JSON goes on to the same
 * services within this process, without the certificate of who sent it: as in etcd it needs a
 * token.
 */
public final class EtcdServer implements AutoCloseable {
  private static final int STOP_SECONDS = 2;
  private static final AtomicLong NUMBERS = new AtomicLong(); // of names within this process

  /** A little above what a request may have, so that one too large gets etcd's own answer. */
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  /**
   * Clients of gRPC offer HTTP/2 alone; whoever offers both wants JSON, which speaks HTTP/1.1 here.
   */
  private static final ApplicationProtocolConfig PROTOCOLS =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_1_1,
          ApplicationProtocolNames.HTTP_2);

  private final Server server;
  private final EtcdGateway gateway;
  private final Server local; // for what comes in JSON
  private final String localAddress = LocalTransport.SCHEME + "etcd-" + NUMBERS.incrementAndGet();
  private @Nullable ManagedChannel self; // made for the first request in JSON; guarded by this
  private boolean closed; // guarded by this

  private EtcdServer(String host, int port, EtcdGateway gateway, Optional<PortSecurity> security)
      throws IOException {
    this.gateway = gateway;
    EtcdOptions how = gateway.options();
    StatusPages pages = new StatusPages(gateway.backend(), MaintenanceService.API_VERSION);
    InetSocketAddress address = new InetSocketAddress(host, port);
    boolean loopback = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    WebGuard guard = new WebGuard("etcd", how.origins(), how.hosts(), loopback, false);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .directExecutor() // handlers do not block
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(nanos(how.keepaliveMinTime()), TimeUnit.NANOSECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(nanos(how.keepaliveInterval()), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(nanos(how.keepaliveTimeout()), TimeUnit.NANOSECONDS)
            .protocolNegotiator(
                new HttpOrGrpc(
                    () -> new JsonHandler(this::self, pages, guard),
                    security.map(EtcdServer::context),
                    how.handshakeTimeout(),
                    how.idleTimeout()))
            .handshakeTimeout(Long.MAX_VALUE, TimeUnit.NANOSECONDS); // JSON has none: HttpOrGrpc
    security.ifPresent(secured -> builder.addTransportFilter(new Callers(secured.identities())));
    gateway.addTo(builder);
    GrpcRequests.measure(builder);
    NettyServerBuilder within =
        LocalTransport.server(localAddress)
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES);
    gateway.addTo(within);
    GrpcRequests.measure(within);
    this.local = within.build().start();
    this.server = start(builder, local);
  }

  private static SslContext context(PortSecurity security) {
    return GrpcTls.build(security.context().applicationProtocolConfig(PROTOCOLS));
  }

  private static long nanos(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time); // the longest there is, if it is longer
  }

  private static Server start(NettyServerBuilder builder, Server local) throws IOException {
    try {
      return builder.build().start();
    } catch (IOException | RuntimeException e) {
      local.shutdownNow();
      throw e;
    }
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
   * @param security of connections, if they are secured
   */
  public static EtcdServer listen(
      String host, int port, EtcdGateway gateway, Optional<PortSecurity> security) {
    try {
      return new EtcdServer(host, port, gateway, security);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException(
          "cannot listen on " + host + ":" + port + " for etcd's clients: " + cause.getMessage(),
          e);
    }
  }

  /** Its own services, by which requests in JSON are done. */
  private synchronized ManagedChannel self() {
    if (closed) {
      throw new UnavailableException("this server is stopping");
    }
    ManagedChannel channel = self;
    if (channel == null) {
      channel =
          LocalTransport.channel(localAddress)
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
    local.shutdownNow();
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
