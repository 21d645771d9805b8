package io.stele.client.call;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.local.LocalTransport;
import io.stele.protocol.wire.WireHeaders;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** A server, and the one connection to it. */
public final class Endpoint {
  private static final int MAX_MESSAGE_BYTES = 8 << 20;

  private final String address;
  private final ManagedChannel connection;
  private final Channel channel;
  private final Optional<Secured> secured;
  private volatile int rowsPort; // 0: none, or not known

  Endpoint(String address, String principal, Optional<Secured> secured) {
    this.address = address;
    this.secured = secured;
    this.connection =
        builder(address, secured)
            .directExecutor() // answers are handled where they are read
            .disableRetry() // we know better which calls may be made again
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            // A server that went away without a word is noticed while something waits for it.
            .keepAliveTime(5, TimeUnit.SECONDS)
            .keepAliveTimeout(3, TimeUnit.SECONDS)
            .build();
    if (principal.isEmpty()) {
      channel = connection;
    } else {
      Metadata headers = new Metadata();
      headers.put(WireHeaders.PRINCIPAL, principal);
      channel =
          ClientInterceptors.intercept(
              connection, MetadataUtils.newAttachHeadersInterceptor(headers));
    }
  }

  private static ManagedChannelBuilder<?> builder(String address, Optional<Secured> secured) {
    if (LocalTransport.isLocal(address)) {
      return LocalTransport.channel(address).usePlaintext();
    }
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new InvalidRequestException("endpoint \"" + address + "\": must be HOST:PORT");
    }
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
            address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    return secured
        .map(secure -> builder.sslContext(secure.grpc()))
        .orElseGet(builder::usePlaintext);
  }

  public String address() {
    return address;
  }

  public Channel channel() {
    return channel;
  }

  /** The server has said at which port it takes single operations on rows. */
  public void rowsAt(int port) {
    rowsPort = port;
  }

  /** Where it takes single operations on rows; nothing if it does not, or has not said so yet. */
  public Optional<InetSocketAddress> rowsAddress() {
    int port = rowsPort;
    return port == 0 ? Optional.empty() : Optional.of(new InetSocketAddress(host(address), port));
  }

  /** For connections to there, where all of them are secured. */
  public Optional<SSLContext> rowsSecurity() {
    return secured.map(Secured::rows);
  }

  /** Its host, as its certificate must name it. */
  public String host() {
    return host(address);
  }

  private static String host(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Could not connect: the next call tries again at once, and not after minutes. */
  void unreachable() {
    connection.resetConnectBackoff();
  }

  void close() {
    connection.shutdownNow();
  }
}
