package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;

/**
 * A key as it was at some revision.
 *
 * @param created the revision since which it has existed without a break
 * @param modified the revision that gave it this value
 * @param version how often it was put since it was created, from 1
 * @param session whose end deletes it; 0 for none
 */
public record KeyValue(
    String key, Bytes value, long created, long modified, long version, long session) {
  /** The value as text. */
  public String text() {
    return value.toUtf8();
  }
}
