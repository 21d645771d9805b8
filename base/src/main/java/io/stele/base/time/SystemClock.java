package io.stele.base.time;

import java.time.Instant;

/** The machine's clock. */
enum SystemClock implements Clock {
  INSTANCE;

  @Override
  public long micros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
