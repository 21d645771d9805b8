package io.stele.base.dataset;

import io.stele.base.bytes.Bytes;

/** What became of the lookup of one key. */
public sealed interface Lookup {
  /** The version has the key. */
  record Found(Bytes value, Origin origin) implements Lookup {}

  /** The version does not have the key. */
  record Missing(Origin origin) implements Lookup {}

  /**
   * Nobody could say.
   *
   * @param version that was asked for; never another one
   * @param reason for people; names the dataset, the shard and what the nodes said
   */
  record Failed(String version, Failure failure, String reason) implements Lookup {}

  /** Why nobody could say. */
  enum Failure {
    /** No node is known to have the shard, or all that are known have failed. */
    NO_PEER,
    /** Those that were asked did not answer in time. */
    TIMED_OUT,
    /** The shard is here and cannot be read. */
    LOCAL
  }
}
