package io.stele.client.metastore;

import java.util.List;

/**
 * Keys were deleted.
 *
 * @param revision of the change, or of the state if there was nothing to delete
 * @param count how many
 * @param previous what was deleted, if that was asked for
 */
public record DeleteResult(long revision, long count, List<KeyValue> previous) {
  public DeleteResult {
    previous = List.copyOf(previous);
  }
}
