package io.stele.base.table;

/**
 * How many replicas of a partition must have done something before its caller is told so.
 *
 * @param acks replicas that have a change durably before it is acknowledged
 * @param reads replicas that are asked for what is read
 */
public record Consistency(Acks acks, Reads reads) {
  public static final Consistency DEFAULT = new Consistency(Acks.MAJORITY, Reads.ONE);

  /** Of changes. Whatever the level, a change goes to all replicas. */
  public enum Acks {
    ONE,
    MAJORITY,
    ALL;

    /** How many of so many replicas that is. */
    public int of(int replicas) {
      return switch (this) {
        case ONE -> 1;
        case MAJORITY -> replicas / 2 + 1;
        case ALL -> replicas;
      };
    }
  }

  /** Of reads. What a majority is asked for and differs is repaired where it is out of date. */
  public enum Reads {
    ONE,
    MAJORITY
  }

  public Consistency withAcks(Acks value) {
    return new Consistency(value, reads);
  }

  public Consistency withReads(Reads value) {
    return new Consistency(acks, value);
  }
}
