package io.stele.engine.disk;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.util.Optional;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/** How a block's bytes are compressed. The codes are stored with every block and never change. */
public enum Codec {
  NONE(0) {
    @Override
    int compress(byte[] source, int length, byte[] target) {
      return length;
    }

    @Override
    void decompress(byte[] source, int length, byte[] target, int targetLength) {
      System.arraycopy(source, 0, target, 0, targetLength);
    }
  },
  LZ4(1) {
    @Override
    int compress(byte[] source, int length, byte[] target) {
      return LZ4Factory.fastestInstance()
          .fastCompressor()
          .compress(source, 0, length, target, 0, target.length);
    }

    @Override
    void decompress(byte[] source, int length, byte[] target, int targetLength) throws IOException {
      try {
        int got =
            LZ4Factory.fastestInstance()
                .safeDecompressor()
                .decompress(source, 0, length, target, 0, targetLength);
        check(got, targetLength);
      } catch (LZ4Exception e) {
        throw new IOException(e);
      }
    }
  },
  ZSTD(2) {
    @Override
    int compress(byte[] source, int length, byte[] target) {
      long size = Zstd.compressByteArray(target, 0, target.length, source, 0, length, ZSTD_LEVEL);
      return Zstd.isError(size) ? length : (int) size;
    }

    @Override
    void decompress(byte[] source, int length, byte[] target, int targetLength) throws IOException {
      long got = Zstd.decompressByteArray(target, 0, targetLength, source, 0, length);
      if (Zstd.isError(got)) {
        throw new IOException(Zstd.getErrorName(got));
      }
      check(got, targetLength);
    }
  },
  SNAPPY(3) {
    @Override
    int compress(byte[] source, int length, byte[] target) throws IOException {
      return Snappy.compress(source, 0, length, target, 0);
    }

    @Override
    void decompress(byte[] source, int length, byte[] target, int targetLength) throws IOException {
      if (Snappy.uncompressedLength(source, 0, length) != targetLength) {
        throw new IOException("another length than " + targetLength);
      }
      check(Snappy.uncompress(source, 0, length, target, 0), targetLength);
    }
  };

  private static final int ZSTD_LEVEL = 1;

  private final int code;

  Codec(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static Optional<Codec> ofCode(int code) {
    for (Codec codec : values()) {
      if (codec.code == code) {
        return Optional.of(codec);
      }
    }
    return Optional.empty();
  }

  /** Room in which any input of this length fits, compressed. */
  static int bound(int length) {
    return length + length / 4 + 256;
  }

  /** Compresses and returns the size; {@code length} or more means that it does not pay. */
  abstract int compress(byte[] source, int length, byte[] target) throws IOException;

  /** Fills exactly {@code targetLength} bytes or fails. */
  abstract void decompress(byte[] source, int length, byte[] target, int targetLength)
      throws IOException;

  private static void check(long got, int wanted) throws IOException {
    if (got != wanted) {
      throw new IOException(got + " bytes instead of " + wanted);
    }
  }
}
