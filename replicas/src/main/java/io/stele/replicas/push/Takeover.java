package io.stele.replicas.push;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * What a half of a split begins with: the cells that the replica of the split partition on the same
 * server had up to a sequence, with their sequences. It takes them over as a file, beside the new
 * changes that it gets from the first moment on:
 *
 * <pre>
 *   split partition   1 ………………………………… 47 | 48 49 …  sent on, as to any other target
 *                        ▼ its rows
 *   half              1 …… taken over … 47 | its own 48 49 …
 * </pre>
 *
 * As both number alike what they share, who has it of the one has it of the other.
 *
 * <pre>
 *   file := magic "STO1"(4) partition assignment sequence(varint) done(1) crc32c of all before(4)
 *           each text: length(varint) bytes
 * </pre>
 *
 * @param partition the one that was split
 * @param assignment of the replica that it takes over from
 * @param sequence up to which
 * @param done whether the cells are here
 */
record Takeover(String partition, String assignment, long sequence, boolean done) {
  private static final FilePath PATH = FilePath.of("TAKEOVER");

  private static final int MAGIC = 'S' | 'T' << 8 | 'O' << 16 | '1' << 24;
  private static final int CRC_BYTES = 4;

  Takeover asDone() {
    return new Takeover(partition, assignment, sequence, true);
  }

  void save(FileStore directory) throws IOException {
    ByteBuilder out = new ByteBuilder(128);
    out.putInt(MAGIC)
        .putSized(Bytes.utf8(partition))
        .putSized(Bytes.utf8(assignment))
        .putVarint(sequence)
        .putByte(done ? 1 : 0);
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    directory.replace(PATH, out.toArray());
  }

  static void delete(FileStore directory) throws IOException {
    var _ = directory.delete(PATH);
  }

  /** None if the replica began with nothing. */
  static Optional<Takeover> load(FileStore directory) throws IOException {
    byte[] content;
    try (ReadableFile file = directory.open(PATH)) {
      content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(decode(content));
    } catch (Malformed e) {
      throw new CorruptDataException(
          directory.describe() + "/" + PATH, e.offset(), "what a replica began with", e.problem());
    }
  }

  private static Takeover decode(byte[] content) throws Malformed {
    int body = Math.max(content.length - CRC_BYTES, 0);
    ByteReader in = new ByteReader(content, 0, body);
    int found = new ByteReader(content, body, content.length - body).readInt();
    int expected = Crc32c.of(content, 0, body);
    if (found != expected) {
      throw in.malformed(
          "checksum 0x"
              + Integer.toHexString(found)
              + " instead of 0x"
              + Integer.toHexString(expected));
    }
    int magic = in.readInt();
    if (magic != MAGIC) {
      throw in.malformed("magic 0x" + Integer.toHexString(magic) + " instead of STO1");
    }
    return new Takeover(
        in.readSized("partition").toUtf8(),
        in.readSized("assignment").toUtf8(),
        in.readVarint(),
        in.readByte() == 1);
  }
}
