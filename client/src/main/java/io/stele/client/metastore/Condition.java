package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;

/** A condition of a transaction, on the state before its first step. */
public sealed interface Condition {
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
    SESSION
  }

  /** On every key of these; a single key that is absent counts as one whose numbers are all 0. */
  record OnNumber(Keys keys, Field field, Relation relation, long operand) implements Condition {}

  /** On every key of these; false for a single key that is absent. */
  record OnValue(Keys keys, Relation relation, Bytes operand) implements Condition {}

  /** The lock is held under this fencing token. */
  record LockHeld(String key, long token) implements Condition {}

  /** The key does not exist. */
  static Condition absent(String key) {
    return new OnNumber(Keys.of(key), Field.VERSION, Relation.EQUAL, 0);
  }

  static Condition exists(String key) {
    return new OnNumber(Keys.of(key), Field.VERSION, Relation.GREATER, 0);
  }

  /** The key is as it was when it was read. */
  static Condition unchanged(KeyValue seen) {
    return new OnNumber(Keys.of(seen.key()), Field.MODIFIED, Relation.EQUAL, seen.modified());
  }

  static Condition held(HeldLock lock) {
    return new LockHeld(lock.key(), lock.token());
  }
}
