package io.stele.testkit.history;

import io.stele.base.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Collects the calls of any number of clients, from any number of threads.
 *
 * <pre>{@code
 * var pending = recorder.invoke("client-3", new RegisterCall.Put("/a", "17"));
 * try {
 *   store.put("/a", "17");
 *   pending.returned(RegisterResult.DONE);
 * } catch (OutcomeUnknownException e) {
 *   pending.unknown();
 * } catch (SteleException e) {
 *   pending.failed();
 * }
 * }</pre>
 */
public final class HistoryRecorder<C, R> {
  private final Clock clock;
  private final Queue<Pending<C, R>> calls = new ConcurrentLinkedQueue<>();

  public HistoryRecorder(Clock clock) {
    this.clock = clock;
  }

  /** To be called before the request leaves: the interval must not be too short, ever. */
  public Pending<C, R> invoke(String client, C call) {
    Pending<C, R> pending = new Pending<>(clock, client, call);
    calls.add(pending);
    return pending;
  }

  /** All calls so far but those that failed; those without an answer yet are of unknown outcome. */
  public List<Operation<C, R>> history() {
    List<Operation<C, R>> history = new ArrayList<>();
    for (Pending<C, R> pending : calls) {
      pending.operation().ifPresent(history::add);
    }
    return List.copyOf(history);
  }

  /** A call under way; its client ends it once, with one of the three methods. */
  public static final class Pending<C, R> {
    private enum Stage {
      OPEN,
      FAILED,
      ENDED
    }

    private record State<R>(Stage stage, Outcome<R> outcome) {}

    private final Clock clock;
    private final String client;
    private final C call;
    private final long invoked;
    private final AtomicReference<State<R>> state =
        new AtomicReference<>(new State<>(Stage.OPEN, new Outcome.Unknown<>()));

    private Pending(Clock clock, String client, C call) {
      this.clock = clock;
      this.client = client;
      this.call = call;
      this.invoked = clock.nanos();
    }

    /** The answer has arrived. */
    public void returned(R result) {
      end(Stage.ENDED, new Outcome.Returned<>(result, clock.nanos()));
    }

    /** It is certain that the call has not taken effect and never will: it leaves the history. */
    public void failed() {
      end(Stage.FAILED, new Outcome.Unknown<>());
    }

    /** Nobody will tell what became of the call. */
    public void unknown() {
      end(Stage.ENDED, new Outcome.Unknown<>());
    }

    private void end(Stage stage, Outcome<R> outcome) {
      State<R> now = state.get();
      if (now.stage != Stage.OPEN || !state.compareAndSet(now, new State<>(stage, outcome))) {
        throw new IllegalStateException(
            call
                + " of "
                + client
                + " has ended before ("
                + state.get().stage
                + "): a call ends once");
      }
    }

    private Optional<Operation<C, R>> operation() {
      State<R> now = state.get();
      return now.stage == Stage.FAILED
          ? Optional.empty()
          : Optional.of(new Operation<>(client, call, invoked, now.outcome));
    }
  }
}
