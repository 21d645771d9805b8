package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The way to other nodes. Calls return at once; a future that is cancelled ends its request as far
 * as that is possible. What a peer or the way to it fails with completes the future exceptionally,
 * and so does an answer that is not from the version that was asked for.
 */
public interface DatasetPeer {
  /**
   * Looks keys up in what a node itself has; it asks nobody else.
   *
   * @param address as published in the partition map
   * @param shards of the version, as the caller counts them: a node that counts others must not
   *     answer, since it has the key in another shard
   * @return an answer for each key, in their order; the caller must close one that is {@link
   *     PeerAnswer.Large}
   */
  CompletableFuture<List<PeerAnswer>> get(
      String address, String dataset, String version, int shards, List<Bytes> keys);

  /**
   * As {@link #get}, of keys that different callers ask for: a value of more than {@value
   * LargeValue#THRESHOLD} bytes may be answered by {@link PeerAnswer.TooLarge}, so that nobody
   * waits until it has arrived or holds several of them in memory.
   */
  default CompletableFuture<List<PeerAnswer>> getSmall(
      String address, String dataset, String version, int shards, List<Bytes> keys) {
    return get(address, dataset, version, shards, keys);
  }

  /** All datasets, as that node alone sees them. */
  CompletableFuture<List<DatasetStatus>> status(String address);
}
