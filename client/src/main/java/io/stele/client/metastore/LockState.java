package io.stele.client.metastore;

import java.util.List;

/**
 * A lock as it is.
 *
 * @param exclusive how it is held
 * @param waiting the sessions in line, the next one first
 * @param delayed whether it stays closed for a while after its holder's session expired
 */
public record LockState(
    boolean exclusive, List<Holder> holders, List<Long> waiting, boolean delayed) {
  public LockState {
    holders = List.copyOf(holders);
    waiting = List.copyOf(waiting);
  }

  /** Who holds it, under which fencing token, and how many times over. */
  public record Holder(long session, long token, int count) {}
}
