package io.stele.cli;

/** What {@code stele} ends with; {@code stele --help} lists them for users. */
public final class ExitCode {

  /** The command did what it was asked to. */
  public static final int OK = 0;

  /** The command was understood and failed. */
  public static final int FAILURE = 1;

  /** The command was not understood, and nothing was done. */
  public static final int USAGE = 2;

  private ExitCode() {}
}
