package io.stele.replicas.metadata;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of a METADATA file, on disk and between servers. Equal metadata have equal bytes.
 *
 * <pre>
 *   file       := magic "SMET" | version u8 = 1 | length u32 | body (length bytes) | crc u32
 *   body       := table text | txn text | sequence varint | count varint | partition*
 *   partition  := id text | first bytes | last option(bytes)
 *                 | members | count varint | joining* | option(split)
 *   joining    := assignment | replaces option(text)
 *   split      := at bytes | half | half                  lower, upper
 *   half       := id text | members
 *   members    := count varint | assignment*
 *   assignment := server text | id text
 *   text       := bytes, UTF-8
 *   bytes      := length varint | that many bytes
 *   option(x)  := 0 u8 | 1 u8, x
 * </pre>
 *
 * <p>Numbers of fixed width are little-endian. The CRC-32C covers all that lies before it.
 */
final class MetadataFile {
  private static final Bytes MAGIC = Bytes.utf8("SMET");
  private static final int VERSION = 1;
  private static final int HEADER = 9;
  private static final int CRC = 4;

  private MetadataFile() {}

  // ---- writing

  static Bytes encode(Metadata metadata) {
    ByteBuilder file = new ByteBuilder(256 + 128 * metadata.partitions().size());
    file.put(MAGIC).putByte(VERSION).putInt(0);
    putText(file, metadata.table());
    putText(file, metadata.txn());
    file.putVarint(metadata.sequence()).putVarint(metadata.partitions().size());
    metadata.partitions().forEach(partition -> put(file, partition));
    Binary.putInt(file.array(), HEADER - 4, file.length() - HEADER);
    file.putInt(Crc32c.of(file.array(), 0, file.length()));
    return file.toBytes();
  }

  private static void put(ByteBuilder file, Partition partition) {
    putText(file, partition.id());
    file.putSized(partition.first());
    file.putByte(partition.last().isPresent() ? 1 : 0);
    partition.last().ifPresent(file::putSized);
    put(file, partition.members());
    file.putVarint(partition.joining().size());
    for (Partition.Joining joining : partition.joining()) {
      put(file, joining.assignment());
      file.putByte(joining.replaces().isPresent() ? 1 : 0);
      joining.replaces().ifPresent(id -> putText(file, id));
    }
    file.putByte(partition.split().isPresent() ? 1 : 0);
    partition
        .split()
        .ifPresent(
            split -> {
              file.putSized(split.at());
              put(file, split.lower());
              put(file, split.upper());
            });
  }

  private static void put(ByteBuilder file, Partition.Half half) {
    putText(file, half.id());
    put(file, half.members());
  }

  private static void put(ByteBuilder file, List<Assignment> members) {
    file.putVarint(members.size());
    members.forEach(each -> put(file, each));
  }

  private static void put(ByteBuilder file, Assignment assignment) {
    putText(file, assignment.server());
    putText(file, assignment.id());
  }

  private static void putText(ByteBuilder file, String text) {
    file.putSized(Bytes.utf8(text));
  }

  // ---- reading

  /**
   * What a file says.
   *
   * @param name of the file, for people
   * @throws CorruptDataException if it is not as it was written
   */
  static Metadata decode(String name, Bytes file) {
    byte[] array = file.sharedArray();
    if (array.length < HEADER + CRC) {
      throw new CorruptDataException(
          name, 0, "at least " + (HEADER + CRC) + " bytes", array.length + " bytes");
    }
    if (!file.startsWith(MAGIC)) {
      throw new CorruptDataException(
          name, 0, MAGIC.toString(), Bytes.copyOf(array, 0, MAGIC.length()).toString());
    }
    if (array[MAGIC.length()] != VERSION) {
      throw new CorruptDataException(
          name, MAGIC.length(), "version " + VERSION, "version " + (array[MAGIC.length()] & 0xff));
    }
    int length = Binary.getInt(array, HEADER - 4);
    int there = array.length - HEADER - CRC;
    if (length != there) {
      throw new CorruptDataException(
          name, HEADER - 4, "a body of " + there + " bytes", Integer.toUnsignedString(length));
    }
    int found = Binary.getInt(array, HEADER + length);
    int expected = Crc32c.of(array, 0, HEADER + length);
    if (found != expected) {
      throw new CorruptDataException(
          name, HEADER + length, "CRC %08x".formatted(expected), "%08x".formatted(found));
    }
    ByteReader body = new ByteReader(array, HEADER, length);
    try {
      Metadata metadata = metadata(body);
      if (body.remaining() > 0) {
        throw body.malformed(body.remaining() + " bytes behind the last partition");
      }
      return metadata;
    } catch (Malformed e) {
      throw new CorruptDataException(name, HEADER + e.offset(), "a METADATA file", e.problem());
    } catch (InvalidRequestException e) {
      throw new CorruptDataException(
          name, HEADER, "a METADATA file", String.valueOf(e.getMessage()));
    }
  }

  private static Metadata metadata(ByteReader body) throws Malformed {
    String table = text(body, "table");
    String txn = text(body, "transaction");
    long sequence = body.readVarint();
    int count = count(body, "partitions");
    List<Partition> partitions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      partitions.add(partition(body));
    }
    return new Metadata(table, txn, sequence, partitions);
  }

  private static Partition partition(ByteReader body) throws Malformed {
    String id = text(body, "partition");
    Bytes first = body.readSized("first row");
    Optional<Bytes> last = flag(body) ? Optional.of(body.readSized("last row")) : Optional.empty();
    List<Assignment> members = members(body);
    int count = count(body, "joining servers");
    List<Partition.Joining> joining = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Assignment assignment = assignment(body);
      joining.add(
          new Partition.Joining(
              assignment, flag(body) ? Optional.of(text(body, "assignment")) : Optional.empty()));
    }
    Optional<Partition.Split> split = Optional.empty();
    if (flag(body)) {
      Bytes at = body.readSized("split row");
      Partition.Half lower = half(body);
      split = Optional.of(new Partition.Split(at, lower, half(body)));
    }
    return new Partition(id, first, last, members, joining, split);
  }

  private static Partition.Half half(ByteReader body) throws Malformed {
    String id = text(body, "half");
    return new Partition.Half(id, members(body));
  }

  private static List<Assignment> members(ByteReader body) throws Malformed {
    int count = count(body, "members");
    List<Assignment> members = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      members.add(assignment(body));
    }
    return members;
  }

  private static Assignment assignment(ByteReader body) throws Malformed {
    String server = text(body, "server");
    return new Assignment(server, text(body, "assignment"));
  }

  private static String text(ByteReader body, String what) throws Malformed {
    return body.readSized(what).toUtf8();
  }

  /** A number of things each of which takes a byte or more: so a wrong one takes no memory. */
  private static int count(ByteReader body, String what) throws Malformed {
    return body.readVarint(body.remaining(), "number of " + what);
  }

  private static boolean flag(ByteReader body) throws Malformed {
    int flag = body.readByte();
    if (flag > 1) {
      throw body.malformed("flag " + flag + ", must be 0 or 1");
    }
    return flag == 1;
  }
}
