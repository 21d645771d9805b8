package io.stele.client.table;

import io.stele.base.time.Clock;
import io.stele.base.tls.BlockingChannel;
import io.stele.client.table.RowConnection.Settled;
import io.stele.client.table.RowTurn.Outcome;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A few connections to one server, shared by threads that wait for operations of one kind.
 *
 * <p>A thread that finds a connection free sends by itself and receives its own answer: nobody has
 * to be woken. Otherwise it queues. A thread that has its answers hands the connection to the one
 * that has queued longest, which sends all that is queued in one request and hands out the answers.
 * So a lone caller pays for no hand-over, and the more callers there are, the fewer messages they
 * need.
 *
 * <p>An operation may take long at the server (its tablet is on its way), and those behind it must
 * not wait for that: a thread that has queued for {@link #PATIENCE} opens a connection of its own,
 * or takes the stream where there are {@link #MOST}. Connections beyond the usual number are closed
 * as soon as they are free.
 */
final class RowLane implements AutoCloseable {
  private static final int MOST = 32;
  private static final int MOST_TOGETHER = 64;

  /** How long a thread queues before it takes another way. */
  static final Duration PATIENCE = Duration.ofMillis(20);

  /** How long a server may take to accept a connection, and then to prove who it is. */
  static final Duration CONNECT_PATIENCE = Duration.ofSeconds(1);

  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** In one request. Larger operations take the stream, which bounds what is under way. */
  static final int MOST_BYTES = RowFrames.MOST_REQUEST_BYTES / 2;

  /** How a connection is secured before anything is sent by it. */
  interface Securing {
    BlockingChannel secure(SocketChannel socket) throws IOException;
  }

  private final Clock clock;
  private final Securing securing;
  private final int usual;
  private final long patienceNanos;
  private final Set<RowConnection> busy = ConcurrentHashMap.newKeySet();
  private final Deque<RowConnection> idle = new ArrayDeque<>(); // guarded by this; last used first
  private final Deque<RowTurn> queue = new ArrayDeque<>(); // guarded by this; nothing sent yet
  private int count; // guarded by this; of connections that are busy, idle or being opened
  private boolean closed; // guarded by this
  private volatile boolean avoided; // could not connect
  private volatile long avoidUntil; // by the clock, if avoided

  /**
   * No connections yet.
   *
   * @param usual as many connections as serve callers best while no operation takes long
   */
  RowLane(Clock clock, int usual, Duration patience, Securing securing) {
    this.clock = clock;
    this.securing = securing;
    this.usual = usual;
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Has an operation of the calling thread answered, or lost.
   *
   * @return null if nothing was sent, and it should take the stream
   */
  @Nullable Outcome exchange(PendingOperation operation, InetSocketAddress address) {
    RowTurn turn = new RowTurn(operation);
    RowConnection connection = null;
    boolean queued = false;
    while (connection == null && !queued) {
      RowConnection free;
      synchronized (this) {
        if (closed || isAvoided()) {
          return null;
        }
        free = idle.pollFirst();
        queued = free == null && count >= usual;
        if (queued) {
          queue.addLast(turn);
        } else if (free == null) {
          count++;
        }
      }
      if (queued) {
        connection = await(turn, address);
      } else if (free == null) {
        connection = open(address);
        if (connection == null) {
          return null;
        }
      } else if (free.isTo(address) && !free.isStale(clock.nanos())) {
        connection = free;
      } else {
        drop(free);
      }
    }
    if (connection != null) {
      lead(connection, turn);
    }
    return turn.outcome();
  }

  private boolean isAvoided() {
    return avoided && avoidUntil - clock.nanos() > 0;
  }

  /** Opens a connection that has been counted; null if that fails. */
  private @Nullable RowConnection open(InetSocketAddress address) {
    try {
      RowConnection opened = new RowConnection(address, connect(address));
      avoided = false;
      return opened;
    } catch (IOException e) {
      avoidUntil = clock.nanos() + AVOID_NANOS;
      avoided = true;
      synchronized (this) {
        count--;
      }
      return null;
    }
  }

  private RowFrames connect(SocketAddress address) throws IOException {
    SocketChannel socket = SocketChannel.open();
    try {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.socket().connect(address, (int) CONNECT_PATIENCE.toMillis());
      RowFrames frames = new RowFrames(securing.secure(socket), RowFrames.MOST_ANSWER_BYTES);
      frames.greet();
      return frames;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Waits until another thread has settled a turn, or left a connection to it.
   *
   * @return the connection to send by; null if the turn is settled, or not to be sent here
   */
  private @Nullable RowConnection await(RowTurn turn, InetSocketAddress address) {
    long until = clock.nanos() + patienceNanos;
    boolean perhapsQueued = true;
    while (turn.isWaiting()) {
      boolean interrupted = Thread.currentThread().isInterrupted();
      long left = until - clock.nanos();
      if (perhapsQueued && (interrupted || left <= 0)) {
        if (withdraw(turn)) {
          return interrupted ? null : another(address);
        }
        perhapsQueued = false;
      } else if (interrupted) {
        turn.abandon(new Outcome.Lost("was not waited for: interrupted", true, false));
      } else if (perhapsQueued) {
        LockSupport.parkNanos(this, left);
      } else {
        LockSupport.park(this);
      }
    }
    RowConnection given = turn.connection();
    if (given == null || !Thread.currentThread().isInterrupted()) {
      return given;
    }
    // A thread that is interrupted would close the connection under others.
    if (given.carries(turn)) {
      turn.settle(new Outcome.Lost("was not waited for: interrupted", true, false));
      leave(given);
    } else {
      pass(given, true);
    }
    return null;
  }

  /** Takes a turn out of the queue; false if it is not there, or no more. */
  private synchronized boolean withdraw(RowTurn turn) {
    return queue.remove(turn);
  }

  /** One connection more than usual. */
  private @Nullable RowConnection another(InetSocketAddress address) {
    synchronized (this) {
      if (closed || isAvoided() || count >= MOST) {
        return null;
      }
      count++;
    }
    return open(address);
  }

  /** Sends a turn of this thread and what is queued, and hands out answers until it has its own. */
  private void lead(RowConnection connection, RowTurn own) {
    boolean passed = false;
    try {
      if (!connection.carries(own)) {
        busy.add(connection);
        connection.send(gather(own), clock.nanos());
      }
      while (own.outcome() == null) {
        List<Settled> settled = connection.receive();
        if (!connection.awaitsAnswers()) {
          passed = true;
          pass(connection, true); // the next request leaves before these answers are handed out
        }
        settled.forEach(each -> each.turn().settle(each.outcome()));
      }
    } catch (IOException e) {
      List<Settled> lost = connection.lost(e);
      pass(connection, false);
      lost.forEach(each -> each.turn().settle(each.outcome()));
      return;
    }
    if (!passed) {
      leave(connection);
    }
  }

  /** Leaves answers that are still to come to one of the threads that wait for them. */
  private void leave(RowConnection connection) {
    if (!connection.leaveToAnother()) {
      pass(connection, false);
    }
  }

  private List<RowTurn> gather(RowTurn own) {
    List<RowTurn> turns = new ArrayList<>();
    turns.add(own);
    long bytes = own.operation().bytes();
    synchronized (this) {
      while (!queue.isEmpty() && turns.size() < MOST_TOGETHER) {
        bytes += queue.getFirst().operation().bytes();
        if (bytes > MOST_BYTES) {
          break;
        }
        turns.add(queue.removeFirst());
      }
    }
    return turns;
  }

  /** Hands a connection to the next turn, or keeps it for the next caller. */
  private void pass(RowConnection connection, boolean usable) {
    busy.remove(connection);
    if (!usable) {
      drop(connection);
      return;
    }
    RowTurn next;
    boolean surplus;
    connection.idleSince(clock.nanos());
    synchronized (this) {
      next = queue.pollFirst();
      surplus = next == null && (closed || count > usual);
      if (next == null && !surplus) {
        idle.addFirst(connection);
      }
    }
    if (surplus) {
      drop(connection);
    } else if (next != null && !next.lead(connection)) {
      pass(connection, true); // it was interrupted
    }
  }

  private void drop(RowConnection connection) {
    connection.close();
    synchronized (this) {
      count--;
    }
  }

  /** How many operations wait for a connection. */
  synchronized int queued() {
    return queue.size();
  }

  /** The connections by which something is under way. */
  Set<RowConnection> busy() {
    return busy;
  }

  /** Closes a connection that nobody has used for long. */
  void sweep(long now) {
    RowConnection last;
    synchronized (this) {
      last = idle.peekLast();
      if (last == null || !last.isIdleFor(now, IDLE_NANOS)) {
        return;
      }
      idle.removeLast();
    }
    drop(last);
  }

  @Override
  public void close() {
    List<RowConnection> last;
    synchronized (this) {
      closed = true;
      last = List.copyOf(idle);
      idle.clear();
    }
    last.forEach(this::drop);
    busy.forEach(RowConnection::close);
  }
}
