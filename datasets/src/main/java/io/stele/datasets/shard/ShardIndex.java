package io.stele.datasets.shard;

import io.stele.base.input.BrokenInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
 *
 * <p>The table is larger than a processor's caches and each entry lands anywhere in it, so making
 * it is mostly waiting for memory. A slot is in one place, as it will be in the file, and entries
 * are taken some at a time: their slots are all fetched before the first is filled.
 */
final class ShardIndex {
  private static final int MOST_SLOT_INTS = 3;

  /** What making it takes, for each slot, at most. */
  private static final int SLOT_MEMORY = MOST_SLOT_INTS * Integer.BYTES;

  private static final int AT_A_TIME = 16;

  static final int MAGIC = 0x9a11318f;
  static final int HEAD_BYTES = 112;

  // Where in the head readers find what they need.
  static final int SEED_AT = 16;
  static final int ADDRESS_BYTES_AT = 68;
  static final int HASH_BYTES_AT = 72;
  static final int SLOTS_AT = 76;
  static final int BLOCK_BITS_AT = 92;

  private static final double SLOTS_PER_PUT = 1.3;
  private static final long MOST_PUTS =
      (long) (Integer.MAX_VALUE / (MOST_SLOT_INTS * SLOTS_PER_PUT)) - 8;
  private static final long MOST_SMALL_ADDRESS = 1 << 30; // addresses up to here have 32 bits
  private static final int BUFFER_BYTES = 64 << 10;

  private final MemorySegment log;
  private final int seed;
  private final EntryOrder order;
  private final LogCursor one;
  private final LogCursor other;
  private final int slots;
  private final long inverse; // of the number of slots
  private final int width; // of a slot: its hash, and its address in one or two, the lower first
  private final int[] table; // an address of 0 for a slot that is free
  private long keys;
  private long replaced;

  private ShardIndex(
      MemorySegment log, String name, int seed, EntryOrder order, int slots, boolean small)
      throws IOException {
    this.log = log;
    this.seed = seed;
    this.order = order;
    this.one = new LogCursor(log, name);
    this.other = new LogCursor(log, name);
    this.slots = slots;
    this.inverse = Long.divideUnsigned(-1, slots) + 1;
    this.width = small ? 2 : MOST_SLOT_INTS;
    this.table = new int[slots * width];
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
    return make(log, summary, order, index, MOST_SMALL_ADDRESS);
  }

  /**
   * As above.
   *
   * @param mostSmall the longest log whose addresses have 32 bits
   */
  static SparkeyPair.Finished make(
      Path log, ShardLog.Summary summary, EntryOrder order, Path index, long mostSmall)
      throws IOException {
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      String name = log.getFileName().toString();
      int seed = summary.fileId(); // as good as any other number
      boolean small = bytes.byteSize() <= mostSmall;
      ShardIndex made = new ShardIndex(bytes, name, seed, order, slots(summary.puts()), small);
      var _ = made.addAll(new LogCursor(bytes, name));
      return new SparkeyPair.Finished(made.keys, Checksums.of(bytes), made.write(summary, index));
    }
  }

  /** Returns a number without meaning, so that fetching slots is not optimized away. */
  private int addAll(LogCursor entries) throws BrokenInputException {
    int[] hashes = new int[AT_A_TIME];
    long[] addresses = new long[AT_A_TIME];
    int touched = 0;
    for (int count = AT_A_TIME; count == AT_A_TIME; ) {
      count = 0;
      while (count < AT_A_TIME && entries.next()) {
        hashes[count] = KeyHash.of(log, entries.key(), entries.keyLength(), seed);
        addresses[count] = entries.start();
        count++;
      }
      for (int i = 0; i < count; i++) {
        touched += table[wanted(hashes[i]) * width];
      }
      for (int i = 0; i < count; i++) {
        add(hashes[i], addresses[i]);
      }
    }
    return touched;
  }

  private void add(int ownHash, long ownAddress) throws BrokenInputException {
    int hash = ownHash;
    long address = ownAddress;
    boolean own = true; // and not one that had to move on
    int way = 0;
    int slot = wanted(hash);
    while (true) {
      long found = address(slot);
      if (found == 0) {
        break;
      }
      int foundHash = table[slot * width];
      if (own && foundHash == hash && haveOneKey(address, found)) {
        boolean counts = order.counts(address, found);
        replaced += counts ? other.bytes() : one.bytes();
        set(slot, hash, counts ? address : found);
        return;
      }
      int theirs = way(slot, foundHash);
      if (theirs < way) {
        set(slot, hash, address);
        hash = foundHash;
        address = found;
        way = theirs;
        own = false;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
      way++;
    }
    set(slot, hash, address);
    keys++;
  }

  private long address(int slot) {
    int at = slot * width;
    long low = table[at + 1] & 0xffff_ffffL;
    return width == 2 ? low : low | (long) table[at + 2] << Integer.SIZE;
  }

  private void set(int slot, int hash, long address) {
    int at = slot * width;
    table[at] = hash;
    table[at + 1] = (int) address;
    if (width > 2) {
      table[at + 2] = (int) (address >>> Integer.SIZE);
    }
  }

  /**
   * A hash modulo the number of slots, by two multiplications, which take a third of a division.
   */
  private int wanted(int hash) {
    return (int) Math.unsignedMultiplyHigh(inverse * (hash & 0xffff_ffffL), slots);
  }

  /** How far a slot is from the one that the key in it wanted. */
  private int way(int slot, int hash) {
    int way = slot - wanted(hash);
    return way < 0 ? way + slots : way;
  }

  /** Have the entries at two addresses one key? The cursors are then at these. */
  private boolean haveOneKey(long address, long found) throws BrokenInputException {
    one.seek(address);
    other.seek(found);
    return other.keyLength() == one.keyLength()
        && MemorySegment.mismatch(
                log,
                other.key(),
                other.key() + other.keyLength(),
                log,
                one.key(),
                one.key() + one.keyLength())
            < 0;
  }

  private ShardManifest.Content write(ShardLog.Summary summary, Path index) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            index,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      CRC32C crc = new CRC32C();
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      putHead(buffer, summary);
      long written = 0;
      for (int at = 0; at < table.length; ) {
        if (buffer.remaining() < Integer.BYTES) {
          written += drain(buffer, channel, crc);
        }
        int count = Math.min(table.length - at, buffer.remaining() / Integer.BYTES);
        buffer.asIntBuffer().put(table, at, count);
        buffer.position(buffer.position() + count * Integer.BYTES);
        at += count;
      }
      written += drain(buffer, channel, crc);
      return new ShardManifest.Content(written, (int) crc.getValue());
    }
  }

  private void putHead(ByteBuffer to, ShardLog.Summary summary) {
    long longest = 0;
    long sum = 0;
    long neighbours = 0;
    int before = slots - 1;
    for (int slot = 0; slot < slots; slot++) {
      if (address(slot) != 0) {
        int hash = table[slot * width];
        int way = way(slot, hash);
        longest = Math.max(longest, way);
        sum += way;
        neighbours += address(before) != 0 && table[before * width] == hash ? 1 : 0;
      }
      before = slot;
    }
    to.putInt(MAGIC).putInt(1).putInt(1).putInt(summary.fileId()).putInt(seed);
    to.putLong(log.byteSize()).putLong(summary.longestKey()).putLong(summary.longestValue());
    to.putLong(summary.puts()).putLong(replaced).putLong(keys);
    to.putInt((width - 1) * Integer.BYTES).putInt(Integer.BYTES);
    to.putLong(slots).putLong(longest).putInt(0).putLong(neighbours).putLong(sum);
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
