package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;

/** What a node answers to a peer that asks for a key in one version. */
public sealed interface PeerAnswer {
  /** The version has the key. */
  record Found(Bytes value) implements PeerAnswer {}

  /** The version has the key, and a value that is read in pieces. Only where one key was asked. */
  record Large(LargeValue value) implements PeerAnswer {}

  /**
   * The version has the key, and a value that is not sent along with others: the key must be asked
   * for alone. Only to {@link DatasetPeer#getSmall}.
   */
  record TooLarge() implements PeerAnswer {}

  /** The node has the key's shard, and the key is not in it. */
  record Missing() implements PeerAnswer {}

  /** The node does not have that dataset, version or shard (501). */
  record NotHere(String reason) implements PeerAnswer {}
}
