package io.stele.client.table;

import io.stele.base.time.Clock;
import io.stele.client.call.Endpoint;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections by {@link RowFrames}, each of which one thread has to itself while it waits for an
 * answer: it sends and receives by itself, and no other thread has to be woken. They are for
 * threads that wait anyway. Where there are none left, where a server has none or cannot be reached
 * that way, and for large operations, there is the {@link ExchangeStream}.
 */
final class RowConnections implements AutoCloseable {
  /** Bound on a thread that does nothing but wait for the answer of what it submits. */
  static final ScopedValue<Boolean> CALLER_WAITS = ScopedValue.newInstance();

  /** To one server. With more callers than this, the stream's shared messages cost less. */
  private static final int MOST = 64;

  /**
   * Changes under way to one server, beyond which others take the stream. Changes that are synced
   * together are then answered together, in one message, instead of waking a thread for each.
   */
  private static final int MOST_CHANGES = 12;

  /** Larger requests take the stream, which bounds what is under way. */
  private static final int MOST_BYTES = RowFrames.MOST_REQUEST_BYTES / 2;

  private static final long CONNECT_MILLIS = 1_000;
  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Clock clock;
  private final Duration quietAtMost;
  private final Consumer<Endpoint> onSuspicion;
  private final Map<Endpoint, Server> servers = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * None yet.
   *
   * @param quietAtMost a server that does not answer for so long is suspected to hang
   * @param onSuspicion told before an operation asks where it belongs
   */
  RowConnections(Clock clock, Duration quietAtMost, Consumer<Endpoint> onSuspicion) {
    this.clock = clock;
    this.quietAtMost = quietAtMost;
    this.onSuspicion = onSuspicion;
  }

  /** The connections to one server. */
  private static final class Server {
    private final ConcurrentLinkedDeque<RowConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<RowConnection> busy = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger(); // of both, and of those being opened
    private final AtomicInteger changes = new AtomicInteger(); // under way
    private volatile long avoidUntil; // by the clock, if avoided
    private volatile boolean avoided; // could not connect
  }

  /**
   * Has an operation answered, or failed in passing, before it returns.
   *
   * @return false if it takes the stream: nothing was sent
   */
  boolean exchange(PendingOperation operation, Endpoint endpoint) {
    if (!CALLER_WAITS.isBound()
        || ExchangeStream.DELIVERING.isBound()
        || Thread.currentThread().isInterrupted() // which would close the connection
        || operation.bytes() > MOST_BYTES) {
      return false;
    }
    Optional<InetSocketAddress> address = endpoint.rowsAddress();
    if (address.isEmpty()) {
      return false;
    }
    Server server = servers.computeIfAbsent(endpoint, _ -> new Server());
    if (!operation.changes()) {
      return exchange(operation, endpoint, server, address.get());
    }
    try {
      return server.changes.incrementAndGet() <= MOST_CHANGES
          && exchange(operation, endpoint, server, address.get());
    } finally {
      server.changes.decrementAndGet();
    }
  }

  private boolean exchange(
      PendingOperation operation, Endpoint endpoint, Server server, InetSocketAddress address) {
    RowConnection connection = take(server, address);
    if (connection == null) {
      return false;
    }
    server.busy.add(connection);
    boolean usable = false;
    Runnable settled = () -> {};
    try {
      RowConnection.Outcome outcome = connection.exchange(operation, clock.nanos());
      usable = outcome instanceof RowConnection.Outcome.Answered;
      settled = () -> outcome.settle(operation, endpoint);
    } finally {
      server.busy.remove(connection);
      release(server, connection, usable && !closed);
    }
    settled.run(); // after the connection is free: the next attempt may need it
    return true;
  }

  private @Nullable RowConnection take(Server server, InetSocketAddress address) {
    long now = clock.nanos();
    for (RowConnection idle = server.idle.pollFirst();
        idle != null;
        idle = server.idle.pollFirst()) {
      if (idle.isTo(address) && !idle.isStale(now)) {
        return idle;
      }
      release(server, idle, false);
    }
    if (closed || (server.avoided && server.avoidUntil - now > 0)) {
      return null;
    }
    if (server.count.incrementAndGet() > MOST) {
      server.count.decrementAndGet();
      return null;
    }
    try {
      RowConnection opened = new RowConnection(address, connect(address));
      server.avoided = false;
      return opened;
    } catch (IOException e) {
      server.count.decrementAndGet();
      server.avoidUntil = clock.nanos() + AVOID_NANOS;
      server.avoided = true;
      return null;
    }
  }

  private static RowFrames connect(SocketAddress address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    RowFrames frames = new RowFrames(channel, RowFrames.MOST_ANSWER_BYTES);
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, (int) CONNECT_MILLIS);
      frames.greet();
      return frames;
    } catch (IOException | RuntimeException e) {
      frames.close();
      throw e;
    }
  }

  private void release(Server server, RowConnection connection, boolean usable) {
    if (usable) {
      connection.idleSince(clock.nanos());
      server.idle.addFirst(connection); // the one used last: its memory is in the caches
    } else {
      connection.close();
      server.count.decrementAndGet();
    }
  }

  /** Ends operations whose time is over, and looks whether servers hang. */
  void sweep(long now) {
    servers.forEach(
        (endpoint, server) -> {
          for (RowConnection busy : server.busy) {
            busy.sweep(now, quietAtMost).ifPresent(waits -> suspect(endpoint, busy, waits));
          }
          RowConnection last = server.idle.pollLast();
          if (last != null && last.isIdleFor(now, IDLE_NANOS)) {
            release(server, last, false);
          } else if (last != null) {
            server.idle.addLast(last);
          }
        });
  }

  /** Lets go of an operation that belongs elsewhere by now; perhaps the server is only slow. */
  private void suspect(Endpoint endpoint, RowConnection busy, PendingOperation waits) {
    onSuspicion.accept(endpoint);
    var _ =
        waits
            .whereNow()
            .thenAccept(
                found -> {
                  if (found != endpoint) {
                    String quiet = "has said nothing for " + quietAtMost;
                    busy.end(waits, new RowConnection.Outcome.Lost(quiet, true, true));
                  }
                });
  }

  @Override
  public void close() {
    closed = true;
    for (Server server : servers.values()) {
      server.busy.forEach(RowConnection::close);
      for (RowConnection idle = server.idle.pollFirst();
          idle != null;
          idle = server.idle.pollFirst()) {
        release(server, idle, false);
      }
    }
  }
}
