package io.stele.testkit.run;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets a test that waits fail by its own condition only. By default Awaitility also fails it for an
 * exception that ended any other thread of the JVM, such as one of a test that runs beside it, or
 * of a Raft library that is being stopped. JUnit finds this class as a service.
 */
public final class OwnFailures implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.doNotCatchUncaughtExceptionsByDefault();
  }
}
