package io.stele.testkit.history;

/**
 * One call of one client.
 *
 * @param client whoever called: a thread or process of the test
 * @param call what was asked
 * @param invoked when, in nanoseconds of the recorder's clock
 * @param outcome what came of it
 */
public record Operation<C, R>(String client, C call, long invoked, Outcome<R> outcome) {
  public Operation {
    if (outcome instanceof Outcome.Returned<R>(_, long at) && at < invoked) {
      throw new IllegalArgumentException(
          call + " of " + client + " returned at " + at + ", before its invocation at " + invoked);
    }
  }

  /** When the client had its answer; {@link Long#MAX_VALUE} if it never did. */
  public long returned() {
    return switch (outcome) {
      case Outcome.Returned<R>(_, long at) -> at;
      case Outcome.Unknown<R>() -> Long.MAX_VALUE;
    };
  }

  /** The same call as someone sees it who does not know what came of it. */
  Operation<C, R> unanswered() {
    return new Operation<>(client, call, invoked, new Outcome.Unknown<>());
  }
}
