package io.stele.metastore;

import io.stele.metastore.command.KeyValue;
import java.util.List;

/**
 * What a range holds.
 *
 * @param revision of the newest change when it was read, whatever revision was asked for
 * @param more whether a limit left keys out: go on from the last one's successor
 * @param count of the keys answered; of all in the range if only that was asked for
 */
public record RangeAnswer(long revision, List<KeyValue> keys, boolean more, long count) {
  public RangeAnswer {
    keys = List.copyOf(keys);
  }
}
