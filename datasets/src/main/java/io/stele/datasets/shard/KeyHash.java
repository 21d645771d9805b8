package io.stele.datasets.shard;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Murmur3 with 32 bits (the x86 variant): by it an index finds a key. */
final class KeyHash {
  private static final ValueLayout.OfInt BLOCK =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int FIRST = 0xcc9e2d51;
  private static final int SECOND = 0x1b873593;

  private KeyHash() {}

  static int of(MemorySegment bytes, long start, int length, int seed) {
    int hash = seed;
    long blocks = start + (length & ~3);
    for (long at = start; at < blocks; at += 4) {
      hash ^= mixed(bytes.get(BLOCK, at));
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
    }
    int rest = 0;
    for (int i = (length & 3) - 1; i >= 0; i--) {
      rest = rest << 8 | (bytes.get(ValueLayout.JAVA_BYTE, blocks + i) & 0xff);
    }
    hash ^= mixed(rest) ^ length; // nothing left is mixed into 0
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return hash ^ hash >>> 16;
  }

  private static int mixed(int block) {
    return Integer.rotateLeft(block * FIRST, 15) * SECOND;
  }
}
