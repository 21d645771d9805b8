package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.TabletLocation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tells on which servers tablets are. What it told is remembered until it proves wrong, so it
 * should look afresh each time that it is asked.
 */
@FunctionalInterface
public interface TabletSource {
  /**
   * The tablet that holds a row, and some behind it as far as they are at hand, in order and
   * without holes. Must not block. Fails with {@code NotFound} if there is no such table.
   */
  CompletableFuture<List<TabletLocation>> find(String table, Bytes row);
}
