package io.stele.hadoop;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.WritableUtils;
import org.jspecify.annotations.Nullable;

/**
 * A Hadoop SequenceFile, read by Hadoop's own reader from any file store.
 *
 * <p>Records are read as they were serialized, so the classes of keys and values need not be here.
 * Text and BytesWritable are unwrapped; of other classes the serialized form is the key or value.
 */
final class SequenceInput implements RecordInput {
  /** Only read, so that all may share it; to make one takes longer than to read a small file. */
  private static final Configuration CONFIGURATION = new Configuration();

  /** How keys or values are wrapped. */
  private enum Wrapping {
    /** A length in Hadoop's variable form, and UTF-8. */
    TEXT,
    /** A length of four bytes, and bytes. */
    BYTES,
    NONE;

    static Wrapping of(String className) {
      return switch (className) {
        case "org.apache.hadoop.io.Text" -> TEXT;
        case "org.apache.hadoop.io.BytesWritable" -> BYTES;
        default -> NONE;
      };
    }
  }

  /** Lends the bytes that it has gathered. */
  private static final class Gathered extends ByteArrayOutputStream {
    byte[] array() {
      return buf;
    }
  }

  private final String name;
  private final long length;
  private final SequenceFile.Reader reader;
  private final SequenceFile.ValueBytes raw;
  private final Wrapping keys;
  private final Wrapping values;
  private final DataOutputBuffer key = new DataOutputBuffer();
  private final Gathered value = new Gathered();
  private long records;
  private long position;

  private SequenceInput(String name, long length, SequenceFile.Reader reader) {
    this.name = name;
    this.length = length;
    this.reader = reader;
    this.raw = reader.createValueBytes();
    this.keys = Wrapping.of(reader.getKeyClassName());
    this.values = Wrapping.of(reader.getValueClassName());
  }

  static SequenceInput open(FileStore store, FilePath path) throws IOException {
    ReadableFile file = store.open(path);
    FSDataInputStream stream = new FSDataInputStream(new StoreInputStream(file));
    boolean opened = false;
    try {
      SequenceFile.Reader reader =
          new SequenceFile.Reader(
              CONFIGURATION,
              SequenceFile.Reader.stream(stream),
              SequenceFile.Reader.length(file.length()));
      opened = true;
      return new SequenceInput(path.value(), file.length(), reader);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new BrokenInputException(
          path.value(), stream.getPos(), "cannot be opened as a SequenceFile: " + reason(e), e);
    } finally {
      if (!opened) {
        stream.close();
      }
    }
  }

  /** Zstandard, and nothing else that is usual, is read by Hadoop's native library alone. */
  private static String reason(Throwable problem) {
    String text = problem.toString();
    return text.contains("native")
        ? text
            + "; its codec needs Hadoop's native library, which is not here: those that do not are"
            + " deflate, gzip, snappy and lz4"
        : text;
  }

  @Override
  public boolean next() throws IOException {
    try {
      position = reader.getPosition();
      key.reset();
      if (reader.nextRawKey(key) < 0) {
        checkEnd();
        return false;
      }
      value.reset();
      reader.nextRawValue(raw);
      raw.writeUncompressedBytes(new DataOutputStream(value));
      records++;
      return true;
    } catch (BrokenInputException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError | LinkageError e) {
      // A damaged length may be as large as it likes, and the reader takes it at its word.
      throw broken("it ends early or is damaged: " + e, e);
    }
  }

  /** Hadoop's reader takes a block that is cut off for the end of the file; it is not. */
  private void checkEnd() throws BrokenInputException {
    if (reader.isBlockCompressed() && position != length) {
      throw broken("the file ends within a block", null);
    }
  }

  private BrokenInputException broken(String problem, @Nullable Throwable cause) {
    return new BrokenInputException(
        name, position, "after " + records + " records: " + problem, cause);
  }

  @Override
  public byte[] key() throws IOException {
    return unwrap(keys, "key", key.getData(), key.getLength());
  }

  @Override
  public byte[] value() throws IOException {
    return unwrap(values, "value", value.array(), value.size());
  }

  private byte[] unwrap(Wrapping wrapping, String what, byte[] bytes, int count)
      throws IOException {
    if (wrapping == Wrapping.NONE) {
      return Arrays.copyOf(bytes, count);
    }
    DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes, 0, count));
    int inner;
    try {
      inner = wrapping == Wrapping.TEXT ? WritableUtils.readVInt(input) : input.readInt();
    } catch (IOException e) {
      throw broken("a " + what + " of " + count + " bytes without a length", e);
    }
    int start = count - input.available();
    if (inner != count - start) {
      throw broken(
          "a " + what + " of " + (count - start) + " bytes says that it has " + inner, null);
    }
    return Arrays.copyOfRange(bytes, start, count);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
