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
 *   file   := magic "SSQ2"(4) count(varint) entry* crc32c of all before(4)
 *   entry  := assignment sequence(varint) store
 *             each text: length(varint) bytes
 * </pre>
 *
 * Version 1, "SSQ1", has no stores: it was written when stores had no names.
 */
final class SequenceMap {
  static final FilePath PATH = FilePath.of("SEQUENCES");

  private static final int MAGIC = 'S' | 'S' << 8 | 'Q' << 16 | '2' << 24;
  private static final int MAGIC_1 = 'S' | 'S' << 8 | 'Q' << 16 | '1' << 24;
  private static final int CRC_BYTES = 4;

  /**
   * How far a replica is.
   *
   * @param store the name of the store that it is true of; another one has nothing of it
   */
  record Held(long sequence, String store) {
    static final Held NOTHING = new Held(0, "");

    Held atMost(long most) {
      return sequence <= most ? this : new Held(most, store);
    }
  }

  private final FileStore files;
  private Map<String, Held> saved;

  private SequenceMap(FileStore files, Map<String, Held> saved) {
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

  Map<String, Held> saved() {
    return saved;
  }

  /** Writes down how far everybody is with a replica that is being made. */
  static void begin(FileStore files, Map<String, Held> sequences) throws IOException {
    files.replace(PATH, encode(sequences));
  }

  /** Writes down how far everybody is, if that is news. */
  void save(Map<String, Held> sequences) throws IOException {
    if (!sequences.equals(saved)) {
      files.replace(PATH, encode(sequences));
      saved = Map.copyOf(sequences);
    }
  }

  private static byte[] encode(Map<String, Held> sequences) {
    ByteBuilder out = new ByteBuilder(16 + 48 * sequences.size());
    out.putInt(MAGIC).putVarint(sequences.size());
    sequences.forEach(
        (assignment, held) ->
            out.putSized(Bytes.utf8(assignment))
                .putVarint(held.sequence)
                .putSized(Bytes.utf8(held.store)));
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    return out.toArray();
  }

  private static Map<String, Held> decode(byte[] content) {
    int body = content.length - CRC_BYTES;
    try {
      if (body < 0
          || new ByteReader(content, body, CRC_BYTES).readInt() != Crc32c.of(content, 0, body)) {
        return Map.of();
      }
      ByteReader in = new ByteReader(content, 0, body);
      int magic = in.readInt();
      if (magic != MAGIC && magic != MAGIC_1) {
        return Map.of();
      }
      Map<String, Held> sequences = new HashMap<>();
      for (long left = in.readVarint(); left > 0; left--) {
        String assignment = in.readSized("assignment").toUtf8();
        long sequence = in.readVarint();
        String store = magic == MAGIC ? in.readSized("store").toUtf8() : "";
        sequences.put(assignment, new Held(sequence, store));
      }
      return sequences;
    } catch (Malformed e) {
      return Map.of(); // as if it were lost
    }
  }
}
