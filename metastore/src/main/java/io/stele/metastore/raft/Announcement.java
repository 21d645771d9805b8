package io.stele.metastore.raft;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import java.util.Optional;

/**
 * What a server says of itself to whoever listens. It is only a hint where to ask: who the server
 * is, it says when asked over its service.
 *
 * <pre>
 * datagram = magic    8   "STELEMET"
 *            version  1   1
 *            kind     1   1: here I am, 2: here I am, and who else is there?
 *            address      of its service: a varint length and HOST:PORT in UTF-8
 *            crc      4   CRC32C of all before
 * </pre>
 *
 * @param asks whether the others are to announce themselves too
 */
record Announcement(String serviceAddress, boolean asks) {
  static final int MAX_BYTES = 512;

  private static final Bytes MAGIC = Bytes.utf8("STELEMET");
  private static final int VERSION = 1;

  byte[] toBytes() {
    ByteBuilder out = new ByteBuilder(64);
    out.put(MAGIC).putByte(VERSION).putByte(asks ? 2 : 1).putSized(Bytes.utf8(serviceAddress));
    return out.putInt(Crc32c.of(out.array(), 0, out.length())).toArray();
  }

  /** Nothing if the datagram is not one of ours: anybody may send to the group. */
  static Optional<Announcement> parse(byte[] datagram, int length) {
    if (length < MAGIC.length() + 6 || length > MAX_BYTES) {
      return Optional.empty();
    }
    try {
      ByteReader reader = new ByteReader(datagram, 0, length);
      Bytes magic = Bytes.copyOf(datagram, reader.skip(MAGIC.length(), "magic"), MAGIC.length());
      int version = reader.readByte();
      int kind = reader.readByte();
      String address = reader.readSized("address").toUtf8();
      int expected = Crc32c.of(datagram, 0, reader.position());
      boolean ours =
          magic.equals(MAGIC)
              && version == VERSION
              && (kind == 1 || kind == 2)
              && reader.readInt() == expected
              && reader.remaining() == 0
              && address.matches("[^\\s:]+:[0-9]{1,5}|\\[[0-9a-fA-F:.%]+]:[0-9]{1,5}");
      return ours ? Optional.of(new Announcement(address, kind == 2)) : Optional.empty();
    } catch (ByteReader.Malformed e) {
      return Optional.empty();
    }
  }
}
