package io.stele.datasets.shard;

/**
 * Which shard a key is in: the polynomial of 31 over the key's <em>unsigned</em> bytes, from 0 and
 * modulo 2^32, without its sign bit, modulo the number of shards.
 *
 * <p>That is {@code String.hashCode} of a key in ASCII. It is <em>not</em> what Hadoop's own
 * partitioner takes for Text and BytesWritable (it starts at 1 and takes bytes as signed), which is
 * why a file's number alone says nothing about what is in it.
 */
public final class ShardHash {
  private ShardHash() {}

  public static int shard(byte[] key, int shards) {
    int hash = START;
    for (byte b : key) {
      hash = add(hash, b);
    }
    return shard(hash, shards);
  }

  // The same in steps, for a key that is not in an array.

  static final int START = 0;

  static int add(int hash, byte next) {
    return 31 * hash + (next & 0xff);
  }

  static int shard(int hash, int shards) {
    return (hash & 0x7fffffff) % shards;
  }
}
