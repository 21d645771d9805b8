package io.stele.cli.transfer;

import io.stele.base.error.InvalidRequestException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The lines of a file, with their numbers. A line that is not UTF-8 is a mistake of that line
 * alone, which is why lines are cut as bytes and decoded one by one.
 */
final class LineInput implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int LONGEST = 128 << 20; // more than the largest value, escaped
  private static final char BYTE_ORDER_MARK = '\ufeff';

  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long number;
  private long bytes;

  LineInput(InputStream in) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
  }

  /** The next line, without its line break; nothing at the end. */
  Optional<String> next() throws IOException {
    line.reset();
    int c = in.read();
    if (c < 0) {
      return Optional.empty();
    }
    number++;
    while (c >= 0 && c != '\n') {
      if (line.size() == LONGEST) {
        throw new IOException("line " + number + " is longer than " + LONGEST + " bytes");
      }
      line.write(c);
      c = in.read();
    }
    bytes += line.size() + 1;
    String text = decode(line.toByteArray());
    text = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    return Optional.of(
        number == 1 && !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK
            ? text.substring(1)
            : text);
  }

  private static String decode(byte[] array) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(array)).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidRequestException("the line is not UTF-8", e);
    }
  }

  /** Of the line that was read last; the first is 1. */
  long number() {
    return number;
  }

  /** How many bytes the lines so far have. */
  long bytes() {
    return bytes;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
