package io.stele.testkit.run;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs of the machine: programs, rights, network namespaces. Where it is missing, the
 * test is skipped with the reason, and the reason names the package to install. In continuous
 * integration ({@code CI=true}) a missing thing fails the test, as {@link StrictSkips} does for
 * every other skipped test.
 */
public final class Needs {
  private Needs() {}

  /** A program on the path, and Debian's package that has it. */
  public static void program(String name, String debianPackage) {
    that(
        isInstalled(name),
        "the program " + name + " is not on the path (Debian: apt install " + debianPackage + ")");
  }

  /** A test that changes what only root may change. */
  public static void root(String what) {
    that(isRoot(), what + " takes root, and this is user " + System.getProperty("user.name"));
  }

  /** Anything else. The message names what is missing and how to get it. */
  public static void that(boolean present, String missing) {
    if (present) {
      return;
    }
    if (inContinuousIntegration()) {
      throw new AssertionError(missing);
    }
    Assumptions.abort(missing);
  }

  /** Whether there is a program of this name on the path. */
  public static boolean isInstalled(String name) {
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(":", -1)) {
      if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, name))) {
        return true;
      }
    }
    return false;
  }

  public static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  static boolean inContinuousIntegration() {
    return "true".equals(System.getenv("CI"));
  }
}
