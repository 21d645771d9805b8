package io.stele.datasets.shard;

import io.stele.base.input.BrokenInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Goes through the entries of an unpacked log of {@link ShardLog}'s form: over all that is before
 * the key and behind it. One thread.
 */
final class LogCursor {
  private static final int MOST_LENGTH_BITS = 28; // of a first group on, five groups in all

  private final MemorySegment log;
  private final String name;
  private long position = ShardLog.HEAD_BYTES;
  private long entries;
  private long start;
  private long key;
  private int keyLength;

  /**
   * Stands before the first entry.
   *
   * @param name what the log is called to people
   * @throws BrokenInputException if it is too short to be a log
   */
  LogCursor(MemorySegment log, String name) throws BrokenInputException {
    if (log.byteSize() < ShardLog.HEAD_BYTES) {
      throw new BrokenInputException(name, log.byteSize(), "it ends within its head");
    }
    this.log = log;
    this.name = name;
  }

  /** Goes to the next entry, if there is one. */
  boolean next() throws BrokenInputException {
    if (position >= log.byteSize()) {
      return false;
    }
    start = position;
    long length = length() - 1L;
    long valueLength = length();
    if (length < 0 || length + valueLength > log.byteSize() - position) {
      throw new BrokenInputException(
          name,
          start,
          "entry %d, with a key of %d and a value of %d bytes, is a deletion or does not fit"
              .formatted(entries + 1, length, valueLength));
    }
    key = position;
    keyLength = (int) length;
    position += length + valueLength;
    entries++;
    return true;
  }

  /** Goes to the entry at a place, behind which {@link #next} goes on. */
  void seek(long place) throws BrokenInputException {
    position = place;
    next();
  }

  /** How many entries it has come to. */
  long entries() {
    return entries;
  }

  /** Where the entry begins. */
  long start() {
    return start;
  }

  /** Where its key begins. */
  long key() {
    return key;
  }

  int keyLength() {
    return keyLength;
  }

  /** What the whole entry takes. */
  long bytes() {
    return position - start;
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
