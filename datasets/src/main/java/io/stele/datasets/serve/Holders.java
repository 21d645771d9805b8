package io.stele.datasets.serve;

import io.stele.datasets.shard.ShardFiles;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Who else has which shards of a version, by the map of partitions: children named {@code
 * 00003@host:port}. What is not so named, or is no shard of the version, is passed over.
 */
final class Holders {
  private final List<List<String>> byShard;

  private Holders(List<List<String>> byShard) {
    this.byShard = byShard;
  }

  static Holders parse(int shards, Collection<String> children, String self) {
    List<List<String>> byShard = new ArrayList<>(shards);
    for (int i = 0; i < shards; i++) {
      byShard.add(List.of());
    }
    for (String child : children) {
      int at = child.indexOf('@');
      int shard = at == 5 ? number(child) : -1;
      String address = child.substring(at + 1);
      if (shard >= 0 && shard < shards && !address.equals(self)) {
        List<String> holders = new ArrayList<>(byShard.get(shard));
        holders.add(address);
        holders.sort(null);
        byShard.set(shard, List.copyOf(holders));
      }
    }
    return new Holders(byShard);
  }

  /** The name under which a node publishes that it has a shard. */
  static String child(int shard, String address) {
    return ShardFiles.name(shard) + "@" + address;
  }

  private static int number(String child) {
    int number = 0;
    for (int i = 0; i < 5; i++) {
      int digit = Character.digit(child.charAt(i), 10);
      if (digit < 0) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  /** The other nodes that have a shard, in order. */
  List<String> of(int shard) {
    return byShard.get(shard);
  }
}
