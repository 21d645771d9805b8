package io.stele.gateway.nativeapi;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.tls.Tls;
import io.stele.protocol.tls.GrpcTls;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Connections to other members, one each, opened when first needed. */
public final class Channels implements AutoCloseable {
  /** The largest message that either side takes. */
  static final int MAX_MESSAGE_BYTES = 8 << 20;

  private final ConcurrentHashMap<String, ManagedChannel> channels = new ConcurrentHashMap<>();
  private final Optional<Tls> tls;
  private final Optional<SslContext> secure;
  private volatile boolean closed;

  /** Without TLS. */
  public Channels() {
    this(Optional.empty());
  }

  /**
   * To other nodes.
   *
   * @param tls that accepts nodes alone; nothing for connections without TLS
   */
  public Channels(Optional<Tls> tls) {
    this.tls = tls;
    this.secure = tls.map(GrpcTls::client);
  }

  /** How nodes prove themselves to each other. */
  public Optional<Tls> tls() {
    return tls;
  }

  public ManagedChannel to(String address) {
    ManagedChannel known = channels.get(address);
    if (known != null) {
      return known;
    }
    ManagedChannel channel = channels.computeIfAbsent(address, this::open);
    if (closed) {
      channel.shutdownNow();
      throw new UnavailableException("connection to " + address + ": this server is stopping");
    }
    return channel;
  }

  private ManagedChannel open(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new InvalidRequestException("address \"" + address + "\": must be HOST:PORT");
    }
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
            address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    return secure
        .map(builder::sslContext)
        .orElseGet(builder::usePlaintext)
        .directExecutor()
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        // A member that was cut off without a word is noticed, and connecting to one that was away
        // is not put off for minutes.
        .keepAliveTime(10, TimeUnit.SECONDS)
        .keepAliveTimeout(5, TimeUnit.SECONDS)
        .build();
  }

  /**
   * A call found nobody there: the next one tries to connect at once, and not when gRPC's own
   * pause, which grows to minutes, is over. A member that restarts is back in a moment.
   */
  public void unreachable(String address) {
    ManagedChannel known = channels.get(address);
    if (known != null) {
      known.resetConnectBackoff();
    }
  }

  @Override
  public void close() {
    closed = true;
    channels.values().forEach(ManagedChannel::shutdownNow);
  }
}
