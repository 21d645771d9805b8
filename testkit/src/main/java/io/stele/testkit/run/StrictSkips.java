package io.stele.testkit.run;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Turns every skipped test into a failed one in continuous integration, so that a green run proves
 * all that it claims. JUnit finds this class as a service.
 */
public final class StrictSkips
    implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
  private final boolean strict;

  public StrictSkips() {
    this(Needs.inContinuousIntegration());
  }

  StrictSkips(boolean strict) {
    this.strict = strict;
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable problem)
      throws Throwable {
    throw judged(problem);
  }

  @Override
  public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable problem)
      throws Throwable {
    throw judged(problem);
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable problem)
      throws Throwable {
    throw judged(problem);
  }

  private Throwable judged(Throwable problem) {
    return strict && problem instanceof TestAbortedException
        ? new AssertionError("skipped, which CI does not allow: " + problem.getMessage(), problem)
        : problem;
  }
}
