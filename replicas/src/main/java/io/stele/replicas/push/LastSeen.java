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
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * When a replica was last known to be what valid METADATA says: the coordination service had
 * confirmed it, so that everybody else went by it too. One that was away for longer than erasures
 * are kept may have cells that were deleted, and must not hand them to those who replaced it.
 *
 * <pre>
 *   file := magic "SSN1"(4) micros(8) crc32c of all before(4)
 * </pre>
 *
 * The file is written only when the time has moved by a small part of the grace time. Without it,
 * as in directories of before there was one, nothing is known, and the replica counts as recent.
 */
final class LastSeen {
  static final FilePath PATH = FilePath.of("SEEN");

  private static final int MAGIC = 'S' | 'S' << 8 | 'N' << 16 | '1' << 24;
  private static final int BYTES = 16;
  private static final int CRC_BYTES = 4;
  private static final int PARTS_OF_GRACE = 64;
  private static final long NEVER = Long.MIN_VALUE;
  private static final long SHORTEST_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);

  private final FileStore directory;
  private long saved; // guarded by this

  private LastSeen(FileStore directory, long saved) {
    this.directory = directory;
    this.saved = saved;
  }

  static LastSeen open(FileStore directory) throws IOException {
    try (ReadableFile file = directory.open(PATH)) {
      byte[] content = new byte[(int) Math.min(file.length(), BYTES)];
      file.read(0, content, 0, content.length);
      return new LastSeen(directory, decode(content));
    } catch (NoSuchFileException e) {
      return new LastSeen(directory, NEVER);
    }
  }

  private static long decode(byte[] content) {
    try {
      ByteReader in = new ByteReader(content, 0, content.length);
      int magic = in.readInt();
      long micros = in.readLong();
      boolean whole = in.readInt() == Crc32c.of(content, 0, BYTES - CRC_BYTES);
      return magic == MAGIC && whole ? micros : NEVER;
    } catch (Malformed e) {
      return NEVER; // as if it were lost
    }
  }

  /** Whether the last contact was longer before a moment than this. */
  synchronized boolean isOlder(Duration age, long micros) {
    return saved != NEVER && before(micros).compareTo(age) > 0;
  }

  /** How long before a moment the last contact was. */
  synchronized Duration before(long micros) {
    return Duration.of(micros - saved, ChronoUnit.MICROS);
  }

  /** There was contact at a time. */
  synchronized void note(long micros, Duration grace) throws IOException {
    long part = TimeUnit.MICROSECONDS.convert(grace) / PARTS_OF_GRACE;
    long step = Math.clamp(part, SHORTEST_MICROS, LONGEST_MICROS);
    if (micros == NEVER || (saved != NEVER && Math.abs(micros - saved) < step)) {
      return; // also one that lies far ahead, by a clock that was wrong, is replaced
    }
    ByteBuilder out = new ByteBuilder(BYTES).putInt(MAGIC).putLong(micros);
    directory.replace(PATH, out.putInt(Crc32c.of(out.array(), 0, out.length())).toArray());
    saved = micros;
  }
}
