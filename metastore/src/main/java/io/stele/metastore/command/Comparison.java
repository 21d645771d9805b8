package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;

/** A condition of a transaction, on the state before its first step. */
public sealed interface Comparison {
  /** How what is found must relate to what is given. */
  enum Relation {
    EQUAL,
    NOT_EQUAL,
    LESS,
    GREATER
  }

  /** A number of a key. */
  enum Field {
    CREATED,
    MODIFIED,
    VERSION,
    SESSION,
    LEASE
  }

  /** Every key of the range; a single key that is absent counts as one whose numbers are all 0. */
  record Property(KeyRange range, Field field, Relation relation, long operand)
      implements Comparison {}

  /** Every key of the range; false for a single key that is absent. */
  record Value(KeyRange range, Relation relation, Bytes operand) implements Comparison {}

  /** There is at least one key in the range. */
  record Present(KeyRange range) implements Comparison {}

  /** The lock is held under this fencing token. */
  record LockHeld(Bytes key, long token) implements Comparison {}
}
