package io.stele.base.dataset;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A version of a dataset.
 *
 * @param path where it comes from
 * @param shards how many it has; 0 while that is not known
 * @param replication how many nodes are to have each shard
 * @param histogram how many shards have so many holders, by the number of holders
 * @param nodes what each node has of it
 */
public record VersionStatus(
    String version,
    String path,
    int shards,
    int replication,
    Map<Integer, Integer> histogram,
    List<NodeVersion> nodes) {
  public VersionStatus {
    histogram = Map.copyOf(new TreeMap<>(histogram));
    nodes = List.copyOf(nodes);
  }

  /** Shards that nobody has. */
  public int missing() {
    return histogram.getOrDefault(0, 0);
  }

  /** Shards that fewer nodes have than should, those that nobody has included. */
  public int underReplicated() {
    return count(0, replication);
  }

  /** Shards that more nodes have than need to. */
  public int overReplicated() {
    return count(replication + 1, Integer.MAX_VALUE);
  }

  /** Holders per shard on average. */
  public double averageReplication() {
    long holders = 0;
    for (Map.Entry<Integer, Integer> entry : histogram.entrySet()) {
      holders += (long) entry.getKey() * entry.getValue();
    }
    return shards == 0 ? 0 : (double) holders / shards;
  }

  private int count(int from, int below) {
    int sum = 0;
    for (Map.Entry<Integer, Integer> entry : histogram.entrySet()) {
      sum += entry.getKey() >= from && entry.getKey() < below ? entry.getValue() : 0;
    }
    return sum;
  }
}
