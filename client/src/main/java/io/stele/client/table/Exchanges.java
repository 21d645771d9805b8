package io.stele.client.table;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The streams of small operations, one to each server that is asked. */
final class Exchanges implements AutoCloseable {
  private static final long SWEEP_MILLIS = 50;
  private static final int ENVELOPE_BYTES = 32; // about, of an operation without its content

  private final Caller caller;
  private final TabletLocations locations;
  private final ByteBudget budget;
  private final ConcurrentHashMap<Endpoint, ExchangeStream> streams = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledFuture<?> sweeper;
  private volatile boolean closed;

  Exchanges(Caller caller, TabletLocations locations, long bytesUnderWay) {
    this.caller = caller;
    this.locations = locations;
    this.budget = new ByteBudget(bytesUnderWay);
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
  CompletableFuture<PendingOperation.Answer> read(TableOperation.Builder operation, int bytes) {
    return send(operation, bytes, false, () -> true, caller.settings().timeout());
  }

  /**
   * Sends a change.
   *
   * @param repeatable whether it may be made twice
   */
  CompletableFuture<PendingOperation.Answer> change(
      TableOperation.Builder operation, long bytes, BooleanSupplier repeatable, Duration timeout) {
    return send(operation, bytes, true, repeatable, timeout);
  }

  private CompletableFuture<PendingOperation.Answer> send(
      TableOperation.Builder operation,
      long content,
      boolean changes,
      BooleanSupplier repeatable,
      Duration timeout) {
    if (content > WireLimits.MAX_BATCH_BYTES) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "an operation of "
                  + content
                  + " bytes on table \""
                  + operation.getTable()
                  + "\": at most "
                  + WireLimits.MAX_BATCH_BYTES
                  + " can be sent at once"));
    }
    int bytes = (int) content + ENVELOPE_BYTES + operation.getTable().length();
    long deadline = caller.clock().nanos() + timeout.toNanos();
    PendingOperation pending =
        new PendingOperation(this, operation, bytes, changes, repeatable, deadline);
    try {
      budget.take(bytes, !ExchangeStream.DELIVERING.isBound(), timeout);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<PendingOperation.Answer> answer =
        pending.whenComplete((found, problem) -> budget.release(bytes));
    pending.attempt();
    return answer;
  }

  /** Hands an operation to the stream of the server that has its table. */
  void submit(PendingOperation operation) {
    Endpoint endpoint = locations.of(operation.table());
    while (true) {
      if (closed) {
        throw new UnavailableException("the client is closed");
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
        new ExchangeStream(endpoint, threads, stream -> streams.remove(endpoint, stream));
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

  void later(Runnable task, long nanos) {
    var _ = caller.timer().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    long now = caller.clock().nanos();
    streams.values().forEach(stream -> stream.sweep(now));
  }

  @Override
  public void close() {
    closed = true;
    sweeper.cancel(false);
    streams.values().forEach(ExchangeStream::close);
    threads.shutdown();
  }
}
