package io.stele.datasets.serve;

import io.stele.datasets.shard.ShardFiles;
import java.util.Base64;
import java.util.BitSet;

/**
 * Some neighbouring shards of a version, of which a node publishes in one entry which it has: a
 * session holds a bounded number of keys, and a node may hold any number of shards.
 *
 * <pre>
 *   name                value
 *   b01024@HOST:PORT    base64 of a set of bits, lowest first: bit i stands for shard 1024 + i
 *   01025@HOST:PORT     nothing; one shard, as earlier versions of Stele publish it
 * </pre>
 */
final class ShardBlock {
  static final int SHARDS = 1_024;

  private static final char MARK = 'b';

  private final int first;
  private final BitSet held = new BitSet(SHARDS); // from first on

  private ShardBlock(int first) {
    this.first = first;
  }

  /** An empty block that has room for a shard. */
  static ShardBlock of(int shard) {
    return new ShardBlock(shard - shard % SHARDS);
  }

  void set(int shard, boolean here) {
    held.set(shard - first, here);
  }

  String name(String address) {
    return MARK + ShardFiles.name(first) + "@" + address;
  }

  String value() {
    return Base64.getEncoder().withoutPadding().encodeToString(held.toByteArray());
  }

  /** The address in the name of an entry; empty if there is none. */
  static String address(String name) {
    int at = name.indexOf('@');
    return at < 0 ? "" : name.substring(at + 1);
  }

  /** The shards that an entry speaks of; none if it cannot be read. */
  static BitSet parse(String name, String value) {
    BitSet shards = new BitSet();
    int at = name.indexOf('@');
    boolean block = name.charAt(0) == MARK;
    int first = at < 0 ? -1 : number(name.substring(block ? 1 : 0, at));
    if (first >= 0 && !block) {
      shards.set(first);
    } else if (first >= 0 && first % SHARDS == 0) {
      bits(value).stream().limit(SHARDS).forEach(bit -> shards.set(first + bit));
    }
    return shards;
  }

  private static BitSet bits(String value) {
    try {
      return BitSet.valueOf(Base64.getDecoder().decode(value));
    } catch (IllegalArgumentException e) {
      return new BitSet();
    }
  }

  private static int number(String digits) {
    return digits.matches("[0-9]{5,8}") ? Integer.parseInt(digits) : -1;
  }
}
