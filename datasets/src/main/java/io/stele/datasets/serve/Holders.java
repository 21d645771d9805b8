package io.stele.datasets.serve;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Who else has which shards of a version, by the map of partitions ({@link ShardBlock}). */
final class Holders {
  private final List<List<String>> byShard;

  private Holders(List<List<String>> byShard) {
    this.byShard = byShard;
  }

  static Holders none(int shards) {
    return parse(shards, Map.of(), "");
  }

  /**
   * Reads the entries of a version. What does not look like one, or is of no shard of the version,
   * is passed over.
   */
  static Holders parse(int shards, Map<String, String> entries, String self) {
    List<List<String>> byShard =
        new ArrayList<>(Stream.generate(ArrayList<String>::new).limit(shards).toList());
    entries.forEach(
        (name, value) -> {
          String address = ShardBlock.address(name);
          if (!address.equals(self)) {
            BitSet held = ShardBlock.parse(name, value);
            held.stream()
                .takeWhile(shard -> shard < shards)
                .forEach(shard -> byShard.get(shard).add(address));
          }
        });
    byShard.replaceAll(holders -> holders.stream().distinct().sorted().toList());
    return new Holders(byShard);
  }

  /** The other nodes that have a shard, in order. */
  List<String> of(int shard) {
    return byShard.get(shard);
  }
}
