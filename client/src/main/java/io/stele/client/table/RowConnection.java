package io.stele.client.table;

import io.stele.base.error.UnavailableException;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection for single operations on rows. One thread at a time has it; the sweeper looks at
 * it meanwhile, and ends the wait by closing it.
 */
final class RowConnection implements AutoCloseable {
  private static final long ONLY_ID = 1; // an operation is alone in its request

  /** One that was used this recently is not asked whether the server has ended it. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What came of sending an operation. */
  sealed interface Outcome {
    /** Tells the operation. */
    void settle(PendingOperation operation, Endpoint endpoint);

    /** The connection goes on. */
    record Answered(ExchangeResponse response) implements Outcome {
      @Override
      public void settle(PendingOperation operation, Endpoint endpoint) {
        operation.answered(endpoint, response.getAnswers(0), response.getIncarnation());
      }
    }

    /**
     * The connection is of no use any more.
     *
     * @param maybe whether the operation may have been carried out
     * @param unreachable whether nothing came from the server
     */
    record Lost(String what, boolean maybe, boolean unreachable) implements Outcome {
      @Override
      public void settle(PendingOperation operation, Endpoint endpoint) {
        operation.failed(
            endpoint,
            new UnavailableException(endpoint.address() + " " + what),
            maybe,
            unreachable);
      }
    }
  }

  private final InetSocketAddress address;
  private final RowFrames frames;
  private long idleSince; // of the thread that has it

  private @Nullable PendingOperation operation; // guarded by this; the one that is under way
  private long quietSince; // guarded by this
  private @Nullable Outcome ended; // guarded by this; why the sweeper has closed it

  RowConnection(InetSocketAddress address, RowFrames frames) {
    this.address = address;
    this.frames = frames;
  }

  boolean isTo(InetSocketAddress wanted) {
    return address.equals(wanted);
  }

  void idleSince(long now) {
    idleSince = now;
  }

  boolean isIdleFor(long now, long nanos) {
    return now - idleSince >= nanos;
  }

  /** Whether the server has ended it while it was idle. */
  boolean isStale(long now) {
    return isIdleFor(now, FRESH_NANOS) && frames.isStale();
  }

  /** Sends an operation and waits for the answer. */
  Outcome exchange(PendingOperation sent, long now) {
    synchronized (this) {
      quietSince = now;
      operation = sent;
    }
    try {
      frames.write(ExchangeRequest.newBuilder().addOperations(sent.message(ONLY_ID)).build());
      Optional<ExchangeResponse> response = frames.read(ExchangeResponse.parser());
      if (response.isEmpty()) {
        return new Outcome.Lost("ended the connection", false, false);
      }
      return response.get().getAnswersCount() == 1
          ? new Outcome.Answered(response.get())
          : new Outcome.Lost("answered something else than was asked", true, false);
    } catch (IOException e) {
      synchronized (this) {
        return ended == null
            ? new Outcome.Lost("has lost the connection: " + e, true, false)
            : ended;
      }
    } finally {
      synchronized (this) {
        operation = null;
      }
    }
  }

  /**
   * Ends an operation whose time is over.
   *
   * @return the operation, if the server has been quiet for so long that it may hang, and the
   *     operation may go elsewhere
   */
  synchronized Optional<PendingOperation> sweep(long now, Duration quietAtMost) {
    if (operation == null) {
      return Optional.empty();
    }
    if (operation.isLate(now)) {
      end(operation, new Outcome.Lost("is too slow to answer", true, false));
      return Optional.empty();
    }
    if (now - quietSince < quietAtMost.toNanos()) {
      return Optional.empty();
    }
    quietSince = now;
    return Optional.of(operation).filter(PendingOperation::mayMove);
  }

  /** Ends the wait for an operation, unless it has been answered by now. */
  synchronized void end(PendingOperation waiting, Outcome why) {
    if (operation == waiting) {
      ended = why;
      frames.close();
    }
  }

  @Override
  public void close() {
    frames.close();
  }
}
