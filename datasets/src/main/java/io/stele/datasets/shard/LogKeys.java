package io.stele.datasets.shard;

import io.stele.base.bytes.Bytes;
import io.stele.base.input.BrokenInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Goes through the keys of an unpacked log of {@link ShardLog}'s form, and over its values. One
 * thread.
 */
final class LogKeys {
  private static final int MOST_LENGTH_BITS = 28; // of a first group on, five groups in all

  private final MemorySegment log;
  private final String name;
  private long position = ShardLog.HEAD_BYTES;

  private LogKeys(MemorySegment log, String name) {
    this.log = log;
    this.name = name;
  }

  /**
   * Checks that all keys belong to a shard.
   *
   * @param name what the log is called to people
   * @return how many there are
   */
  static long check(Path file, String name, int shard, int shards) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      if (channel.size() < ShardLog.HEAD_BYTES) {
        throw new BrokenInputException(name, channel.size(), "it ends within its head");
      }
      MemorySegment log = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new LogKeys(log, name).check(shard, shards);
    }
  }

  private long check(int shard, int shards) throws BrokenInputException {
    long records = 0;
    while (position < log.byteSize()) {
      long start = position;
      long keyLength = length() - 1L;
      long valueLength = length();
      if (keyLength < 0 || keyLength + valueLength > log.byteSize() - position) {
        throw new BrokenInputException(
            name,
            start,
            "entry %d, with a key of %d and a value of %d bytes, is a deletion or does not fit"
                .formatted(records + 1, keyLength, valueLength));
      }
      int hash = ShardHash.START;
      for (long end = position + keyLength; position < end; position++) {
        hash = ShardHash.add(hash, log.get(ValueLayout.JAVA_BYTE, position));
      }
      if (ShardHash.shard(hash, shards) != shard) {
        throw misplaced(start, position - keyLength, keyLength, shard, shards);
      }
      position += valueLength;
      records++;
    }
    return records;
  }

  private BrokenInputException misplaced(long start, long key, long length, int shard, int shards) {
    byte[] bytes = log.asSlice(key, length).toArray(ValueLayout.JAVA_BYTE);
    return new BrokenInputException(
        name,
        start,
        "key \"%s\" belongs to shard %d, and the file is declared to hold shard %d alone"
            .formatted(Bytes.of(bytes), ShardHash.shard(bytes, shards), shard));
  }

  /** A length in groups of seven bits, the lowest first. */
  private int length() throws BrokenInputException {
    int value = 0;
    for (int shift = 0; shift <= MOST_LENGTH_BITS && position < log.byteSize(); shift += 7) {
      byte group = log.get(ValueLayout.JAVA_BYTE, position++);
      value |= (group & 0x7f) << shift;
      if (group >= 0) {
        return value;
      }
    }
    throw new BrokenInputException(name, position, "a length without end");
  }
}
