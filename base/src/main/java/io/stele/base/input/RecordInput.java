package io.stele.base.input;

import java.io.Closeable;
import java.io.IOException;

/**
 * The keys and values of one file, from its start to its end. One thread at a time.
 *
 * <p>An input tells a file that ends early, or that is not what it says, by an {@link
 * BrokenInputException} and never by an early end.
 */
public interface RecordInput extends Closeable {
  /**
   * Goes to the next record.
   *
   * @return false if there is none
   */
  boolean next() throws IOException;

  /** The key of the record; the array is the caller's. */
  byte[] key() throws IOException;

  /** The value of the record; the array is the caller's. */
  byte[] value() throws IOException;

  /** Roughly how many bytes of the file have been read, for progress and for messages. */
  long position();
}
