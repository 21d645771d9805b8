package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.metastore.command.KeyValue;
import java.util.Optional;

/**
 * A version of a key as it is stored; the newest one is all that a read of the newest needs.
 *
 * <pre>
 *   version := flags(1) modified(varint)
 *              [ (modified - created)(varint) version(varint) [ owner(varint) ] value ]
 *   flags   := DELETED (bit 0: nothing follows) | OWNED (bit 1: the owner is a session)
 *            | LEASED (bit 2: the owner is a lease)
 * </pre>
 *
 * @param keyValue of a deletion only key and revision count
 */
record StoredVersion(boolean deleted, KeyValue keyValue) {
  private static final int DELETED = 1;
  private static final int OWNED = 2;
  private static final int LEASED = 4;

  static StoredVersion deletion(Bytes key, long revision) {
    return new StoredVersion(true, new KeyValue(key, Bytes.EMPTY, 0, revision, 0, 0));
  }

  long modified() {
    return keyValue.modified();
  }

  Optional<KeyValue> live() {
    return deleted ? Optional.empty() : Optional.of(keyValue);
  }

  Bytes encode() {
    KeyValue kv = keyValue;
    ByteBuilder out = new ByteBuilder(24 + kv.value().length());
    if (deleted) {
      return out.putByte(DELETED).putVarint(kv.modified()).toBytes();
    }
    int owner = kv.session() != 0 ? OWNED : kv.lease() != 0 ? LEASED : 0;
    out.putByte(owner).putVarint(kv.modified());
    out.putVarint(kv.modified() - kv.created()).putVarint(kv.version());
    if (owner != 0) {
      out.putVarint(owner == OWNED ? kv.session() : kv.lease());
    }
    return out.put(kv.value()).toBytes();
  }

  static StoredVersion decode(Bytes key, Bytes stored) {
    return decode(key, stored.sharedArray(), 0, stored.length(), true);
  }

  static StoredVersion decode(Bytes key, CellView cell, boolean withValue) {
    return decode(key, cell.valueArray, cell.valueOffset, cell.valueLength, withValue);
  }

  /** True for the stored form of a deletion. */
  static boolean isDeletion(CellView cell) {
    return cell.valueLength > 0 && (cell.valueArray[cell.valueOffset] & DELETED) != 0;
  }

  /** True for the stored form of a key's first version after it was created. */
  static boolean isFirst(CellView cell) {
    int at = cell.valueOffset + 1;
    while (cell.valueArray[at] < 0) {
      at++; // of the revision
    }
    return cell.valueArray[at + 1] == 0;
  }

  private static StoredVersion decode(
      Bytes key, byte[] array, int offset, int length, boolean withValue) {
    try {
      ByteReader in = new ByteReader(array, offset, length);
      int flags = in.readByte();
      if (flags > LEASED || flags == (DELETED | OWNED)) {
        throw in.malformed("flags of " + flags + " before");
      }
      long modified = in.readVarint();
      if ((flags & DELETED) != 0) {
        return deletion(key, modified);
      }
      long created = modified - in.readVarint();
      long version = in.readVarint();
      long session = flags == OWNED ? in.readVarint() : 0;
      long lease = flags == LEASED ? in.readVarint() : 0;
      int valueLength = in.remaining();
      int at = in.skip(valueLength, "value");
      Bytes value = withValue ? Bytes.copyOf(array, at, valueLength) : Bytes.EMPTY;
      return new StoredVersion(
          false, new KeyValue(key, value, created, modified, version, session, lease));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.value(key), e);
    }
  }
}
