package io.stele.gateway.nativeapi;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.RandomSource;
import io.stele.metastore.Metastore;
import io.stele.protocol.local.LocalTransport;
import io.stele.protocol.wire.WireLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The native interface on a port. It listens from the start, so that its address is known and other
 * servers can ask for it; it answers {@code NotServing} until it is given what to serve:
 *
 * <pre>{@code
 * NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
 * server.serve(memberAdmin);
 * server.serve(metastore);
 * }</pre>
 */
public final class NativeServer implements AutoCloseable {
  private static final int STOP_SECONDS = 2;

  private final Backend backend = new Backend();
  private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("stele-watch-progress").factory());
  private final TableDataService tables = new TableDataService(backend, blocking, incarnation());
  private final String address;
  private final Server server;
  private final int port;

  /** Listens; the name is its host, or its whole address within this process. */
  private NativeServer(NettyServerBuilder builder, String name, Channels channels)
      throws IOException {
    this.server =
        builder
            .directExecutor() // handlers do not block: see MetastoreService
            .maxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .intercept(new CallInfo.Reader())
            .addService(new MetastoreService(backend, new Forwarder(channels), blocking, timer))
            .addService(new MetastorePeerService(backend, blocking))
            .addService(tables)
            .addService(new TableAdminService(backend, blocking))
            .build()
            .start();
    this.port = server.getPort();
    this.address = LocalTransport.isLocal(name) ? name : name + ":" + port;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param channels to the other members, for forwarding; not closed with the server
   */
  public static NativeServer listen(String host, int port, Channels channels) {
    return listen(
        NettyServerBuilder.forAddress(new InetSocketAddress(host, port)),
        host,
        host + ":" + port,
        channels);
  }

  /** Begins to listen to clients of this process, which have no network in between. */
  public static NativeServer listenLocally(String name, Channels channels) {
    String address = LocalTransport.SCHEME + name;
    return listen(LocalTransport.server(address), address, address, channels);
  }

  private static NativeServer listen(
      NettyServerBuilder builder, String name, String where, Channels channels) {
    try {
      return new NativeServer(builder, name, channels);
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException("cannot listen on " + where + ": " + cause.getMessage(), e);
    }
  }

  public void serve(MemberAdmin admin) {
    backend.serve(admin);
  }

  public void serve(Metastore metastore) {
    backend.serve(metastore);
  }

  public void serve(Tables tables, TableAdmin admin) {
    backend.serve(tables, admin);
  }

  private static long incarnation() {
    long made = RandomSource.system().nextLong();
    return made == 0 ? 1 : made;
  }

  public int port() {
    return port;
  }

  /** {@code HOST:PORT} as it was told to listen, or the name within this process. */
  public String address() {
    return address;
  }

  /**
   * Ends the streams of tables in order, before what they are about ends: clients know then what
   * was done, and go on elsewhere.
   */
  public void endTables() {
    tables.end();
  }

  /** Lets calls that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    server.shutdown();
    tables.end();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    timer.shutdownNow();
    blocking.shutdownNow();
  }
}
