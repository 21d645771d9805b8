package io.stele.replicas.push;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Crc32c;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * When this replica was last compared with all others of its partition, and the next time at which
 * that is due.
 *
 * <pre>
 *   SCRUBBED := magic "SSC1"(4) last, 0 if never(8) due(8) crc32c of all before(4)
 *               both in microseconds
 * </pre>
 *
 * A file that is lost or damaged costs a comparison that was not due.
 */
public final class ScrubMark {
  static final FilePath PATH = FilePath.of("SCRUBBED");

  private static final int MAGIC = 'S' | 'S' << 8 | 'C' << 16 | '1' << 24;
  private static final int BYTES = 24;
  private static final int CRC_BYTES = 4;

  private record Times(long last, long due) {}

  private final FileStore directory;
  private volatile Optional<Times> times; // written by one thread at a time

  private ScrubMark(FileStore directory, Optional<Times> times) {
    this.directory = directory;
    this.times = times;
  }

  static ScrubMark open(FileStore directory) throws IOException {
    try (ReadableFile file = directory.open(PATH)) {
      byte[] content = new byte[(int) Math.min(file.length(), BYTES)];
      file.read(0, content, 0, content.length);
      return new ScrubMark(directory, decode(content));
    } catch (NoSuchFileException e) {
      return new ScrubMark(directory, Optional.empty());
    }
  }

  private static Optional<Times> decode(byte[] content) {
    try {
      ByteReader in = new ByteReader(content, 0, content.length);
      int magic = in.readInt();
      Times times = new Times(in.readLong(), in.readLong());
      boolean whole = in.readInt() == Crc32c.of(content, 0, BYTES - CRC_BYTES);
      return magic == MAGIC && whole ? Optional.of(times) : Optional.empty();
    } catch (Malformed e) {
      return Optional.empty();
    }
  }

  /** When it was last compared; 0 if never. */
  public long last() {
    return times.map(Times::last).orElse(0L);
  }

  /** When that is due; none if nobody has said. */
  public Optional<Long> due() {
    return times.map(Times::due);
  }

  /** It is due at a time. */
  void due(long micros) throws IOException {
    save(new Times(last(), micros));
  }

  /** It was compared at a time, and is due again at another. */
  void done(long micros, long nextMicros) throws IOException {
    save(new Times(micros, nextMicros));
  }

  private void save(Times value) throws IOException {
    ByteBuilder out = new ByteBuilder(BYTES).putInt(MAGIC).putLong(value.last).putLong(value.due);
    directory.replace(PATH, out.putInt(Crc32c.of(out.array(), 0, out.length())).toArray());
    times = Optional.of(value);
  }
}
