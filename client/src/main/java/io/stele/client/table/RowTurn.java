package io.stele.client.table;

import io.stele.base.error.UnavailableException;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.TableAnswer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An operation and the thread that waits for its answer, on a {@link RowLane}.
 *
 * <pre>
 *   waiting ──lead──► has the connection ──settle──► settled
 *      └──────────────────settle────────────────────────┘
 * </pre>
 *
 * While it is waiting, another thread has sent the operation, or will, or none has yet. The thread
 * that has the connection sends and receives, for itself and for others.
 */
final class RowTurn {
  sealed interface State {}

  private record Leading(RowConnection connection) implements State {}

  /** What came of sending an operation. */
  sealed interface Outcome extends State {
    /** Tells the operation. */
    void settle(PendingOperation operation, Endpoint endpoint);

    record Answered(TableAnswer answer, long incarnation) implements Outcome {
      @Override
      public void settle(PendingOperation operation, Endpoint endpoint) {
        operation.answered(endpoint, answer, incarnation);
      }
    }

    /**
     * There will be no answer.
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

  private final PendingOperation operation;
  private final Thread caller = Thread.currentThread();
  private final AtomicReference<@Nullable State> state = new AtomicReference<>(); // null: waiting

  /** A turn of the thread that calls. */
  RowTurn(PendingOperation operation) {
    this.operation = operation;
  }

  PendingOperation operation() {
    return operation;
  }

  boolean isWaiting() {
    return state.get() == null;
  }

  /** What came of it; null until it is settled. */
  @Nullable Outcome outcome() {
    return state.get() instanceof Outcome outcome ? outcome : null;
  }

  /** The connection that its thread has; null if it has none. */
  @Nullable RowConnection connection() {
    return state.get() instanceof Leading leading ? leading.connection : null;
  }

  /** Gives its thread the connection; false if it waits no more. */
  boolean lead(RowConnection connection) {
    boolean waited = state.compareAndSet(null, new Leading(connection));
    if (waited) {
      wake();
    }
    return waited;
  }

  /** Settles it unless it has the connection or is settled; false if so. */
  boolean abandon(Outcome outcome) {
    return state.compareAndSet(null, outcome);
  }

  /** Settles it; only the first outcome counts. */
  void settle(Outcome outcome) {
    State before = state.getAndUpdate(at -> at instanceof Outcome ? at : outcome);
    if (!(before instanceof Outcome)) {
      wake();
    }
  }

  private void wake() {
    if (!caller.equals(Thread.currentThread())) {
      LockSupport.unpark(caller);
    }
  }
}
