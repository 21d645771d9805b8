package io.stele.protocol.local;

import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The native protocol without a network: servers and clients of one process meet by a name. Its
 * threads are made when first needed, and end with the process.
 */
public final class LocalTransport {
  /** What addresses of such servers begin with. */
  public static final String SCHEME = "local:";

  private LocalTransport() {}

  /** Made when first used. One side's thread may wait for the other's, so each has its own. */
  private static final class Threads {
    static final EventLoopGroup CLIENTS = group("stele-local-client");
    static final EventLoopGroup SERVERS = group("stele-local-server");

    private static EventLoopGroup group(String name) {
      return new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory(name, true), LocalIoHandler.newFactory());
    }
  }

  public static boolean isLocal(String address) {
    return address.startsWith(SCHEME);
  }

  /** A connection to the server of an address that {@link #isLocal}. */
  public static ManagedChannelBuilder<?> channel(String address) {
    return NettyChannelBuilder.forAddress(at(address))
        .channelFactory(Link::new)
        .eventLoopGroup(Threads.CLIENTS);
  }

  public static NettyServerBuilder server(String address) {
    return NettyServerBuilder.forAddress(at(address))
        .channelFactory(Door::new)
        .bossEventLoopGroup(Threads.SERVERS)
        .workerEventLoopGroup(Threads.SERVERS);
  }

  private static LocalAddress at(String address) {
    return new LocalAddress(address.substring(SCHEME.length()));
  }

  /** Is asked for an option that only sockets have, and does not complain. */
  private static final class Link extends LocalChannel {
    private @Nullable ChannelConfig config;

    Link() {}

    Link(LocalServerChannel parent, LocalChannel peer) {
      super(parent, peer);
    }

    @Override
    public ChannelConfig config() {
      if (config == null) {
        config =
            new DefaultChannelConfig(this) {
              @Override
              public <T> boolean setOption(ChannelOption<T> option, T value) {
                return option.equals(ChannelOption.SO_KEEPALIVE) || super.setOption(option, value);
              }
            };
      }
      return config;
    }
  }

  private static final class Door extends LocalServerChannel {
    @Override
    protected LocalChannel newLocalChannel(LocalChannel peer) {
      return new Link(this, peer);
    }
  }
}
