package io.stele.base.input;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An input file is not what it should be; the message names it, the place and what is wrong. */
public final class BrokenInputException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Tells what is wrong with a file.
   *
   * @param position in bytes, as near as is known
   */
  public BrokenInputException(
      String file, long position, String problem, @Nullable Throwable cause) {
    super(file + ", near byte " + position + ": " + problem, cause);
  }

  public BrokenInputException(String file, long position, String problem) {
    this(file, position, problem, null);
  }
}
