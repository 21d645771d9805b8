package io.stele.base.recordlog;

import static io.stele.base.recordlog.RecordFormat.FILE_CRC;
import static io.stele.base.recordlog.RecordFormat.FILE_HEADER;
import static io.stele.base.recordlog.RecordFormat.FILE_ID;
import static io.stele.base.recordlog.RecordFormat.FILE_VERSION;
import static io.stele.base.recordlog.RecordFormat.RECORD_HEADER;
import static io.stele.base.recordlog.RecordFormat.RECORD_LENGTH;
import static io.stele.base.recordlog.RecordFormat.RECORD_SYNCED_TO;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Crc32c;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.base.time.RandomSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes a record log. One thread at a time.
 *
 * <pre>{@code
 * try (var log = RecordLogWriter.create(files, FilePath.of("log/000001.log"), 4 << 20)) {
 *   log.append(payload, 0, payload.length);
 *   log.sync();                            // durable from here on
 * }
 * }</pre>
 *
 * <p>The file, numbers little-endian:
 *
 * <pre>
 * file    = header record* [seal] zero*
 *
 * header  = magic     8   "STELELOG"
 *           version   4   1
 *           fileId    8   random
 *           crc       4   CRC32C of the 20 bytes before
 *
 * record  = crc       4   CRC32C of: fileId(8) offset(8) length(4) syncedTo(8) payload
 *           length    4   of the payload, 1 .. 2^28
 *           syncedTo  8   xor fileId
 *           payload   length bytes
 *
 * seal    = a record of length 0, written by close when all before it is durable
 * </pre>
 *
 * <p><b>The checksum</b> starts with the file's id and the record's own offset, so that bytes which
 * an older file left on the disk, or which were moved, never match.
 *
 * <p><b>syncedTo</b> is the offset up to which the file was known to be durable when the record was
 * framed. It tells rot from a torn tail: where a record is bad and a later good one says that it
 * had been durable, the disk lost it; where none says so, the write was cut off by a crash. The
 * seal says it for the whole of a file that was closed. It is stored xor the file's id, so that no
 * payload can pass for a record header and slow the search for one.
 *
 * <p><b>The header</b> is durable before anything is written or allocated behind it: a file that is
 * longer than its header once had a good one.
 */
public final class RecordLogWriter implements Closeable {
  /** The longest payload of one record. */
  public static final int MAX_PAYLOAD = 1 << 28;

  private static final int BUFFER = 1 << 20;
  private static final byte[] NO_HEAD = {};

  // Preallocation writes every byte twice to make syncs cheap: a write of this part of a step or
  // more is not followed by many syncs, and is better off growing the file itself.
  private static final int LARGE_WRITE = 16;

  private final WritableFile file;
  private final long preallocateStep;
  private final long fileId;
  private final RecordFormat.Checksum checksum;
  private final byte[] buffer = new byte[BUFFER];

  // Invariant: synced <= written; written + buffered == length()
  private int buffered;
  private long written;
  private long synced;
  private long allocated;

  // A file whose write or sync failed may hold anything behind its last sync: it takes no more.
  private @Nullable IOException failure;
  private boolean closed;

  private RecordLogWriter(WritableFile file, long preallocateStep, long fileId) {
    this.file = file;
    this.preallocateStep = preallocateStep;
    this.fileId = fileId;
    this.checksum = new RecordFormat.Checksum(fileId);
  }

  /**
   * Starts a log; the path must not exist. The empty log is durable on return.
   *
   * @param preallocateStep how many bytes to make ready for cheap syncs at a time; 0 for never
   */
  public static RecordLogWriter create(FileStore files, FilePath path, long preallocateStep)
      throws IOException {
    return create(files, path, preallocateStep, RandomSource.system());
  }

  /**
   * As {@link #create(FileStore, FilePath, long)}, with the file's id drawn from {@code random}.
   */
  public static RecordLogWriter create(
      FileStore files, FilePath path, long preallocateStep, RandomGenerator random)
      throws IOException {
    if (preallocateStep < 0) {
      throw new IllegalArgumentException(
          "record log " + path + ": preallocation step of " + preallocateStep + ", at least 0");
    }
    WritableFile file = files.create(path);
    try {
      RecordLogWriter writer = new RecordLogWriter(file, preallocateStep, random.nextLong());
      writer.writeHeader();
      return writer;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /**
   * Adds a record; it reaches the file with the next {@link #write}, or when the buffer is full.
   */
  public void append(byte[] payload, int offset, int length) throws IOException {
    append(NO_HEAD, payload, offset, length);
  }

  /** Adds a record whose payload is in two pieces, one behind the other. */
  public void append(byte[] head, byte[] rest, int offset, int restLength) throws IOException {
    Objects.checkFromIndexSize(offset, restLength, rest.length);
    long length = (long) head.length + restLength;
    if (length < 1 || length > MAX_PAYLOAD) {
      throw new IllegalArgumentException(
          "record log "
              + path()
              + ": payload of "
              + length
              + " bytes, must be 1 to "
              + MAX_PAYLOAD);
    }
    checkUsable();
    if (RECORD_HEADER + length > buffer.length - buffered) {
      writeBuffer();
    }
    if (RECORD_HEADER + length <= buffer.length) {
      frame(head, rest, offset, restLength);
    } else {
      frameApart(head, rest, offset, restLength);
    }
  }

  /** Hands all appended records to the file; they survive this process, not yet a power loss. */
  public void write() throws IOException {
    checkUsable();
    writeBuffer();
  }

  /** Makes all appended records durable. */
  public void sync() throws IOException {
    write();
    if (synced < written) {
      try {
        file.sync();
      } catch (IOException | RuntimeException e) {
        throw failed(e);
      }
      synced = written;
    }
  }

  public FilePath path() {
    return file.path();
  }

  /** Where the next record will start: the header and all appended records. */
  public long length() {
    return written + buffered;
  }

  /** How far the file is known to be durable. */
  public long syncedLength() {
    return synced;
  }

  /**
   * Makes all appended records durable, seals the file and closes it. After a failed call it only
   * closes: the records behind the last good {@link #sync} are in doubt.
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    try {
      if (failure == null) {
        sync();
        seal();
      }
    } catch (IOException | RuntimeException e) {
      closed = true;
      closeAfter(e, file);
      throw e;
    }
    closed = true;
    file.close();
  }

  private void writeHeader() throws IOException {
    Binary.putLong(buffer, 0, RecordFormat.MAGIC);
    Binary.putInt(buffer, FILE_VERSION, RecordFormat.VERSION);
    Binary.putLong(buffer, FILE_ID, fileId);
    Binary.putInt(buffer, FILE_CRC, Crc32c.of(buffer, 0, FILE_CRC));
    file.write(buffer, 0, FILE_HEADER);
    file.sync();
    written = FILE_HEADER;
    synced = FILE_HEADER;
    allocated = FILE_HEADER;
  }

  private void frame(byte[] head, byte[] rest, int offset, int restLength) {
    int at = buffered;
    int length = head.length + restLength;
    putHeader(at, length);
    System.arraycopy(head, 0, buffer, at + RECORD_HEADER, head.length);
    System.arraycopy(rest, offset, buffer, at + RECORD_HEADER + head.length, restLength);
    Binary.putInt(buffer, at, checksum.of(written + at, buffer, at, length));
    buffered += RECORD_HEADER + length;
  }

  /**
   * A record larger than the buffer goes to the file without being copied: a copy would be a large
   * allocation in a thread that must not fail for want of memory. The buffer is empty.
   */
  private void frameApart(byte[] head, byte[] rest, int offset, int restLength) throws IOException {
    putHeader(0, head.length + restLength);
    Binary.putInt(
        buffer, 0, checksum.of(written, buffer, 0, head, head.length, rest, offset, restLength));
    buffered = RECORD_HEADER;
    writeBuffer();
    writeOut(head, 0, head.length);
    writeOut(rest, offset, restLength);
  }

  private void putHeader(int at, int length) {
    Binary.putInt(buffer, at + RECORD_LENGTH, length);
    Binary.putLong(buffer, at + RECORD_SYNCED_TO, synced ^ fileId);
  }

  /** The seal needs no sync: it only helps to find rot, and a file without it is whole too. */
  private void seal() throws IOException {
    putHeader(0, RecordFormat.SEAL);
    Binary.putInt(buffer, 0, checksum.of(written, buffer, 0, 0));
    try {
      file.write(buffer, 0, RECORD_HEADER);
    } catch (IOException | RuntimeException e) {
      throw failed(e);
    }
  }

  private void writeBuffer() throws IOException {
    if (buffered > 0) {
      int count = buffered;
      buffered = 0;
      writeOut(buffer, 0, count);
    }
  }

  private void writeOut(byte[] source, int offset, int length) throws IOException {
    try {
      long end = written + length;
      if (end > allocated && length <= preallocateStep / LARGE_WRITE) {
        file.preallocate(preallocateStep);
        allocated = written + preallocateStep;
      }
      file.write(source, offset, length);
      written = end;
    } catch (IOException | RuntimeException e) {
      throw failed(e);
    }
  }

  private void checkUsable() throws IOException {
    if (failure != null) {
      throw new IOException(
          "record log " + path() + " takes no more records: an earlier call failed", failure);
    }
    if (closed) {
      throw new IOException("record log " + path() + " is closed");
    }
  }

  private IOException failed(Exception cause) {
    failure =
        cause instanceof IOException io
            ? io
            : new IOException("record log " + path() + ": " + cause.getMessage(), cause);
    return failure;
  }

  private static void closeAfter(Exception first, WritableFile file) {
    try {
      file.close();
    } catch (IOException | RuntimeException e) {
      first.addSuppressed(e);
    }
  }
}
