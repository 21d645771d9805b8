package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Holds the first call that matches until it is opened, so that a test can act in between. */
public final class Gate implements HookedFiles.Hook {
  private static final long DEADLINE_SECONDS = 60;

  private final Predicate<HookedFiles.Call> match;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  public Gate(Predicate<HookedFiles.Call> match) {
    this.match = match;
  }

  @Override
  public void before(HookedFiles.Call call) throws IOException {
    if (opened.getCount() > 0 && match.test(call)) {
      reached.countDown();
      await(opened, "the gate was never opened for " + call);
    }
  }

  /** Waits until a call stands before the gate. */
  public void awaitCall() throws IOException {
    await(reached, "no call came to the gate");
  }

  public boolean isReached() {
    return reached.getCount() == 0;
  }

  public void open() {
    opened.countDown();
  }

  private static void await(CountDownLatch latch, String otherwise) throws IOException {
    try {
      assertThat(latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).as(otherwise).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(otherwise, e);
    }
  }
}
