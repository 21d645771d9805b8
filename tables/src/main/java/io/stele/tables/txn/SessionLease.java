package io.stele.tables.txn;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A server's right to answer lasts as long as its session does by its own clock, which is never
 * longer than the metastore waits: that counts from when a renewal came, the session from when it
 * was sent.
 *
 * <p>The monotonic clock stands still while a machine is suspended, and the session would seem to
 * live on. The wall clock does not: where it moved on much further than the monotonic clock between
 * two looks, the lease is lost.
 */
public final class SessionLease implements Lease {
  private final BooleanSupplier alive;
  private final Clock clock;
  private final long mostMicros;

  @GuardedBy("this")
  private long lastMicros;

  @GuardedBy("this")
  private long lastNanos;

  private volatile boolean lost;

  /**
   * Makes one.
   *
   * @param alive whether the session is, by the monotonic clock
   * @param most by how much the clocks may part between two looks
   */
  public SessionLease(BooleanSupplier alive, Clock clock, Duration most) {
    this.alive = alive;
    this.clock = clock;
    this.mostMicros = TimeUnit.NANOSECONDS.toMicros(most.toNanos());
    this.lastNanos = clock.nanos();
    this.lastMicros = clock.micros();
  }

  @Override
  public boolean isHeld() {
    if (!lost && (stoodStill() || !alive.getAsBoolean())) {
      lost = true;
    }
    return !lost;
  }

  private synchronized boolean stoodStill() {
    long nanos = clock.nanos(); // before the wall clock: a pause in between seems to part them
    long micros = clock.micros();
    long apart = (micros - lastMicros) - TimeUnit.NANOSECONDS.toMicros(nanos - lastNanos);
    lastMicros = micros;
    lastNanos = nanos;
    return apart > mostMicros;
  }
}
