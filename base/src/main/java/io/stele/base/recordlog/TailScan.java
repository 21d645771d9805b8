package io.stele.base.recordlog;

import static io.stele.base.recordlog.RecordFormat.RECORD_HEADER;
import static io.stele.base.recordlog.RecordFormat.RECORD_LENGTH;
import static io.stele.base.recordlog.RecordFormat.RECORD_SYNCED_TO;

import io.stele.base.bytes.Binary;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.OptionalLong;

/** Looks at what stands behind the last good record of a log, in one pass over the rest of it. */
final class TailScan {
  private static final int CHUNK = 1 << 20;

  private final ReadableFile file;
  private final long fileId;

  TailScan(ReadableFile file, long fileId) {
    this.file = file;
    this.fileId = fileId;
  }

  /** True if nothing but zeros stands from {@code position} to the end of the file. */
  boolean onlyZeros(long position) throws IOException {
    byte[] chunk = new byte[chunkLength(position)];
    for (long at = position; at < file.length(); at += chunk.length) {
      int count = (int) Math.min(chunk.length, file.length() - at);
      file.read(at, chunk, 0, count);
      for (int i = 0; i < count; i++) {
        if (chunk[i] != 0) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * The first whole record behind {@code bad} that was framed when the byte at {@code bad} was
   * already durable.
   *
   * <p>Every offset is tried, since the length of the bad record means nothing. The masked offset
   * in the header turns all but real headers away, so that each byte is read and checksummed about
   * once.
   */
  OptionalLong findProofOfSync(long bad) throws IOException {
    return find(bad, bad + 1);
  }

  /** The first whole record behind {@code bad} that was framed when so much was durable. */
  private OptionalLong find(long bad, long leastSynced) throws IOException {
    byte[] chunk = new byte[chunkLength(bad + 1)];
    long start = bad + 1;
    while (file.length() - start >= RECORD_HEADER) {
      int count = (int) Math.min(chunk.length, file.length() - start);
      file.read(start, chunk, 0, count);
      int candidates = count - RECORD_HEADER + 1;
      for (int i = 0; i < candidates; i++) {
        long syncedTo = Binary.getLong(chunk, i + RECORD_SYNCED_TO) ^ fileId;
        if (syncedTo >= leastSynced
            && syncedTo <= start + i
            && isRecord(start + i, Binary.getInt(chunk, i + RECORD_LENGTH))) {
          return OptionalLong.of(start + i);
        }
      }
      start += candidates;
    }
    return OptionalLong.empty();
  }

  /** The first whole record behind {@code bad}, whether or not it proves anything. */
  OptionalLong findRecord(long bad) throws IOException {
    return find(bad, RecordFormat.FILE_HEADER);
  }

  private boolean isRecord(long position, int length) throws IOException {
    if (length < 0
        || length > RecordLogWriter.MAX_PAYLOAD
        || length > file.length() - position - RECORD_HEADER) {
      return false;
    }
    byte[] record = new byte[RECORD_HEADER + length];
    file.read(position, record, 0, record.length);
    return Binary.getInt(record, 0)
        == new RecordFormat.Checksum(fileId).of(position, record, 0, length);
  }

  private int chunkLength(long position) {
    return Math.clamp(file.length() - position, RECORD_HEADER, CHUNK);
  }
}
