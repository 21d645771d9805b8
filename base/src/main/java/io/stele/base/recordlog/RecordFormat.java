package io.stele.base.recordlog;

import io.stele.base.bytes.Binary;
import java.util.zip.CRC32C;

/**
 * What the writer and the readers of a record log share; {@link RecordLogWriter} draws the bytes.
 */
final class RecordFormat {
  /** {@code STELELOG}, read as a little-endian number. */
  static final long MAGIC = 0x474F_4C45_4C45_5453L;

  static final int VERSION = 1;

  static final int FILE_HEADER = 24;
  static final int FILE_VERSION = 8;
  static final int FILE_ID = 12;
  static final int FILE_CRC = 20;

  static final int RECORD_HEADER = 16;
  static final int RECORD_LENGTH = 4;
  static final int RECORD_SYNCED_TO = 8;

  /** The length field of the seal, which no record has. */
  static final int SEAL = 0;

  private RecordFormat() {}

  /** Computes the checksums of one file's records, without allocating. */
  static final class Checksum {
    private final CRC32C crc = new CRC32C();
    private final byte[] seed = new byte[16];

    Checksum(long fileId) {
      Binary.putLong(seed, 0, fileId);
    }

    /**
     * Of a record that stands whole in {@code array} at {@code at}, its checksum field left out.
     */
    int of(long position, byte[] array, int at, int payloadLength) {
      start(position);
      crc.update(array, at + RECORD_LENGTH, RECORD_HEADER - RECORD_LENGTH + payloadLength);
      return (int) crc.getValue();
    }

    /** Of a record whose header and the two pieces of its payload stand apart. */
    int of(
        long position,
        byte[] header,
        int at,
        byte[] head,
        int headLength,
        byte[] rest,
        int offset,
        int restLength) {
      start(position);
      crc.update(header, at + RECORD_LENGTH, RECORD_HEADER - RECORD_LENGTH);
      crc.update(head, 0, headLength);
      crc.update(rest, offset, restLength);
      return (int) crc.getValue();
    }

    private void start(long position) {
      Binary.putLong(seed, 8, position);
      crc.reset();
      crc.update(seed, 0, seed.length);
    }
  }
}
