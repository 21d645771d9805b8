package io.stele.metastore.state;

import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.command.Selection;
import java.util.Optional;

/**
 * What must hold of the steps that a transaction is going to take, before the first of them is
 * taken: none of it may turn out half-way, when others have been done.
 */
final class TransactionPath {
  private final StateTables tables;

  TransactionPath(StateTables tables) {
    this.tables = tables;
  }

  void check(Operation.Assign assign) {
    if (assign.keepValue() || assign.keepLease()) {
      Optional<KeyValue> found = tables.current(assign.key());
      if (found.isEmpty()) {
        throw absent();
      }
    }
    if (assign.lease() != 0 && !tables.leases.lives(assign.lease())) {
      throw new RefusedException(
          Kind.LEASE_ABSENT,
          "lease " + assign.lease() + " that a key is to end with has ended, or never was");
    }
  }

  static RefusedException absent() {
    return new RefusedException(
        Kind.KEY_ABSENT, "key whose value or lease is to be kept does not exist");
  }

  void check(Selection selection) {
    long revision = selection.revision();
    if (revision > tables.revision()) {
      throw new RefusedException(
          Kind.FUTURE_REVISION,
          "revision " + revision + " is a future revision: the newest is " + tables.revision());
    }
    if (revision != 0 && revision < tables.compacted()) {
      throw new RefusedException(
          Kind.COMPACTED,
          "revision " + revision + " has been compacted: the oldest is " + tables.compacted());
    }
  }
}
