package io.stele.replicas.push;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;

/**
 * How far others are known to have the changes of a replica, by their assignments. The file is
 * replaced as a whole now and then, and may be behind or lost: what it does not know is sent again,
 * to receivers that know what they have.
 *
 * <pre>
 *   file   := magic "SSQ1"(4) count(varint) entry* crc32c of all before(4)
 *   entry  := assignmentLength(varint) assignment sequence(varint)
 * </pre>
 */
final class SequenceMap {
  static final FilePath PATH = FilePath.of("SEQUENCES");

  private static final int MAGIC = 'S' | 'S' << 8 | 'Q' << 16 | '1' << 24;
  private static final int CRC_BYTES = 4;

  private final FileStore files;
  private Map<String, Long> saved;

  private SequenceMap(FileStore files, Map<String, Long> saved) {
    this.files = files;
    this.saved = saved;
  }

  /** Reads what there is; nothing if it is not there or not whole. */
  static SequenceMap open(FileStore files) throws IOException {
    try (ReadableFile file = files.open(PATH)) {
      byte[] content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
      return new SequenceMap(files, decode(content));
    } catch (NoSuchFileException e) {
      return new SequenceMap(files, Map.of());
    }
  }

  long get(String assignment) {
    return saved.getOrDefault(assignment, 0L);
  }

  /** Writes down how far everybody is, if that is news. */
  void save(Map<String, Long> sequences) throws IOException {
    if (!sequences.equals(saved)) {
      files.replace(PATH, encode(sequences));
      saved = Map.copyOf(sequences);
    }
  }

  private static byte[] encode(Map<String, Long> sequences) {
    ByteBuilder out = new ByteBuilder(16 + 48 * sequences.size());
    out.putInt(MAGIC).putVarint(sequences.size());
    sequences.forEach(
        (assignment, sequence) -> out.putSized(Bytes.utf8(assignment)).putVarint(sequence));
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    return out.toArray();
  }

  private static Map<String, Long> decode(byte[] content) {
    int body = content.length - CRC_BYTES;
    try {
      if (body < 0
          || new ByteReader(content, body, CRC_BYTES).readInt() != Crc32c.of(content, 0, body)) {
        return Map.of();
      }
      ByteReader in = new ByteReader(content, 0, body);
      if (in.readInt() != MAGIC) {
        return Map.of();
      }
      Map<String, Long> sequences = new HashMap<>();
      for (long left = in.readVarint(); left > 0; left--) {
        sequences.put(in.readSized("assignment").toUtf8(), in.readVarint());
      }
      return sequences;
    } catch (Malformed e) {
      return Map.of(); // as if it were lost
    }
  }
}
