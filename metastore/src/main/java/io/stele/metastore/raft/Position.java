package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;

/** A place in the replicated log. {@link #START} is before the first entry. */
public record Position(long term, long index) implements Comparable<Position> {
  public static final Position START = new Position(0, 0);

  public Position {
    if (term < 0 || index < 0) {
      throw new InvalidRequestException(
          "position " + term + ":" + index + " in the log: neither may be negative");
    }
  }

  /** In the order of the log; equal indexes of different terms are different entries. */
  @Override
  public int compareTo(Position other) {
    int byIndex = Long.compare(index, other.index);
    return byIndex != 0 ? byIndex : Long.compare(term, other.term);
  }

  @Override
  public String toString() {
    return term + ":" + index;
  }
}
