package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;

/**
 * A key as it was at some revision.
 *
 * @param created the revision since which it has existed without a break
 * @param modified the revision that gave it this value
 * @param version how often it was put since it was created, from 1
 * @param session whose end deletes it; 0 for none
 * @param lease whose end deletes it; 0 for none. A key has a session, or a lease, or neither
 */
public record KeyValue(
    Bytes key, Bytes value, long created, long modified, long version, long session, long lease) {
  /** Without a lease. */
  public KeyValue(Bytes key, Bytes value, long created, long modified, long version, long session) {
    this(key, value, created, modified, version, session, 0);
  }

  public KeyValue withoutValue() {
    return new KeyValue(key, Bytes.EMPTY, created, modified, version, session, lease);
  }
}
