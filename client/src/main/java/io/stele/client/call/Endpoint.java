package io.stele.client.call;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.local.LocalTransport;
import io.stele.protocol.wire.WireHeaders;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server, and the one connection to it. */
public final class Endpoint {
  private static final int MAX_MESSAGE_BYTES = 8 << 20;

  private final String address;
  private final ManagedChannel connection;
  private final Channel channel;
  private volatile int rowsPort; // 0: none, or not known

  Endpoint(String address, String principal) {
    this.address = address;
    this.connection =
        builder(address)
            .usePlaintext()
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

  private static ManagedChannelBuilder<?> builder(String address) {
    if (LocalTransport.isLocal(address)) {
      return LocalTransport.channel(address);
    }
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new InvalidRequestException("endpoint \"" + address + "\": must be HOST:PORT");
    }
    return ManagedChannelBuilder.forAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
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
