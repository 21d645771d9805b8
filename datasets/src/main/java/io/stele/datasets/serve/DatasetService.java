package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import java.util.List;

/** A node as gateways see it: what clients ask, and what peers ask. */
public interface DatasetService extends Datasets {
  /** The address that it publishes, at which peers reach it. */
  String address();

  /**
   * As {@link #get}, begun by a thread that must wait neither for the disk nor for other nodes. A
   * large value is still to be read.
   */
  Glance<OpenedLookup> glance(String dataset, Bytes key);

  /** As {@link #answerPeer}, of one key, in the same way. */
  Glance<PeerAnswer> glanceForPeer(String dataset, String version, int shards, Bytes key);

  /**
   * Answers a peer from what is here, and asks nobody. The version may be one that clients here do
   * not see yet, or no longer. May wait for the disk.
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
