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
import io.stele.replicas.metadata.Assignment;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * Says which replica a directory holds: when its partition is gone, nothing else knows its rows.
 *
 * <pre>
 *   file := magic "SRP2"(4) table partition server assignment first hasLast(1) [ last ]
 *           store filling(1) crc32c of all before(4)
 *           each text and row: length(varint) bytes
 * </pre>
 *
 * Version 1, "SRP1", has no store and no filling; it is read as a store without a name.
 */
final class ReplicaFile {
  private static final FilePath PATH = FilePath.of("REPLICA");

  private static final int MAGIC = 'S' | 'R' << 8 | 'P' << 16 | '2' << 24;
  private static final int MAGIC_1 = 'S' | 'R' << 8 | 'P' << 16 | '1' << 24;
  private static final int CRC_BYTES = 4;

  private ReplicaFile() {}

  /**
   * What a directory holds.
   *
   * @param store a random name of the directory's cells: one that was lost and made again under the
   *     same assignment has another; empty for those of before there were any
   * @param filling whether it was lost, and others have still to send what it had
   */
  record Content(Replica replica, String store, boolean filling) {}

  static void write(FileStore directory, Content content) throws IOException {
    Replica replica = content.replica;
    ByteBuilder out = new ByteBuilder(256);
    out.putInt(MAGIC)
        .putSized(Bytes.utf8(replica.table()))
        .putSized(Bytes.utf8(replica.partition()))
        .putSized(Bytes.utf8(replica.assignment().server()))
        .putSized(Bytes.utf8(replica.assignment().id()))
        .putSized(replica.first())
        .putByte(replica.last().isPresent() ? 1 : 0);
    replica.last().ifPresent(out::putSized);
    out.putSized(Bytes.utf8(content.store)).putByte(content.filling ? 1 : 0);
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    directory.replace(PATH, out.toArray());
  }

  /** None if a crash came before it was written: then nothing else is in the directory. */
  static Optional<Content> read(FileStore directory) throws IOException {
    String path = directory.describe() + "/" + PATH;
    byte[] content;
    try (ReadableFile file = directory.open(PATH)) {
      content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(decode(path, content));
    } catch (Malformed e) {
      throw new CorruptDataException(path, e.offset(), "the description of a replica", e.problem());
    }
  }

  private static Content decode(String path, byte[] content) throws Malformed {
    int body = Math.max(content.length - CRC_BYTES, 0);
    ByteReader in = new ByteReader(content, 0, body);
    int found = new ByteReader(content, body, content.length - body).readInt();
    int expected = Crc32c.of(content, 0, body);
    if (found != expected) {
      throw new CorruptDataException(
          path,
          body,
          "checksum 0x" + Integer.toHexString(expected),
          "0x" + Integer.toHexString(found));
    }
    int magic = in.readInt();
    if (magic != MAGIC && magic != MAGIC_1) {
      throw in.malformed("magic 0x" + Integer.toHexString(magic) + " instead of SRP2");
    }
    String table = in.readSized("table").toUtf8();
    String partition = in.readSized("partition").toUtf8();
    Assignment assignment =
        new Assignment(in.readSized("server").toUtf8(), in.readSized("assignment").toUtf8());
    Bytes first = in.readSized("first row");
    Optional<Bytes> last =
        in.readByte() == 1 ? Optional.of(in.readSized("last row")) : Optional.empty();
    Replica replica = new Replica(table, partition, assignment, first, last);
    return magic == MAGIC_1
        ? new Content(replica, "", false)
        : new Content(replica, in.readSized("store").toUtf8(), in.readByte() == 1);
  }
}
