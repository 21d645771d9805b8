package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.Lookup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node as gateways see it: what clients ask, and what peers ask. */
public interface DatasetService extends Datasets {
  /** The address that it publishes, at which peers reach it. */
  String address();

  /**
   * Looks a key up if that takes no other node: for threads that must not wait.
   *
   * @return null if its shard is not here, and {@link #get} would ask others
   */
  default @Nullable Lookup getHere(String dataset, Bytes key) {
    return null;
  }

  /**
   * Answers a peer from what is here, and asks nobody. The version may be one that clients here do
   * not see yet, or no longer.
   *
   * @param shards of the version, as the peer counts them; 0 if it does not say
   * @return an answer for each key, in their order; never from another version, or one of which
   *     this node counts other shards
   */
  List<PeerAnswer> answerPeer(String dataset, String version, int shards, List<Bytes> keys);

  /** All datasets, as this node alone sees them: each version has this node only. */
  List<DatasetStatus> ownStatus();

  /** Whether the source has been looked at: before, datasets may be missing. */
  default boolean looked() {
    return true;
  }

  /** Whether some dataset has a version that is served here. */
  boolean healthy();
}
