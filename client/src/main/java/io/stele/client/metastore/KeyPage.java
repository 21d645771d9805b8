package io.stele.client.metastore;

import java.util.List;

/**
 * A part of what a range holds.
 *
 * @param revision of the newest change when it was read
 * @param more whether there are more keys behind the last one
 */
public record KeyPage(long revision, List<KeyValue> keys, boolean more) {
  public KeyPage {
    keys = List.copyOf(keys);
  }
}
