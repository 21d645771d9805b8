package io.stele.replicas.metadata;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a server knew last of tables and of other servers, on its own disk: so that it can start
 * while the coordination service is away, and so that a table can be listed again in a service that
 * lost it.
 *
 * <pre>
 *   known/TABLE := magic "SKT1"(4) name config METADATA crc32c of all before(4)
 *                  config: the text of {@link TableConfigText}; METADATA: as {@link MetadataFile} writes it
 *   servers     := magic "SKS1"(4) count(varint) ( id address free(varint) total(varint) )* crc32c of all before(4)
 *                  each text and file: length(varint) bytes
 * </pre>
 *
 * Files are replaced as a whole. One that is damaged is passed over: the service says it again.
 * Racks are not kept, as nothing is placed while the service is away.
 */
final class KnownFiles {
  static final FilePath TABLES = FilePath.of("known");
  static final FilePath SERVERS = FilePath.of("servers");

  private static final int TABLE_MAGIC = 'S' | 'K' << 8 | 'T' << 16 | '1' << 24;
  private static final int SERVERS_MAGIC = 'S' | 'K' << 8 | 'S' << 16 | '1' << 24;
  private static final int CRC_BYTES = 4;

  private final FileStore files;

  KnownFiles(FileStore files) {
    this.files = files;
  }

  /** A table as it was known: the service may have a newer version of both. */
  record Table(TableConfig config, Metadata metadata) {}

  /** The ids of all tables of which something is known. */
  List<String> tables() throws IOException {
    return files.list(TABLES).stream().map(FileInfo::path).map(FilePath::name).toList();
  }

  Table table(String id) throws IOException {
    FilePath path = TABLES.resolve(id);
    byte[] content = read(path);
    try {
      ByteReader in = body(content, TABLE_MAGIC);
      String name = in.readSized("name").toUtf8();
      String text = in.readSized("configuration").toUtf8();
      Metadata metadata = MetadataFile.decode(path.value(), in.readSized("METADATA"));
      return new Table(TableConfigText.read(path.value(), name, text), metadata);
    } catch (Malformed e) {
      throw new CorruptDataException(
          path.value(), e.offset(), "what is known of a table", e.problem());
    }
  }

  void save(Table table) throws IOException {
    ByteBuilder out = new ByteBuilder(1024);
    out.putInt(TABLE_MAGIC)
        .putSized(Bytes.utf8(table.config.name()))
        .putSized(Bytes.utf8(TableConfigText.write(table.config)))
        .putSized(MetadataFile.encode(table.metadata));
    write(TABLES.resolve(table.config.id()), out);
  }

  void delete(String table) throws IOException {
    var _ = files.delete(TABLES.resolve(table));
  }

  /** None if none was ever known. */
  List<LiveServer> servers() throws IOException {
    List<LiveServer> servers = new ArrayList<>();
    try {
      ByteReader in = body(read(SERVERS), SERVERS_MAGIC);
      for (long left = in.readVarint(); left > 0; left--) {
        servers.add(
            new LiveServer(
                in.readSized("server").toUtf8(),
                in.readSized("address").toUtf8(),
                in.readVarint(),
                in.readVarint()));
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (Malformed e) {
      throw new CorruptDataException(SERVERS.value(), e.offset(), "servers", e.problem());
    }
    return servers;
  }

  void save(List<LiveServer> servers) throws IOException {
    ByteBuilder out = new ByteBuilder(64 + 64 * servers.size());
    out.putInt(SERVERS_MAGIC).putVarint(servers.size());
    for (LiveServer server : servers) {
      out.putSized(Bytes.utf8(server.id()))
          .putSized(Bytes.utf8(server.address()))
          .putVarint(server.freeBytes())
          .putVarint(server.totalBytes());
    }
    write(SERVERS, out);
  }

  private void write(FilePath path, ByteBuilder out) throws IOException {
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    files.replace(path, out.toArray());
  }

  private byte[] read(FilePath path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return content;
    }
  }

  private static ByteReader body(byte[] content, int magic) throws Malformed {
    int length = Math.max(content.length - CRC_BYTES, 0);
    ByteReader in = new ByteReader(content, 0, length);
    int found = new ByteReader(content, length, content.length - length).readInt();
    int expected = Crc32c.of(content, 0, length);
    if (found != expected) {
      throw in.malformed(
          "checksum 0x"
              + Integer.toHexString(found)
              + " instead of 0x"
              + Integer.toHexString(expected));
    }
    int start = in.readInt();
    if (start != magic) {
      throw in.malformed("magic 0x" + Integer.toHexString(start));
    }
    return in;
  }
}
