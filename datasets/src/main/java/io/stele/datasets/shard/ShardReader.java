package io.stele.datasets.shard;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in a log of {@link ShardLog}'s form by its index, of {@link ShardIndex}'s. Both are
 * mapped, and a lookup changes nothing but which blocks were compared, so any number of threads
 * need neither locks nor readers of their own.
 */
final class ShardReader {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Where a value is in the log. */
  private static final class Place {
    static final Place NONE = new Place(-1, -1);
    static final Place ON_DISK = new Place(-1, -1);

    final long at;
    final long length;

    Place(long at, long length) {
      this.at = at;
      this.length = length;
    }
  }

  private static final int MOST_LENGTH_BYTES = 10; // of a key's length and a value's

  private final String name;
  private final Arena arena;
  private final MemorySegment log;
  private final MemorySegment index;
  private final FileBlocks logBlocks;
  private final FileBlocks indexBlocks;
  private final int seed;
  private final long slots;
  private final boolean smallAddresses;
  private final int slotBytes;

  private ShardReader(
      String name,
      Arena arena,
      MemorySegment log,
      FileBlocks logBlocks,
      MemorySegment index,
      FileBlocks indexBlocks) {
    this.name = name;
    this.arena = arena;
    this.log = log;
    this.logBlocks = logBlocks;
    this.index = index;
    this.indexBlocks = indexBlocks;
    this.seed = index.get(INT, ShardIndex.SEED_AT);
    this.slots = index.get(LONG, ShardIndex.SLOTS_AT);
    this.smallAddresses = index.get(INT, ShardIndex.ADDRESS_BYTES_AT) == Integer.BYTES;
    this.slotBytes = Integer.BYTES + (smallAddresses ? Integer.BYTES : Long.BYTES);
  }

  /**
   * Maps a log and its index, with the checksums of their blocks.
   *
   * @throws CorruptDataException if the index is of another form, or shorter than it should be
   */
  static ShardReader open(Path log, int[] logChecksums, Path index, int[] indexChecksums)
      throws IOException {
    Arena arena = Arena.ofShared();
    boolean opened = false;
    try {
      MemorySegment slots = map(index, arena);
      check(index, slots);
      MemorySegment entries = map(log, arena);
      ShardReader reader =
          new ShardReader(
              log.toString(),
              arena,
              entries,
              new FileBlocks(log.toString(), entries, logChecksums),
              slots,
              new FileBlocks(index.toString(), slots, indexChecksums));
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

  /** As {@link Shard#look}. */
  ShardEntry look(byte[] key, boolean mayWait, int mostWhole) throws RetiredShardException {
    try {
      Place place = find(KeyHash.of(key, key.length, seed), key, mayWait);
      if (place == Place.NONE) {
        return new ShardEntry.Missing();
      }
      if (place == Place.ON_DISK) {
        return new ShardEntry.OnDisk();
      }
      if (place.length > mostWhole) {
        return new ShardEntry.Large(place.length, new Content(place));
      }
      return ready(logBlocks, place.at, place.length, mayWait)
          ? new ShardEntry.Value(Bytes.wrap(read(place)))
          : new ShardEntry.OnDisk();
    } catch (IndexOutOfBoundsException e) {
      throw new CorruptDataException(name, 0, "an entry where the index says", e.toString());
    } catch (IllegalStateException e) {
      throw new RetiredShardException(e);
    }
  }

  /**
   * The value of a key; null if it is not there.
   *
   * @throws RetiredShardException if it is closed
   */
  byte @Nullable [] get(byte[] key) throws RetiredShardException {
    return look(key, true, Integer.MAX_VALUE) instanceof ShardEntry.Value(Bytes value)
        ? value.sharedArray()
        : null;
  }

  void forgetCompared() {
    logBlocks.forget();
    indexBlocks.forget();
  }

  /** Whether a stretch of a file can be read, after it was compared if that may take its time. */
  private static boolean ready(FileBlocks blocks, long from, long length, boolean mayWait) {
    if (mayWait) {
      blocks.compare(from, length);
      return true;
    }
    return blocks.compared(from, length);
  }

  private Place find(int hash, byte[] key, boolean mayWait) {
    long slot = wanted(hash);
    for (long way = 0; way < slots; way++) {
      long at = ShardIndex.HEAD_BYTES + slot * slotBytes;
      if (!ready(indexBlocks, at, slotBytes, mayWait)) {
        return Place.ON_DISK;
      }
      long address =
          smallAddresses
              ? Integer.toUnsignedLong(index.get(INT, at + Integer.BYTES))
              : index.get(LONG, at + Integer.BYTES);
      if (address == 0) {
        return Place.NONE;
      }
      int there = index.get(INT, at);
      if (there == hash) {
        Place place = place(address, key, mayWait);
        if (place != Place.NONE) {
          return place;
        }
      } else if (way(slot, there) < way) {
        return Place.NONE;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return Place.NONE;
  }

  private long wanted(int hash) {
    return Integer.toUnsignedLong(hash) % slots;
  }

  private long way(long slot, int hash) {
    long way = slot - wanted(hash);
    return way < 0 ? way + slots : way;
  }

  /** Where the value of an entry is, if that has the key. */
  private Place place(long address, byte[] key, boolean mayWait) {
    long head = Math.min(MOST_LENGTH_BYTES + (long) key.length, log.byteSize() - address);
    if (!ready(logBlocks, address, head, mayWait)) {
      return Place.ON_DISK;
    }
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
      return Place.NONE;
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
      return Place.NONE;
    }
    return new Place(at + key.length, valueLength);
  }

  private byte[] read(Place place) {
    byte[] value = new byte[Math.toIntExact(place.length)];
    MemorySegment.copy(log, JAVA_BYTE, place.at, value, 0, value.length);
    return value;
  }

  /** A value, read block by block. */
  private final class Content extends InputStream {
    private final long end;
    private long at;

    Content(Place place) {
      this.at = place.at;
      this.end = Objects.checkFromIndexSize(place.at, place.length, log.byteSize()) + place.length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (at == end) {
        return -1;
      }
      int count = (int) Math.min(length, end - at);
      try {
        logBlocks.compare(at, count);
        MemorySegment.copy(log, JAVA_BYTE, at, target, offset, count);
      } catch (IllegalStateException e) {
        throw new IOException("the version was let go while its value was read", e);
      }
      at += count;
      return count;
    }
  }

  /** Unmaps the files. Lookups that are under way end with {@link RetiredShardException}. */
  void close() {
    arena.close();
  }
}
