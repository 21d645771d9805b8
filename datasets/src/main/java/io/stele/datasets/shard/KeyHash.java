package io.stele.datasets.shard;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Murmur3 with 32 bits (the x86 variant): by it an index finds a key. */
final class KeyHash {
  private static final VarHandle BLOCK =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt SEGMENT_BLOCK =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int FIRST = 0xcc9e2d51;
  private static final int SECOND = 0x1b873593;

  private KeyHash() {}

  /** Of the first bytes of an array. */
  static int of(byte[] bytes, int length, int seed) {
    int hash = seed;
    int blocks = length & ~3;
    for (int at = 0; at < blocks; at += 4) {
      hash ^= mixed((int) BLOCK.get(bytes, at));
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
    }
    int rest = 0;
    for (int at = length - 1; at >= blocks; at--) {
      rest = rest << 8 | (bytes[at] & 0xff);
    }
    return finished(hash, rest, length);
  }

  /** Of some bytes of a segment. */
  static int of(MemorySegment bytes, long from, int length, int seed) {
    int hash = seed;
    int blocks = length & ~3;
    for (int at = 0; at < blocks; at += 4) {
      hash ^= mixed(bytes.get(SEGMENT_BLOCK, from + at));
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
    }
    int rest = 0;
    for (int at = length - 1; at >= blocks; at--) {
      rest = rest << 8 | (bytes.get(ValueLayout.JAVA_BYTE, from + at) & 0xff);
    }
    return finished(hash, rest, length);
  }

  private static int finished(int mixed, int rest, int length) {
    int hash = mixed ^ mixed(rest) ^ length; // nothing left is mixed into 0
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return hash ^ hash >>> 16;
  }

  private static int mixed(int block) {
    return Integer.rotateLeft(block * FIRST, 15) * SECOND;
  }
}
