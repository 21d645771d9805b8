package io.stele.client.table;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireHeaders;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The stream of small operations to one server. Whoever submits one sends it, together with all
 * that others submitted meanwhile, unless somebody else is sending already and will take it along.
 * So a lone caller's operation leaves at once, and the more callers there are, the fewer messages
 * they need.
 */
final class ExchangeStream {
  /** Messages that one caller sends before it leaves the rest to another thread. */
  private static final int MESSAGES_IN_TURN = 4;

  /** Set while answers are handed out, on a thread of the network. */
  static final ScopedValue<Boolean> DELIVERING = ScopedValue.newInstance();

  private final Endpoint endpoint;
  private final Executor threads;
  private final Duration quietAtMost;
  private final Consumer<Endpoint> onSuspicion;
  private final Consumer<ExchangeStream> onClosed;
  private final ClientCall<ExchangeRequest, ExchangeResponse> call;
  private final Map<Long, PendingOperation> sent = new ConcurrentHashMap<>();
  private final Deque<PendingOperation> waiting = new ArrayDeque<>(); // guarded by this
  private boolean sending; // guarded by this; the call takes messages from one thread at a time
  private boolean started; // guarded by this
  private boolean closed; // guarded by this
  private long lastId; // of the thread that is sending
  private volatile boolean heard; // since the last sweep
  private long quietSince; // of the sweeper; the last sweep before which something was heard
  private boolean swept; // of the sweeper

  /**
   * A stream that has not begun.
   *
   * @param quietAtMost a server that has something to answer and says nothing for so long is
   *     suspected to hang
   * @param onSuspicion told before operations ask where they belong
   */
  ExchangeStream(
      Endpoint endpoint,
      Executor threads,
      Duration quietAtMost,
      Consumer<Endpoint> onSuspicion,
      Consumer<ExchangeStream> onClosed) {
    this.endpoint = endpoint;
    this.threads = threads;
    this.quietAtMost = quietAtMost;
    this.onSuspicion = onSuspicion;
    this.onClosed = onClosed;
    this.call =
        endpoint
            .channel()
            .newCall(
                TableDataGrpc.getExchangeMethod(),
                CallOptions.DEFAULT.withMaxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES));
  }

  void start() {
    call.start(new Answers(), new Metadata());
    call.request(2);
    synchronized (this) {
      started = true;
    }
    wake();
  }

  /** False if the stream has ended, and another one is needed. */
  boolean submit(PendingOperation operation) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      waiting.add(operation);
      if (sending || !started || !call.isReady()) {
        return true; // whoever sends, or the call once it is ready, takes it along
      }
      sending = true;
    }
    send(MESSAGES_IN_TURN);
    return true;
  }

  private void wake() {
    synchronized (this) {
      if (sending || !started || closed || waiting.isEmpty()) {
        return;
      }
      sending = true;
    }
    send(Integer.MAX_VALUE);
  }

  private void send(int messages) {
    for (int i = 0; i < messages; i++) {
      ExchangeRequest message;
      synchronized (this) {
        if (closed || waiting.isEmpty() || !call.isReady()) {
          sending = false; // should it be ready by now, it tells so after this
          return;
        }
        message = gather();
      }
      call.sendMessage(message);
    }
    try {
      threads.execute(() -> send(Integer.MAX_VALUE));
    } catch (RejectedExecutionException e) {
      close(); // with the client; all that waits is told so
    }
  }

  private ExchangeRequest gather() {
    ExchangeRequest.Builder message = ExchangeRequest.newBuilder();
    long bytes = 0;
    while (!waiting.isEmpty()) {
      int size = waiting.getFirst().bytes();
      if (bytes > 0 && bytes + size > WireLimits.GATHERED_BYTES) {
        break;
      }
      bytes += size;
      PendingOperation operation = waiting.removeFirst();
      long id = ++lastId;
      sent.put(id, operation);
      message.addOperations(operation.message(id));
    }
    return message.build();
  }

  /** Ends operations whose time is over, and looks whether the server hangs. */
  void sweep(long now) {
    List<PendingOperation> unsent = new ArrayList<>();
    synchronized (this) {
      for (Iterator<PendingOperation> each = waiting.iterator(); each.hasNext(); ) {
        PendingOperation operation = each.next();
        if (operation.isLate(now)) {
          each.remove();
          unsent.add(operation);
        }
      }
    }
    unsent.forEach(
        operation -> operation.failed(endpoint, problem("is too slow to take it"), false, false));
    sent.forEach(
        (id, operation) -> {
          if (operation.isLate(now) && sent.remove(id, operation)) {
            operation.failed(endpoint, problem("is too slow to answer"), true, false);
          }
        });
    if (hangs(now)) {
      suspect();
    }
  }

  /**
   * Asks anew where those operations belong that can go elsewhere, and lets go those that do.
   * Others stay: perhaps the server is only slow.
   */
  private void suspect() {
    onSuspicion.accept(endpoint);
    List<PendingOperation> unsent;
    synchronized (this) {
      unsent = List.copyOf(waiting);
    }
    for (PendingOperation operation : unsent) {
      ifElsewhere(operation, () -> stopWaiting(operation), false);
    }
    sent.forEach(
        (id, operation) -> {
          if (operation.mayMove()) {
            ifElsewhere(operation, () -> sent.remove(id, operation), true);
          }
        });
  }

  private void ifElsewhere(PendingOperation operation, BooleanSupplier letGo, boolean maybe) {
    var _ =
        operation
            .whereNow()
            .thenAccept(
                found -> {
                  if (found != endpoint && letGo.getAsBoolean()) {
                    operation.failed(
                        endpoint, problem("has said nothing for " + quietAtMost), maybe, true);
                  }
                });
  }

  private synchronized boolean stopWaiting(PendingOperation operation) {
    return waiting.remove(operation);
  }

  private boolean hangs(long now) {
    boolean idle = sent.isEmpty();
    if (idle) {
      synchronized (this) {
        idle = waiting.isEmpty();
      }
    }
    if (idle || heard || !swept) {
      heard = false;
      swept = true;
      quietSince = now;
    }
    if (now - quietSince < quietAtMost.toNanos()) {
      return false;
    }
    quietSince = now;
    return true;
  }

  private UnavailableException problem(String what) {
    return new UnavailableException(endpoint.address() + " " + what);
  }

  void close() {
    call.cancel("the client is closed", null);
  }

  private final class Answers extends ClientCall.Listener<ExchangeResponse> {
    @Override
    public void onHeaders(Metadata headers) {
      String port = headers.get(WireHeaders.ROWS_PORT);
      if (port != null) {
        endpoint.rowsAt(Integer.parseInt(port));
      }
    }

    @Override
    public void onReady() {
      wake();
    }

    @Override
    public void onMessage(ExchangeResponse message) {
      heard = true;
      call.request(1);
      ScopedValue.where(DELIVERING, true).run(() -> deliver(message));
    }

    private void deliver(ExchangeResponse message) {
      for (TableAnswer answer : message.getAnswersList()) {
        PendingOperation operation = sent.remove(answer.getId());
        if (operation != null) { // if not, its time was over
          operation.answered(endpoint, answer, message.getIncarnation());
        }
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      List<PendingOperation> unsent;
      synchronized (ExchangeStream.this) {
        closed = true;
        unsent = new ArrayList<>(waiting);
        waiting.clear();
      }
      onClosed.accept(ExchangeStream.this);
      boolean unreachable = ErrorMapping.neverSent(status);
      SteleException problem =
          status.isOk()
              ? new UnavailableException(endpoint.address() + " ended the connection")
              : ErrorMapping.fromStatus(endpoint.address(), status, trailers);
      // A server that ends the stream in order has answered all that it did; one that has no
      // memory for the next message does the same.
      boolean inOrder =
          status.isOk()
              || (problem instanceof ExhaustedException
                  && trailers.containsKey(WireHeaders.ERROR)); // not what gRPC itself refuses
      ScopedValue.where(DELIVERING, true)
          .run(
              () -> {
                unsent.forEach(
                    each -> each.failed(endpoint, asPassing(problem), false, unreachable));
                sent.forEach(
                    (id, operation) -> {
                      if (sent.remove(id, operation)) {
                        operation.failed(
                            endpoint, asPassing(problem), !inOrder && !unreachable, unreachable);
                      }
                    });
              });
    }

    /** What ended a stream is not the fault of each operation in it. */
    private SteleException asPassing(SteleException problem) {
      return problem.retryable()
          ? problem
          : new UnavailableException("connection to " + problem.getMessage(), problem);
    }
  }
}
