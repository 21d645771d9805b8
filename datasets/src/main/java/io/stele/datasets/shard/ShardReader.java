package io.stele.datasets.shard;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.stele.base.error.CorruptDataException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in a log of {@link ShardLog}'s form by its index, of {@link ShardIndex}'s. Both are
 * mapped, and nothing is changed by a lookup, so any number of threads need neither locks nor
 * readers of their own.
 */
final class ShardReader {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final String name;
  private final Arena arena;
  private final MemorySegment log;
  private final MemorySegment index;
  private final int seed;
  private final long slots;
  private final boolean smallAddresses;
  private final int slotBytes;

  private ShardReader(String name, Arena arena, MemorySegment log, MemorySegment index) {
    this.name = name;
    this.arena = arena;
    this.log = log;
    this.index = index;
    this.seed = index.get(INT, ShardIndex.SEED_AT);
    this.slots = index.get(LONG, ShardIndex.SLOTS_AT);
    this.smallAddresses = index.get(INT, ShardIndex.ADDRESS_BYTES_AT) == Integer.BYTES;
    this.slotBytes = Integer.BYTES + (smallAddresses ? Integer.BYTES : Long.BYTES);
  }

  /**
   * Maps a log and its index.
   *
   * @throws CorruptDataException if the index is of another form, or shorter than it should be
   */
  static ShardReader open(Path log, Path index) throws IOException {
    Arena arena = Arena.ofShared();
    boolean opened = false;
    try {
      MemorySegment slots = map(index, arena);
      check(index, slots);
      ShardReader reader = new ShardReader(log.toString(), arena, map(log, arena), slots);
      opened = true;
      return reader;
    } finally {
      if (!opened) {
        arena.close();
      }
    }
  }

  private static MemorySegment map(Path file, Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    }
  }

  private static void check(Path file, MemorySegment index) {
    if (index.byteSize() < ShardIndex.HEAD_BYTES
        || index.get(INT, 0) != ShardIndex.MAGIC
        || index.get(INT, ShardIndex.HASH_BYTES_AT) != Integer.BYTES
        || index.get(INT, ShardIndex.BLOCK_BITS_AT) != 0) {
      throw new CorruptDataException(
          file.toString(),
          0,
          "the index of an unpacked log, by hashes of 32 bits",
          index.byteSize() + " bytes of another form");
    }
    int slotBytes = Integer.BYTES + index.get(INT, ShardIndex.ADDRESS_BYTES_AT);
    long expected = ShardIndex.HEAD_BYTES + index.get(LONG, ShardIndex.SLOTS_AT) * slotBytes;
    if (index.byteSize() != expected) {
      throw new CorruptDataException(
          file.toString(), 0, expected + " bytes", index.byteSize() + " bytes");
    }
  }

  /**
   * The value of a key; null if it is not there.
   *
   * @throws RetiredShardException if it is closed
   */
  byte @Nullable [] get(byte[] key) throws RetiredShardException {
    try {
      return find(KeyHash.of(key, key.length, seed), key);
    } catch (IndexOutOfBoundsException e) {
      throw new CorruptDataException(name, 0, "an entry where the index says", e.toString());
    } catch (IllegalStateException e) {
      throw new RetiredShardException(e);
    }
  }

  private byte @Nullable [] find(int hash, byte[] key) {
    long slot = wanted(hash);
    for (long way = 0; way < slots; way++) {
      long at = ShardIndex.HEAD_BYTES + slot * slotBytes;
      long address =
          smallAddresses
              ? Integer.toUnsignedLong(index.get(INT, at + Integer.BYTES))
              : index.get(LONG, at + Integer.BYTES);
      if (address == 0) {
        return null;
      }
      int there = index.get(INT, at);
      if (there == hash) {
        byte[] value = value(address, key);
        if (value != null) {
          return value;
        }
      } else if (way(slot, there) < way) {
        return null;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return null;
  }

  private long wanted(int hash) {
    return Integer.toUnsignedLong(hash) % slots;
  }

  private long way(long slot, int hash) {
    long way = slot - wanted(hash);
    return way < 0 ? way + slots : way;
  }

  /** The value of an entry, if that has the key. */
  private byte @Nullable [] value(long address, byte[] key) {
    long at = address;
    long keyLength = 0;
    int shift = 0;
    byte group;
    do {
      group = log.get(JAVA_BYTE, at++);
      keyLength |= (long) (group & 0x7f) << shift;
      shift += 7;
    } while (group < 0);
    if (keyLength - 1 != key.length) {
      return null;
    }
    long valueLength = 0;
    shift = 0;
    do {
      group = log.get(JAVA_BYTE, at++);
      valueLength |= (long) (group & 0x7f) << shift;
      shift += 7;
    } while (group < 0);
    if (MemorySegment.mismatch(log, at, at + key.length, MemorySegment.ofArray(key), 0, key.length)
        >= 0) {
      return null;
    }
    byte[] value = new byte[Math.toIntExact(valueLength)];
    MemorySegment.copy(log, JAVA_BYTE, at + key.length, value, 0, value.length);
    return value;
  }

  /** Unmaps the files. Lookups that are under way end with {@link RetiredShardException}. */
  void close() {
    arena.close();
  }
}
