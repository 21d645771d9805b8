package io.stele.cli;

/** What a user types to run {@code stele}: examples that a command prints begin with it. */
public final class LauncherName {
  /** Set by the launcher. */
  private static final String PROPERTY = "stele.program";

  private LauncherName() {}

  /** As this process was started; {@code stele} if no launcher did it. */
  public static String get() {
    return System.getProperty(PROPERTY, "stele");
  }
}
