package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * A value of more than {@value #THRESHOLD} bytes, read piece by piece: a node does not hold it in
 * memory for as long as a slow client takes to receive it. The recipient reads it once, at its own
 * pace, from one thread that may wait, and closes it, at the end or before.
 *
 * @param length of the content, in bytes
 * @param content ends with an exception, never early, if the rest cannot be had
 */
public record LargeValue(long length, InputStream content) implements Closeable {
  /** The largest value that is not one of these. */
  public static final int THRESHOLD = 64 << 10;

  /** What is put together in memory at most, for a caller that needs a value as a whole. */
  public static final int MOST_WHOLE = 64 << 20;

  /** Reads all of it into memory; it must be no longer than {@link #MOST_WHOLE}. */
  Bytes whole() throws IOException {
    byte[] value = content.readNBytes(Math.toIntExact(length));
    if (value.length < length) {
      throw new EOFException("ended after " + value.length + " of " + length + " bytes");
    }
    return Bytes.wrap(value);
  }

  @Override
  public void close() throws IOException {
    content.close();
  }
}
