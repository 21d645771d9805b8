package io.stele.gateway.health;

import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code grpc.health.v1.Health}: the server as a whole, under the empty name, serves as long as the
 * node is ready. A watch looks once a second, since readiness is asked for and not announced.
 */
public final class HealthService extends HealthGrpc.HealthImplBase {
  private static final int LOOK_SECONDS = 1;
  private static final int MOST_WATCHES = 100;

  private final BooleanSupplier ready;
  private final ScheduledExecutorService timer;
  private final AtomicInteger watches = new AtomicInteger();

  /**
   * For a node.
   *
   * @param ready must not wait
   */
  public HealthService(BooleanSupplier ready, ScheduledExecutorService timer) {
    this.ready = ready;
    this.timer = timer;
  }

  @Override
  public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> caller) {
    if (!request.getService().isEmpty()) {
      caller.onError(
          Status.NOT_FOUND
              .withDescription(
                  "service '%s': only the server as a whole is known, by the empty name"
                      .formatted(request.getService()))
              .asRuntimeException());
      return;
    }
    caller.onNext(response(now()));
    caller.onCompleted();
  }

  @Override
  public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> caller) {
    if (watches.incrementAndGet() > MOST_WATCHES) {
      watches.decrementAndGet();
      caller.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription("there are %d watches already".formatted(MOST_WATCHES))
              .asRuntimeException());
      return;
    }
    Watch watch = new Watch(request.getService().isEmpty(), caller);
    ((ServerCallStreamObserver<HealthCheckResponse>) caller).setOnCancelHandler(watch::end);
    watch.begin();
  }

  private ServingStatus now() {
    return ready.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse response(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** One caller who wants to know of changes. */
  private final class Watch {
    private final boolean known;
    private final StreamObserver<HealthCheckResponse> caller;
    private @Nullable ServingStatus last; // guarded by this
    private @Nullable ScheduledFuture<?> looking; // guarded by this
    private boolean ended; // guarded by this

    Watch(boolean known, StreamObserver<HealthCheckResponse> caller) {
      this.known = known;
      this.caller = caller;
    }

    synchronized void begin() {
      look();
      try {
        looking =
            timer.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
      } catch (RejectedExecutionException e) {
        // The server is stopping, and the call ends with it.
      }
    }

    private synchronized void look() {
      ServingStatus status = known ? now() : ServingStatus.SERVICE_UNKNOWN;
      if (!ended && status != last) {
        last = status;
        caller.onNext(response(status));
      }
    }

    synchronized void end() {
      if (!ended) {
        ended = true;
        watches.decrementAndGet();
        if (looking != null) {
          looking.cancel(false);
        }
      }
    }
  }
}
