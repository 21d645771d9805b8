package io.stele.datasets.shard;

import io.stele.base.input.BrokenInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Makes the index of an unpacked log, as Sparkey's readers know it. The library's own maker would
 * do, but it takes several times as long, which is most of what a version takes to load.
 *
 * <pre>
 * index  = head { slot }
 * head   = magic 0x9a11318f, major 1, minor 1, file id, seed of the hash     each i32, little endian
 *          end of the log's data, longest key, longest value, puts,          each i64
 *          bytes of entries that others replaced, keys                       each i64
 *          bytes of an address, bytes of a hash                              each i32
 *          slots, longest way i64 each, bits for places in a block 0 i32
 *          neighbours with one hash, sum of all ways i64 each                112 bytes together
 * slot   = hash of the key, where its entry is in the log; 0 if it is free
 * </pre>
 *
 * <p>A key wants the slot that its hash, modulo the number of slots, says, and gets the first one
 * behind it at which it has come a longer way than who is there, who moves on. So a search can end
 * where it has gone farther than who is there.
 *
 * <p>Of entries with one key that counts which {@link EntryOrder} says.
 */
final class ShardIndex {
  /** What making it takes, for each slot. */
  private static final int SLOT_MEMORY = Integer.BYTES + Long.BYTES;

  static final int MAGIC = 0x9a11318f;
  static final int HEAD_BYTES = 112;

  // Where in the head readers find what they need.
  static final int SEED_AT = 16;
  static final int ADDRESS_BYTES_AT = 68;
  static final int HASH_BYTES_AT = 72;
  static final int SLOTS_AT = 76;
  static final int BLOCK_BITS_AT = 92;

  private static final double SLOTS_PER_PUT = 1.3;
  private static final long MOST_PUTS = (long) (Integer.MAX_VALUE / SLOTS_PER_PUT) - 1;
  private static final long MOST_SMALL_ADDRESS = 1 << 30; // addresses up to here have 32 bits
  private static final int BUFFER_BYTES = 64 << 10;

  private final MemorySegment log;
  private final int seed;
  private final EntryOrder order;
  private final LogCursor other;
  private final int[] hashes;
  private final long[] addresses; // 0 for a slot that is free
  private long keys;
  private long replaced;

  private ShardIndex(MemorySegment log, String name, int seed, EntryOrder order, int slots)
      throws IOException {
    this.log = log;
    this.seed = seed;
    this.order = order;
    this.other = new LogCursor(log, name);
    this.hashes = new int[slots];
    this.addresses = new long[slots];
  }

  /** Can the index of a log be made within so many bytes of memory? */
  static boolean fits(long puts, long memory) {
    return puts <= MOST_PUTS && (long) slots(puts) * SLOT_MEMORY <= memory;
  }

  private static int slots(long puts) {
    return (int) (puts * SLOTS_PER_PUT) | 1;
  }

  /**
   * Writes the index of a log that is finished, over what is there; syncs nothing.
   *
   * @param summary what the log has
   * @param order which of entries with one key counts
   */
  static SparkeyPair.Finished make(Path log, ShardLog.Summary summary, EntryOrder order, Path index)
      throws IOException {
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      String name = log.getFileName().toString();
      int seed = summary.fileId(); // as good as any other number
      ShardIndex made = new ShardIndex(bytes, name, seed, order, slots(summary.puts()));
      made.addAll(new LogCursor(bytes, name));
      return new SparkeyPair.Finished(made.keys, Checksums.of(bytes), made.write(summary, index));
    }
  }

  private void addAll(LogCursor entries) throws BrokenInputException {
    byte[] key = new byte[64];
    while (entries.next()) {
      if (entries.keyLength() > key.length) {
        key = new byte[Math.max(entries.keyLength(), 2 * key.length)];
      }
      MemorySegment.copy(log, ValueLayout.JAVA_BYTE, entries.key(), key, 0, entries.keyLength());
      add(KeyHash.of(key, entries.keyLength(), seed), entries);
    }
  }

  private void add(int ownHash, LogCursor entry) throws BrokenInputException {
    int hash = ownHash;
    long address = entry.start();
    boolean own = true; // and not one that had to move on
    int way = 0;
    int slot = wanted(hash);
    while (addresses[slot] != 0) {
      if (own && hashes[slot] == hash && hasKey(addresses[slot], entry)) {
        boolean counts = order.counts(address, addresses[slot]);
        replaced += counts ? other.bytes() : entry.bytes();
        addresses[slot] = counts ? address : addresses[slot];
        return;
      }
      int theirs = way(slot, hashes[slot]);
      if (theirs < way) {
        int movedHash = hashes[slot];
        long movedAddress = addresses[slot];
        hashes[slot] = hash;
        addresses[slot] = address;
        hash = movedHash;
        address = movedAddress;
        way = theirs;
        own = false;
      }
      slot = slot + 1 == hashes.length ? 0 : slot + 1;
      way++;
    }
    hashes[slot] = hash;
    addresses[slot] = address;
    keys++;
  }

  private int wanted(int hash) {
    return Integer.remainderUnsigned(hash, hashes.length);
  }

  /** How far a slot is from the one that the key in it wanted. */
  private int way(int slot, int hash) {
    int way = slot - wanted(hash);
    return way < 0 ? way + hashes.length : way;
  }

  /** Has the entry at an address the key of another one? */
  private boolean hasKey(long address, LogCursor entry) throws BrokenInputException {
    other.seek(address);
    return other.keyLength() == entry.keyLength()
        && MemorySegment.mismatch(
                log,
                other.key(),
                other.key() + other.keyLength(),
                log,
                entry.key(),
                entry.key() + entry.keyLength())
            < 0;
  }

  private ShardManifest.Content write(ShardLog.Summary summary, Path index) throws IOException {
    boolean small = log.byteSize() <= MOST_SMALL_ADDRESS;
    try (FileChannel channel =
        FileChannel.open(
            index,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      CRC32C crc = new CRC32C();
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      putHead(buffer, summary, small);
      long written = 0;
      for (int slot = 0; slot < hashes.length; slot++) {
        if (buffer.remaining() < SLOT_MEMORY) {
          written += drain(buffer, channel, crc);
        }
        buffer.putInt(hashes[slot]);
        if (small) {
          buffer.putInt((int) addresses[slot]);
        } else {
          buffer.putLong(addresses[slot]);
        }
      }
      written += drain(buffer, channel, crc);
      return new ShardManifest.Content(written, (int) crc.getValue());
    }
  }

  private void putHead(ByteBuffer to, ShardLog.Summary summary, boolean small) {
    long longest = 0;
    long sum = 0;
    long neighbours = 0;
    int before = hashes.length - 1;
    for (int slot = 0; slot < hashes.length; slot++) {
      if (addresses[slot] != 0) {
        int way = way(slot, hashes[slot]);
        longest = Math.max(longest, way);
        sum += way;
        neighbours += addresses[before] != 0 && hashes[before] == hashes[slot] ? 1 : 0;
      }
      before = slot;
    }
    to.putInt(MAGIC).putInt(1).putInt(1).putInt(summary.fileId()).putInt(seed);
    to.putLong(log.byteSize()).putLong(summary.longestKey()).putLong(summary.longestValue());
    to.putLong(summary.puts()).putLong(replaced).putLong(keys);
    to.putInt(small ? Integer.BYTES : Long.BYTES).putInt(Integer.BYTES);
    to.putLong(hashes.length).putLong(longest).putInt(0).putLong(neighbours).putLong(sum);
    if (to.position() != HEAD_BYTES) {
      throw new IllegalStateException("a head of " + to.position() + " bytes");
    }
  }

  private static int drain(ByteBuffer buffer, FileChannel channel, CRC32C crc) throws IOException {
    buffer.flip();
    crc.update(buffer.duplicate());
    int count = buffer.remaining();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
    return count;
  }
}
