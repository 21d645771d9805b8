package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Tab-separated text.
 *
 * <pre>
 * file   = { key TAB value LF }        the last LF may be missing
 * key    = any bytes but TAB and LF
 * value  = any bytes but LF; TAB is one of them
 * </pre>
 *
 * <p>Nothing is escaped and nothing trimmed, so that JSON with its own escapes is a value; a
 * carriage return before the line feed belongs to the value. A line without a tab is an error.
 */
final class TextInput implements RecordInput {
  private static final int LONGEST_LINE = 1 << 30;

  private final String name;
  private final StoreStream file;
  private final InputStream text;
  private byte[] buffer = new byte[64 << 10];
  private int at; // where the next line begins
  private int filled;
  private int start; // of the record
  private int tab;
  private int end;
  private long line;

  private TextInput(String name, StoreStream file, InputStream text) {
    this.name = name;
    this.file = file;
    this.text = text;
  }

  static TextInput open(FileStore store, FilePath path) throws IOException {
    StoreStream file = new StoreStream(store, path);
    boolean opened = false;
    try {
      boolean packed = path.name().endsWith(".gz") && file.length() > 0;
      InputStream text = packed ? new GZIPInputStream(file, 64 << 10) : file;
      opened = true;
      return new TextInput(path.value(), file, text);
    } catch (EOFException | ZipException e) {
      throw new BrokenInputException(path.value(), file.position(), "no gzip file: " + e, e);
    } finally {
      if (!opened) {
        file.close();
      }
    }
  }

  @Override
  public boolean next() throws IOException {
    int newline = find((byte) '\n');
    if (newline < 0) {
      if (at == filled) {
        return false;
      }
      newline = filled; // the last line may go without
    }
    line++;
    tab = at;
    while (tab < newline && buffer[tab] != '\t') {
      tab++;
    }
    if (tab == newline) {
      throw broken("line " + line + " has no tab: each line is a key, a tab and a value", null);
    }
    start = at;
    end = newline;
    at = Math.min(newline + 1, filled);
    return true;
  }

  /** Where the line ends; fewer than 0 if the text ends before. Reads as much as it takes. */
  private int find(byte wanted) throws IOException {
    int from = at;
    while (true) {
      for (int i = from; i < filled; i++) {
        if (buffer[i] == wanted) {
          return i;
        }
      }
      if (at > 0) {
        System.arraycopy(buffer, at, buffer, 0, filled - at);
        filled -= at;
        at = 0;
      }
      from = filled;
      if (filled == buffer.length) {
        grow();
      }
      int count = read();
      if (count < 0) {
        return -1;
      }
      filled += count;
    }
  }

  private int read() throws IOException {
    try {
      return text.read(buffer, filled, buffer.length - filled);
    } catch (EOFException | ZipException e) {
      throw broken("the compressed text ends early or is damaged: " + e.getMessage(), e);
    }
  }

  private void grow() throws IOException {
    if (buffer.length >= LONGEST_LINE) {
      throw broken("line " + (line + 1) + " is longer than " + LONGEST_LINE + " bytes", null);
    }
    buffer = Arrays.copyOf(buffer, buffer.length * 2);
  }

  private BrokenInputException broken(String problem, @Nullable Exception cause) {
    return new BrokenInputException(name, file.position(), problem, cause);
  }

  @Override
  public byte[] key() {
    return Arrays.copyOfRange(buffer, start, tab);
  }

  @Override
  public byte[] value() {
    return Arrays.copyOfRange(buffer, tab + 1, end);
  }

  @Override
  public long position() {
    return file.position();
  }

  @Override
  public void close() throws IOException {
    text.close();
  }
}
