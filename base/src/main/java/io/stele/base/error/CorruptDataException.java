package io.stele.base.error;

/**
 * Stored bytes are not what was written. Never served, never skipped: the message names the file,
 * the offset, what was expected and what was found.
 */
public final class CorruptDataException extends SteleException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  public CorruptDataException(String file, long offset, String expected, String found) {
    super(
        "corrupt data in "
            + file
            + " at offset "
            + offset
            + ": expected "
            + expected
            + ", found "
            + found,
        null);
    this.file = file;
    this.offset = offset;
  }

  public String file() {
    return file;
  }

  public long offset() {
    return offset;
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
