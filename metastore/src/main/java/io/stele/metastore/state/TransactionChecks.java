package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.state.AccessRules.Right;
import java.util.List;
import java.util.Optional;

/** What must hold before a transaction is looked at any further; all of it changes nothing. */
final class TransactionChecks {
  private final StateTables tables;
  private final String principal;
  private final Transaction transaction;

  TransactionChecks(StateTables tables, String principal, Transaction transaction) {
    this.tables = tables;
    this.principal = principal;
    this.transaction = transaction;
  }

  /**
   * Why the transaction is refused, if it is.
   *
   * @param term of the log entry that it is in
   */
  Optional<Refused> refusal(long term) {
    Optional<Refused> found = size();
    found = found.or(() -> operations(transaction.then()));
    found = found.or(() -> operations(transaction.otherwise()));
    found = found.or(this::comparisons);
    return found.or(() -> reads(term));
  }

  /** True if it has a step that could change something. */
  boolean mayChange() {
    return anyChange(transaction.then()) || anyChange(transaction.otherwise());
  }

  private static boolean anyChange(List<Operation> operations) {
    for (Operation operation : operations) {
      if (!(operation instanceof Operation.Get)) {
        return true;
      }
    }
    return false;
  }

  private Optional<Refused> size() {
    int count =
        transaction.comparisons().size()
            + transaction.then().size()
            + transaction.otherwise().size();
    if (count > tables.limits.operations()) {
      return invalid(
          "transaction of " + count + " operations: at most " + tables.limits.operations());
    }
    long bytes = 0;
    for (Comparison comparison : transaction.comparisons()) {
      bytes +=
          switch (comparison) {
            case Comparison.Property c -> size(c.range());
            case Comparison.Value c -> size(c.range()) + c.operand().length();
            case Comparison.LockHeld c -> c.key().length();
          };
    }
    bytes += size(transaction.then()) + size(transaction.otherwise());
    return bytes > tables.limits.transactionBytes()
        ? invalid(
            "transaction of "
                + bytes
                + " bytes in keys and values: at most "
                + tables.limits.transactionBytes())
        : Optional.empty();
  }

  private static long size(List<Operation> operations) {
    long bytes = 0;
    for (Operation operation : operations) {
      bytes +=
          switch (operation) {
            case Operation.Put o -> o.key().length() + o.value().length();
            case Operation.Delete o -> size(o.range());
            case Operation.Get o -> size(o.range());
          };
    }
    return bytes;
  }

  private static int size(KeyRange range) {
    Bytes to = range.to();
    return range.from().length() + (to == null ? 0 : to.length());
  }

  private Optional<Refused> operations(List<Operation> operations) {
    for (Operation operation : operations) {
      Optional<Refused> found =
          switch (operation) {
            case Operation.Put o -> put(o);
            case Operation.Delete o -> denied(o.range(), Right.WRITE);
            case Operation.Get o -> get(o);
          };
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Refused> put(Operation.Put put) {
    Optional<String> problem = PathKey.problem(put.key());
    if (problem.isPresent()) {
      return invalid(problem.get());
    }
    if (put.key().length() > tables.limits.keyBytes()) {
      return invalid(
          "key of " + put.key().length() + " bytes: at most " + tables.limits.keyBytes());
    }
    if (put.value().length() > tables.limits.valueBytes()) {
      return invalid(
          "value of "
              + put.value().length()
              + " bytes for "
              + put.key()
              + ": at most "
              + tables.limits.valueBytes());
    }
    if (put.session() != 0 && !tables.sessions.lives(put.session())) {
      return Optional.of(
          new Refused(
              Kind.SESSION_GONE,
              "session " + put.session() + " that key " + put.key() + " is to end with is gone"));
    }
    return tables
        .rules()
        .denial(principal, put.key(), Right.WRITE)
        .map(message -> new Refused(Kind.DENIED, message));
  }

  private Optional<Refused> get(Operation.Get get) {
    return get.limit() < 0
        ? invalid("limit of " + get.limit() + " keys: must be 0 or more")
        : denied(get.range(), Right.READ);
  }

  private Optional<Refused> comparisons() {
    for (Comparison comparison : transaction.comparisons()) {
      KeyRange range =
          switch (comparison) {
            case Comparison.Property c -> c.range();
            case Comparison.Value c -> c.range();
            case Comparison.LockHeld c -> KeyRange.of(c.key());
          };
      Optional<Refused> found = denied(range, Right.READ);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Refused> denied(KeyRange range, Right right) {
    return tables
        .rules()
        .denial(principal, range, right)
        .map(message -> new Refused(Kind.DENIED, message));
  }

  /** Do the reads of an interactive transaction still hold? */
  private Optional<Refused> reads(long term) {
    if (transaction.reads().isEmpty()) {
      return Optional.empty();
    }
    ReadSet reads = transaction.reads().get();
    if (reads.term() != term) {
      return aborted("it began in term " + reads.term() + " and ended with it; this is " + term);
    }
    if (reads.revision() > tables.revision()) {
      return invalid(
          "transaction that read at revision "
              + reads.revision()
              + ": the newest is "
              + tables.revision());
    }
    if (reads.revision() < tables.compacted()) {
      return aborted(
          "it read at revision "
              + reads.revision()
              + ", which is too old: the oldest is "
              + tables.compacted());
    }
    for (KeyRange range : reads.ranges()) {
      if (tables.changedAfter(range, reads.revision())) {
        return aborted(
            "range from "
                + range.from()
                + (range.to() == null ? " on" : " to " + range.to())
                + " was changed after it was read at revision "
                + reads.revision());
      }
    }
    return Optional.empty();
  }

  private static Optional<Refused> aborted(String why) {
    return Optional.of(new Refused(Kind.ABORTED, "transaction aborted: " + why));
  }

  private static Optional<Refused> invalid(String message) {
    return Optional.of(new Refused(Kind.INVALID, message));
  }
}
