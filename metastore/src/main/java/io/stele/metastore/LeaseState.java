package io.stele.metastore;

import io.stele.base.bytes.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * A lease as it is.
 *
 * @param remaining until it ends, if nobody renews it
 * @param keys that end with it, in their order
 */
public record LeaseState(Duration remaining, Duration timeToLive, List<Bytes> keys) {
  public LeaseState {
    keys = List.copyOf(keys);
  }
}
