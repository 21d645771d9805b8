package io.stele.base.key;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Takes a key apart that {@link OrderedKeyWriter} put together, field by field in the same order.
 * Bytes that no writer made end in {@link Malformed}, never in a read outside the slice.
 */
public final class OrderedKeyReader {
  private final byte[] array;
  private final ByteReader reader;

  public OrderedKeyReader(Bytes key) {
    this(key.toArray(), 0, key.length());
  }

  public OrderedKeyReader(byte[] array, int offset, int length) {
    this.array = array;
    this.reader = new ByteReader(array, offset, length);
  }

  public Bytes readBytes() throws Malformed {
    return unescape().toBytes();
  }

  public String readString() throws Malformed {
    ByteBuilder utf8 = unescape();
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(utf8.array(), 0, utf8.length()))
          .toString();
    } catch (CharacterCodingException e) {
      throw reader.malformed("key text " + utf8.toBytes() + " is not UTF-8, before its end");
    }
  }

  public int readByte() throws Malformed {
    return reader.readByte();
  }

  public long readUnsigned() throws Malformed {
    return Binary.getLongBigEndian(array, reader.skip(8, "a key number"));
  }

  public long readUnsignedDescending() throws Malformed {
    return ~readUnsigned();
  }

  public long readSigned() throws Malformed {
    return readUnsigned() ^ Long.MIN_VALUE;
  }

  public long readSignedDescending() throws Malformed {
    return ~readUnsigned() ^ Long.MIN_VALUE;
  }

  public int remaining() {
    return reader.remaining();
  }

  /** Fails unless all fields have been read. */
  public void expectEnd() throws Malformed {
    if (reader.remaining() != 0) {
      throw reader.malformed(reader.remaining() + " bytes behind the last field of a key");
    }
  }

  private ByteBuilder unescape() throws Malformed {
    ByteBuilder value = new ByteBuilder(32);
    while (true) {
      int run = bytesBeforeZero();
      value.put(array, reader.skip(run, "key bytes"), run);
      int zero = reader.readByte();
      int second = reader.readByte();
      if (second == OrderedKeyWriter.END) {
        return value;
      }
      if (second != OrderedKeyWriter.ESCAPED_ZERO) {
        throw reader.malformed(
            "key bytes with 00 before " + second + ", only 01 or FF may follow,");
      }
      value.putByte(zero);
    }
  }

  private int bytesBeforeZero() throws Malformed {
    int start = reader.skip(0, "key bytes");
    int end = start + reader.remaining();
    int at = start;
    while (at < end && array[at] != OrderedKeyWriter.ESCAPE) {
      at++;
    }
    return at - start;
  }
}
