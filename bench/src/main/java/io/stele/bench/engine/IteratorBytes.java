package io.stele.bench.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import org.rocksdb.RocksIterator;

/**
 * The ways in which RocksDB's Java API hands out the bytes at an iterator. Which is fastest varies.
 */
abstract class IteratorBytes {
  enum Kind {
    /** A new array for every key and value. */
    NEW_ARRAYS,
    /** Copied into one array, again and again. */
    ARRAYS,
    /** Copied into one direct buffer, again and again. */
    DIRECT_BUFFERS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private IteratorBytes() {}

  /** The key's bytes, {@linkplain Records#fold folded}. */
  abstract long foldKey(RocksIterator iterator);

  /** The value's bytes, folded. */
  abstract long foldValue(RocksIterator iterator);

  static IteratorBytes of(Kind kind, int valueSize) {
    return switch (kind) {
      case NEW_ARRAYS -> new NewArrays();
      case ARRAYS -> new Arrays(valueSize);
      case DIRECT_BUFFERS -> new DirectBuffers(valueSize);
    };
  }

  private static final class NewArrays extends IteratorBytes {
    @Override
    long foldKey(RocksIterator iterator) {
      byte[] key = iterator.key();
      return Records.fold(key, 0, key.length);
    }

    @Override
    long foldValue(RocksIterator iterator) {
      byte[] value = iterator.value();
      return Records.fold(value, 0, value.length);
    }
  }

  private static final class Arrays extends IteratorBytes {
    private final byte[] key = new byte[Records.KEY_BYTES];
    private final byte[] value;

    Arrays(int valueSize) {
      value = new byte[valueSize];
    }

    @Override
    long foldKey(RocksIterator iterator) {
      return Records.fold(key, 0, iterator.key(key));
    }

    @Override
    long foldValue(RocksIterator iterator) {
      return Records.fold(value, 0, iterator.value(value));
    }
  }

  private static final class DirectBuffers extends IteratorBytes {
    private final ByteBuffer key;
    private final ByteBuffer value;

    DirectBuffers(int valueSize) {
      key = ByteBuffer.allocateDirect(Records.KEY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      value = ByteBuffer.allocateDirect(valueSize).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    long foldKey(RocksIterator iterator) {
      key.clear();
      return Records.fold(key, iterator.key(key));
    }

    @Override
    long foldValue(RocksIterator iterator) {
      value.clear();
      return Records.fold(value, iterator.value(value));
    }
  }
}
