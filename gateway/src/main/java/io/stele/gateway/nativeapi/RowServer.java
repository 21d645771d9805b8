package io.stele.gateway.nativeapi;

import io.stele.base.error.UnavailableException;
import io.stele.base.event.Defects;
import io.stele.base.time.Clock;
import io.stele.base.tls.BlockingChannel;
import io.stele.base.tls.PlainChannel;
import io.stele.base.tls.TlsChannel;
import io.stele.gateway.nativeapi.Backend.ServedTables;
import io.stele.gateway.security.PortSecurity;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Single operations on rows, by the protocol of {@link RowFrames}. Each connection has a thread,
 * which reads a request, carries it out and sends the answer: where all is in memory, a get costs
 * no hand-over to another thread. Waiting for a file, for room or for the log keeps nobody else
 * waiting, so nothing here needs to know what may block.
 *
 * <p>Platform threads, since the system wakes one directly when its request comes; a virtual thread
 * would be woken by another that waits for all of them. Their number is bounded: clients that get
 * no connection use streams, which serve any number of callers.
 */
final class RowServer implements AutoCloseable {
  private static final int MOST_CONNECTIONS = 512;
  private static final int BACKLOG = 128;
  private static final long RETRY_NANOS = 10_000_000;

  /** How long a request may have been on its way when the end was announced. */
  private static final long CROSSING_MILLIS = 100;

  /** How long a client may take to prove who it is. */
  private static final Duration HANDSHAKE_PATIENCE = Duration.ofSeconds(5);

  private final ServerSocketChannel listener;
  private final Supplier<@Nullable ServedTables> tables;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Optional<PortSecurity> security;
  private final Optional<SSLContext> context;
  private volatile boolean ending;

  private RowServer(
      ServerSocketChannel listener,
      Supplier<@Nullable ServedTables> tables,
      Optional<PortSecurity> security) {
    this.listener = listener;
    this.tables = tables;
    this.security = security;
    this.context = security.map(secured -> secured.tls().context());
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param tables that answer, asked for each request
   * @param security of connections, if they are secured
   */
  static RowServer listen(
      String host,
      int port,
      Supplier<@Nullable ServedTables> tables,
      Optional<PortSecurity> security)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      listener.bind(new InetSocketAddress(host, port), BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw new UnavailableException(
          "cannot listen on " + host + ":" + port + ": " + e.getMessage(), e);
    }
    RowServer server = new RowServer(listener, tables, security);
    Thread.ofPlatform().daemon().name("stele-rows-accept").start(server::accept);
    return server;
  }

  int port() {
    return listener.socket().getLocalPort();
  }

  private void accept() {
    while (!ending) {
      try {
        SocketChannel channel = listener.accept();
        if (connections.size() >= MOST_CONNECTIONS) {
          channel.close();
          continue;
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Connection connection = new Connection(channel);
        connections.add(connection);
        connection.thread.start();
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        LockSupport.parkNanos(RETRY_NANOS); // out of files, perhaps; the client uses a stream
      }
    }
  }

  /** Takes no more requests; each connection ends when it has answered the one it has. */
  void end() {
    ending = true;
    connections.forEach(Connection::end);
  }

  @Override
  public void close() {
    end();
    try {
      listener.close();
    } catch (IOException e) {
      // Nobody connects to it any more.
    }
    List<Connection> last = List.copyOf(connections);
    try {
      CompletableFuture.allOf(
              last.stream().map(each -> each.left).toArray(CompletableFuture[]::new))
          .get(CROSSING_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // Some clients have not looked at the end yet.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    last.forEach(connection -> connection.frames.close());
  }

  /** One client's thread, as it were. */
  private final class Connection {
    private final Optional<TlsChannel> secured;
    private final RowFrames frames;
    private final Thread thread;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private boolean busy; // guarded by this; a request was read, and its answer is not written
    private boolean ended; // guarded by this; the end was announced
    private boolean established; // guarded by this; what is sent is understood

    Connection(SocketChannel channel) {
      this.secured =
          context.map(with -> TlsChannel.server(channel, with, security.orElseThrow().clients()));
      this.frames =
          new RowFrames(
              secured.<BlockingChannel>map(each -> each).orElseGet(() -> new PlainChannel(channel)),
              RowFrames.MOST_REQUEST_BYTES);
      this.established = secured.isEmpty();
      this.thread = Thread.ofPlatform().daemon().name("stele-rows").unstarted(this::run);
    }

    private void run() {
      try {
        if (secured.isPresent()) {
          secured.get().handshake(HANDSHAKE_PATIENCE, Clock.system());
          synchronized (this) {
            established = true;
          }
        }
        if (frames.isGreeted()) {
          answerAll();
        }
      } catch (IOException e) {
        // The client is gone, or speaks another protocol; what it asked for is done all the same.
      } catch (RuntimeException | Error e) {
        String _ =
            Defects.ofProcess().report("operations on rows", e); // and the client sees the end
      } finally {
        frames.close();
        connections.remove(this);
        left.complete(null);
      }
    }

    private void answerAll() throws IOException {
      if (ending) {
        end(); // it came while the others were ended
      }
      while (true) {
        Optional<ExchangeRequest> request = frames.read(ExchangeRequest.parser());
        synchronized (this) {
          if (ended || request.isEmpty()) {
            break; // not done, and the client knows
          }
          busy = true;
        }
        answer(request.get());
        synchronized (this) {
          busy = false;
        }
        if (ending) {
          end();
        }
      }
      frames.drain();
    }

    /** Carries out what one request asks, and answers what is slow after the rest. */
    private void answer(ExchangeRequest request) throws IOException {
      RowOperations operations = new RowOperations(tables.get());
      RowAnswers answers = new RowAnswers(frames, operations.incarnation());
      for (TableOperation operation : request.getOperationsList()) {
        answers.add(operations.answer(operation));
      }
      answers.finish();
    }

    /** Announces the end, unless an answer is to come first. */
    private synchronized void end() {
      if (busy || ended || !established) {
        return; // its own thread sees to it
      }
      ended = true;
      try {
        frames.writeEnd();
      } catch (IOException e) {
        frames.close();
      }
    }
  }
}
