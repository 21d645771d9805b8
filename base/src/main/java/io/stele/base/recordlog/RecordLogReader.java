package io.stele.base.recordlog;

import static io.stele.base.recordlog.RecordFormat.FILE_CRC;
import static io.stele.base.recordlog.RecordFormat.FILE_HEADER;
import static io.stele.base.recordlog.RecordFormat.FILE_ID;
import static io.stele.base.recordlog.RecordFormat.FILE_VERSION;
import static io.stele.base.recordlog.RecordFormat.RECORD_HEADER;
import static io.stele.base.recordlog.RecordFormat.RECORD_LENGTH;
import static io.stele.base.recordlog.RecordFormat.RECORD_SYNCED_TO;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record log from its start; {@link RecordLogWriter} draws the bytes. One thread at a time.
 *
 * <pre>{@code
 * try (var log = RecordLogReader.open(files, path)) {
 *   while (log.next()) {
 *     replay(log.buffer(), log.offset(), log.length());
 *   }
 *   report(log.tail());
 * }
 * }</pre>
 *
 * <p>At the first record that is not whole, reading ends in one of three ways:
 *
 * <ul>
 *   <li>only zeros follow: preallocated space, the log ends cleanly;
 *   <li>a later record proves that the bad one had been durable: {@link CorruptDataException};
 *   <li>otherwise a crash cut the last writes off: the log ends with a torn tail.
 * </ul>
 *
 * <p>A file no longer than its header that holds no good header was cut off while it was created:
 * it is an empty log with a torn tail.
 */
public final class RecordLogReader implements Closeable {
  private static final int BUFFER = 1 << 20;

  private final ReadableFile file;
  private final long fileId;
  private final RecordFormat.Checksum checksum;

  // buffer[0 .. bufferLength) holds the file from bufferPosition on.
  private byte[] buffer;
  private long bufferPosition = FILE_HEADER;
  private int bufferLength;

  private long nextPosition = FILE_HEADER;
  private long recordPosition;
  private int payloadOffset;
  private int payloadLength;
  private @Nullable Tail tail;

  private RecordLogReader(ReadableFile file, long fileId, @Nullable Tail tail) {
    this.file = file;
    this.fileId = fileId;
    this.tail = tail;
    this.checksum = new RecordFormat.Checksum(fileId);
    this.buffer = new byte[Math.clamp(file.length(), RECORD_HEADER, BUFFER)];
  }

  /**
   * Opens a log and checks its header.
   *
   * @throws CorruptDataException if the header is damaged, or not that of a record log
   */
  public static RecordLogReader open(FileStore files, FilePath path) throws IOException {
    ReadableFile file = files.open(path);
    try {
      return open(file);
    } catch (IOException | RuntimeException e) {
      try {
        file.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /**
   * Moves to the next record.
   *
   * @return false at the end of the log, which {@link #tail} describes
   * @throws CorruptDataException if a record that had been durable is damaged; never skipped, so
   *     that calling again throws again
   */
  public boolean next() throws IOException {
    if (tail != null) {
      return false;
    }
    String problem = problemAt(nextPosition);
    if (problem != null) {
      tail = endAt(nextPosition, problem);
      return false;
    }
    int at = (int) (nextPosition - bufferPosition);
    int length = Binary.getInt(buffer, at + RECORD_LENGTH);
    if (length == RecordFormat.SEAL) {
      tail = new Tail.Clean(nextPosition);
      return false;
    }
    recordPosition = nextPosition;
    payloadOffset = at + RECORD_HEADER;
    payloadLength = length;
    nextPosition += RECORD_HEADER + length;
    return true;
  }

  /**
   * Goes on behind a damaged record, after {@link #next} has told of it: for those who want what is
   * left and know that something is missing. Records are found again by their checksums.
   */
  public void skipDamage() throws IOException {
    OptionalLong next = new TailScan(file, fileId).findRecord(nextPosition);
    if (next.isEmpty()) {
      tail = new Tail.Torn(nextPosition, "no whole record behind it");
    } else {
      nextPosition = next.getAsLong();
      bufferPosition = nextPosition;
      bufferLength = 0;
    }
  }

  /** Holds the current payload until the next call of {@link #next}. */
  public byte[] buffer() {
    return buffer;
  }

  /** Where in {@link #buffer} the current payload starts. */
  public int offset() {
    return payloadOffset;
  }

  /** The length of the current payload. */
  public int length() {
    return payloadLength;
  }

  /** Where in the file the current record starts. */
  public long recordPosition() {
    return recordPosition;
  }

  public FilePath path() {
    return file.path();
  }

  /** How the log ended, once {@link #next} has returned false. */
  public Tail tail() {
    if (tail == null) {
      throw new IllegalStateException(
          "record log " + path() + " is not read to its end: next record at " + nextPosition);
    }
    return tail;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private static RecordLogReader open(ReadableFile file) throws IOException {
    if (file.length() < FILE_HEADER) {
      String reason = "file of " + file.length() + " bytes, its header has " + FILE_HEADER;
      return new RecordLogReader(file, 0, new Tail.Torn(0, reason));
    }
    byte[] header = new byte[FILE_HEADER];
    file.read(0, header, 0, FILE_HEADER);
    int crc = Crc32c.of(header, 0, FILE_CRC);
    if (crc != Binary.getInt(header, FILE_CRC)) {
      String found = "checksum " + hex(crc) + " of header " + Bytes.of(header);
      // The header was durable before anything was put behind it.
      if (file.length() > FILE_HEADER) {
        String expected = "checksum " + hex(Binary.getInt(header, FILE_CRC));
        throw new CorruptDataException(file.path().value(), 0, expected, found);
      }
      return new RecordLogReader(file, 0, new Tail.Torn(0, found));
    }
    if (Binary.getLong(header, 0) != RecordFormat.MAGIC) {
      String found = "a file that starts with " + Bytes.copyOf(header, 0, FILE_VERSION);
      throw new CorruptDataException(file.path().value(), 0, "a record log (STELELOG)", found);
    }
    int version = Binary.getInt(header, FILE_VERSION);
    if (version != RecordFormat.VERSION) {
      String expected = "record log version " + RecordFormat.VERSION;
      throw new CorruptDataException(
          file.path().value(), FILE_VERSION, expected, "version " + version);
    }
    return new RecordLogReader(file, Binary.getLong(header, FILE_ID), null);
  }

  /** Why no whole record stands at {@code position}, or null if one does and is in the buffer. */
  private @Nullable String problemAt(long position) throws IOException {
    long rest = file.length() - position;
    if (rest < RECORD_HEADER) {
      return rest + " bytes, less than a record header";
    }
    fill(position, RECORD_HEADER);
    int at = (int) (position - bufferPosition);
    int length = Binary.getInt(buffer, at + RECORD_LENGTH);
    long syncedTo = Binary.getLong(buffer, at + RECORD_SYNCED_TO) ^ fileId;
    // Before the checksum, so that a length from garbage never makes a large buffer.
    if (length < 0
        || length > RecordLogWriter.MAX_PAYLOAD
        || syncedTo < FILE_HEADER
        || syncedTo > position) {
      return "no record header of this file: " + Bytes.copyOf(buffer, at, RECORD_HEADER);
    }
    if (length > rest - RECORD_HEADER) {
      return "payload of " + length + " bytes, cut off after " + (rest - RECORD_HEADER);
    }
    fill(position, RECORD_HEADER + length);
    at = (int) (position - bufferPosition);
    int stored = Binary.getInt(buffer, at);
    int computed = checksum.of(position, buffer, at, length);
    if (stored != computed) {
      return "checksum " + hex(computed) + " of a record that says " + hex(stored);
    }
    return null;
  }

  private Tail endAt(long position, String problem) throws IOException {
    TailScan scan = new TailScan(file, fileId);
    if (scan.onlyZeros(position)) {
      return new Tail.Clean(position);
    }
    OptionalLong proof = scan.findProofOfSync(position);
    if (proof.isPresent()) {
      throw new CorruptDataException(
          file.path().value(),
          position,
          "a whole record, durable before the one at " + proof.getAsLong() + " was written",
          problem);
    }
    return new Tail.Torn(position, problem);
  }

  /** Has {@code count} bytes from {@code position} on in the buffer, and reads ahead to fill it. */
  private void fill(long position, int count) throws IOException {
    int at = (int) (position - bufferPosition);
    int kept = bufferLength - at;
    if (kept >= count) {
      return;
    }
    byte[] target = count <= buffer.length ? buffer : new byte[count];
    System.arraycopy(buffer, at, target, 0, kept);
    int more = (int) Math.min(target.length - kept, file.length() - position - kept);
    buffer = target;
    bufferPosition = position;
    bufferLength = 0; // until the read has worked
    file.read(position + kept, target, kept, more);
    bufferLength = kept + more;
  }

  private static String hex(int value) {
    return String.format("%08x", value);
  }
}
