package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;

/** A step of a transaction. A step sees what the steps before it did. */
public sealed interface Operation {
  /**
   * Sets a key.
   *
   * @param session whose end is to delete the key; 0 for none
   * @param previous whether to answer what was there before
   */
  record Put(Bytes key, Bytes value, long session, boolean previous) implements Operation {}

  /** Deleting what is not there is no error, and no change. */
  record Delete(KeyRange range, boolean previous) implements Operation {}

  /**
   * Reads keys.
   *
   * @param limit the most keys to answer; 0 for the server's own limit
   */
  record Get(KeyRange range, int limit) implements Operation {}
}
