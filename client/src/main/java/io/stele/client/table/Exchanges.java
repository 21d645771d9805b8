package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The connections for small operations to the servers that are asked. */
final class Exchanges implements AutoCloseable {
  private static final long SWEEP_MILLIS = 50;
  private static final int ENVELOPE_BYTES = 32; // about, of an operation without its content

  private final Caller caller;
  private final TabletLocations locations;
  private final ByteBudget budget;
  private final ConcurrentHashMap<Endpoint, ExchangeStream> streams = new ConcurrentHashMap<>();
  private final RowConnections rows;
  private final Set<PendingOperation> locating = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledFuture<?> sweeper;
  private volatile boolean closed;

  Exchanges(Caller caller, TabletLocations locations, long bytesUnderWay) {
    this.caller = caller;
    this.locations = locations;
    this.budget = new ByteBudget(bytesUnderWay);
    this.rows =
        new RowConnections(
            caller.clock(),
            caller.settings().attemptTimeout(),
            server -> locations.lost(server, true));
    this.sweeper =
        caller
            .timer()
            .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  Caller caller() {
    return caller;
  }

  TabletLocations locations() {
    return locations;
  }

  ByteBudget budget() {
    return budget;
  }

  /** Sends what changes nothing. */
  CompletableFuture<PendingOperation.Answer> read(
      TableOperation.Builder operation, Target target, int bytes) {
    return send(operation, target, false, bytes, false, () -> true, caller.settings().timeout());
  }

  /**
   * Sends a change.
   *
   * @param repeatable whether it may be made twice
   */
  CompletableFuture<PendingOperation.Answer> change(
      TableOperation.Builder operation, Target target, long bytes, BooleanSupplier repeatable) {
    return send(operation, target, false, bytes, true, repeatable, caller.settings().timeout());
  }

  /**
   * Sends something about a row, and perhaps more, to one server, once.
   *
   * @param changes whether it is a change
   * @param repeatable whether it may be sent elsewhere while it is not answered
   */
  PendingOperation once(
      TableOperation.Builder operation,
      Endpoint endpoint,
      Bytes row,
      long bytes,
      boolean changes,
      BooleanSupplier repeatable,
      Duration timeout) {
    Target target = new Target.Found(locations, operation.getTable(), row, endpoint);
    return send(operation, target, true, bytes, changes, repeatable, timeout);
  }

  private PendingOperation send(
      TableOperation.Builder operation,
      Target target,
      boolean once,
      long content,
      boolean changes,
      BooleanSupplier repeatable,
      Duration timeout) {
    int bytes = (int) Math.min(content, WireLimits.MAX_BATCH_BYTES);
    bytes += ENVELOPE_BYTES + operation.getTable().length();
    int size = bytes;
    long deadline = caller.clock().nanos() + timeout.toNanos();
    PendingOperation pending =
        new PendingOperation(this, operation, target, once, size, changes, repeatable, deadline);
    if (content > WireLimits.MAX_BATCH_BYTES) {
      pending.completeExceptionally(
          new InvalidRequestException(
              "an operation of "
                  + content
                  + " bytes on table \""
                  + operation.getTable()
                  + "\": at most "
                  + WireLimits.MAX_BATCH_BYTES
                  + " can be sent at once"));
      return pending;
    }
    try {
      budget.take(size, mayWait(), timeout);
    } catch (RuntimeException e) {
      pending.completeExceptionally(e);
      return pending;
    }
    var _ = pending.whenComplete((found, problem) -> budget.release(size));
    pending.attempt();
    return pending;
  }

  private static boolean mayWait() {
    return !ExchangeStream.DELIVERING.isBound();
  }

  /** Does what sends, on a thread that hands out answers or ends pauses, and must not wait. */
  static <T> T withoutWaiting(Supplier<T> work) {
    return ScopedValue.where(ExchangeStream.DELIVERING, true).call(work::get);
  }

  /** Goes on in one of two ways, by whether something failed. */
  static <T, R> CompletableFuture<R> then(
      CompletableFuture<T> before,
      Function<T, CompletableFuture<R>> done,
      Function<SteleException, CompletableFuture<R>> failed) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    var _ =
        before.whenComplete(
            (found, problem) -> {
              CompletableFuture<R> next;
              try {
                next = problem == null ? done.apply(found) : failed.apply(Table.failure(problem));
              } catch (RuntimeException e) {
                next = CompletableFuture.failedFuture(e);
              }
              var _ = next.whenComplete((result, why) -> pass(answer, result, why));
            });
    return answer;
  }

  private static <R> void pass(CompletableFuture<R> to, R result, @Nullable Throwable problem) {
    if (problem == null) {
      to.complete(result);
    } else {
      to.completeExceptionally(problem);
    }
  }

  /**
   * Sends an operation to a server: by a connection that the caller has to itself while it waits
   * for the answer, or by the stream that all share.
   */
  void submit(PendingOperation operation, Endpoint endpoint) {
    while (true) {
      if (closed) {
        throw new UnavailableException("the client is closed");
      }
      if (rows.exchange(operation, endpoint)) {
        return;
      }
      ExchangeStream open = streams.get(endpoint);
      if (open == null ? begin(endpoint, operation) : open.submit(operation)) {
        return;
      }
      if (open != null) {
        streams.remove(endpoint, open); // it has ended
      }
    }
  }

  /**
   * Begins a stream with an operation, so that a stream which cannot even begin fails it; false if
   * somebody else began one.
   */
  private boolean begin(Endpoint endpoint, PendingOperation operation) {
    ExchangeStream made =
        new ExchangeStream(
            endpoint,
            threads,
            caller.settings().attemptTimeout(),
            server -> locations.lost(server, true),
            stream -> streams.remove(endpoint, stream));
    made.submit(operation);
    if (streams.putIfAbsent(endpoint, made) != null) {
      return false;
    }
    made.start();
    if (closed) {
      made.close();
    }
    return true;
  }

  /** Notes whether an operation waits to be told where it goes. */
  void locating(PendingOperation operation, boolean waits) {
    if (waits) {
      locating.add(operation);
    } else {
      locating.remove(operation);
    }
  }

  void later(Runnable task, long nanos) {
    var _ = caller.timer().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    long now = caller.clock().nanos();
    streams.values().forEach(stream -> stream.sweep(now));
    rows.sweep(now);
    for (PendingOperation operation : locating) {
      if (operation.isLate(now)) {
        operation.notLocatedInTime();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    sweeper.cancel(false);
    streams.values().forEach(ExchangeStream::close);
    rows.close();
    threads.shutdown();
  }
}
