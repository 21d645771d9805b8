package io.stele.client.table;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Names the requests of a client, so that servers recognize one that is sent again: eight random
 * bytes for the client, and a number. Any number of threads.
 */
final class RequestIds {
  /** What was sent last may arrive after the client has given up. */
  private static final Duration LATE = Duration.ofSeconds(10);

  private final long client;
  private final int seconds;
  private final AtomicLong last = new AtomicLong();

  /**
   * Begins to count.
   *
   * @param timeout how long a request is repeated at most
   */
  RequestIds(RandomGenerator random, Duration timeout) {
    this.client = random.nextLong();
    this.seconds = (int) Math.min(RequestMark.LONGEST_SECONDS, timeout.plus(LATE).toSeconds() + 1);
  }

  RequestMark next() {
    byte[] id = new byte[2 * Long.BYTES];
    Binary.putLongBigEndian(id, 0, client);
    Binary.putLongBigEndian(id, Long.BYTES, last.incrementAndGet());
    return new RequestMark(Bytes.wrap(id), seconds);
  }

  /** A change that may be sent again, with a mark; one that has a mark already stays as it is. */
  CellBatch mark(CellBatch cells) {
    return RequestMark.of(cells).isPresent() ? cells : next().markFirst(cells);
  }
}
