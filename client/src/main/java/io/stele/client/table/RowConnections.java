package io.stele.client.table;

import io.stele.base.time.Clock;
import io.stele.base.tls.BlockingChannel;
import io.stele.base.tls.PlainChannel;
import io.stele.base.tls.TlsChannel;
import io.stele.client.call.Endpoint;
import io.stele.client.table.RowTurn.Outcome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * Connections by {@link io.stele.protocol.wire.RowFrames}, for threads that wait for what they ask:
 * they send and receive by themselves, where gRPC would wake several others for it. Where a server
 * has none or cannot be reached that way, and for large operations, there is the {@link
 * ExchangeStream}.
 *
 * <p>Changes wait for a sync, reads do not: each kind has a {@link RowLane} of its own.
 */
final class RowConnections implements AutoCloseable {
  /** Bound on a thread that does nothing but wait for the answer of what it submits. */
  static final ScopedValue<Boolean> CALLER_WAITS = ScopedValue.newInstance();

  // Measured with 16 and 64 callers: with more connections messages carry less, with fewer a server
  // has nothing to do while answers are handed out (ADR 24).
  private static final int FOR_READS = 4;
  private static final int FOR_CHANGES = 2;

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

  private record Server(RowLane reads, RowLane changes) {
    List<RowLane> lanes() {
      return List.of(reads, changes);
    }
  }

  /**
   * Has an operation answered, or failed in passing, before it returns.
   *
   * @return false if it takes the stream: nothing was sent
   */
  boolean exchange(PendingOperation operation, Endpoint endpoint) {
    if (closed
        || !CALLER_WAITS.isBound()
        || ExchangeStream.DELIVERING.isBound()
        || Thread.currentThread().isInterrupted() // which would close the connection
        || operation.bytes() > RowLane.MOST_BYTES) {
      return false;
    }
    Optional<InetSocketAddress> address = endpoint.rowsAddress();
    if (address.isEmpty()) {
      return false;
    }
    Server server =
        servers.computeIfAbsent(
            endpoint, _ -> new Server(lane(endpoint, FOR_READS), lane(endpoint, FOR_CHANGES)));
    RowLane lane = operation.changes() ? server.changes() : server.reads();
    Outcome outcome = lane.exchange(operation, address.get());
    if (outcome == null) {
      return false;
    }
    outcome.settle(operation, endpoint); // the connection is free: the next attempt may need it
    return true;
  }

  private RowLane lane(Endpoint endpoint, int usual) {
    return new RowLane(clock, usual, RowLane.PATIENCE, socket -> secured(endpoint, socket));
  }

  private BlockingChannel secured(Endpoint endpoint, SocketChannel socket) throws IOException {
    Optional<SSLContext> context = endpoint.rowsSecurity();
    if (context.isEmpty()) {
      return new PlainChannel(socket);
    }
    TlsChannel channel = TlsChannel.client(socket, context.get(), endpoint.host());
    channel.handshake(RowLane.CONNECT_PATIENCE, clock);
    return channel;
  }

  /** Ends operations whose time is over, and looks whether servers hang. */
  void sweep(long now) {
    servers.forEach(
        (endpoint, server) -> {
          for (RowLane lane : server.lanes()) {
            lane.busy().forEach(connection -> sweep(endpoint, connection, now));
            lane.sweep(now);
          }
        });
  }

  private void sweep(Endpoint endpoint, RowConnection connection, long now) {
    boolean suspected = connection.isQuiet(now, quietAtMost.toNanos());
    if (suspected) {
      onSuspicion.accept(endpoint);
    }
    for (RowTurn turn : connection.underWay()) {
      if (turn.operation().isLate(now)) {
        connection.end(turn, new Outcome.Lost("is too slow to answer", true, false));
      } else if (suspected && turn.operation().mayMove()) {
        leaveIfElsewhere(endpoint, connection, turn);
      }
    }
  }

  /** Lets go of an operation that belongs elsewhere by now; perhaps the server is only slow. */
  private void leaveIfElsewhere(Endpoint endpoint, RowConnection connection, RowTurn turn) {
    var _ =
        turn.operation()
            .whereNow()
            .thenAccept(
                found -> {
                  if (found != endpoint) {
                    String quiet = "has said nothing for " + quietAtMost;
                    connection.end(turn, new Outcome.Lost(quiet, true, true));
                  }
                });
  }

  @Override
  public void close() {
    closed = true;
    servers.values().forEach(server -> server.lanes().forEach(RowLane::close));
  }
}
