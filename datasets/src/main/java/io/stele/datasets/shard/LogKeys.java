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

/** Checks the keys of an unpacked log of {@link ShardLog}'s form. */
final class LogKeys {
  private final MemorySegment log;
  private final String name;

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
      MemorySegment log = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new LogKeys(log, name).check(shard, shards);
    }
  }

  private long check(int shard, int shards) throws BrokenInputException {
    LogCursor entries = new LogCursor(log, name);
    while (entries.next()) {
      int hash = ShardHash.START;
      long end = entries.key() + entries.keyLength();
      for (long at = entries.key(); at < end; at++) {
        hash = ShardHash.add(hash, log.get(ValueLayout.JAVA_BYTE, at));
      }
      if (ShardHash.shard(hash, shards) != shard) {
        throw misplaced(entries, shard, shards);
      }
    }
    return entries.entries();
  }

  private BrokenInputException misplaced(LogCursor entry, int shard, int shards) {
    byte[] bytes = log.asSlice(entry.key(), entry.keyLength()).toArray(ValueLayout.JAVA_BYTE);
    return new BrokenInputException(
        name,
        entry.start(),
        "key \"%s\" belongs to shard %d, and the file is declared to hold shard %d alone"
            .formatted(Bytes.of(bytes), ShardHash.shard(bytes, shards), shard));
  }
}
