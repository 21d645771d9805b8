package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.Alarms;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.state.AccessRules.Right;
import java.util.List;
import java.util.Optional;

/** What must hold before a transaction is looked at any further; all of it changes nothing. */
final class TransactionChecks {
  /** Of opaque keys: their bytes are the bound that counts. */
  private static final int OPAQUE_OPERATIONS = 100_000;

  private static final int OPAQUE_BYTES = 2 << 20;

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
    found = found.or(this::space);
    found = found.or(() -> operations(transaction.then()));
    found = found.or(() -> operations(transaction.otherwise()));
    found = found.or(() -> comparisons(transaction.comparisons()));
    return found.or(() -> reads(term));
  }

  /** True if it has a step that could change something. */
  boolean mayChange() {
    return anyChange(transaction.then()) || anyChange(transaction.otherwise());
  }

  private static boolean anyChange(List<Operation> operations) {
    for (Operation operation : operations) {
      boolean change =
          switch (operation) {
            case Operation.Put _, Operation.Delete _, Operation.Assign _ -> true;
            case Operation.Get _, Operation.Select _ -> false;
            case Operation.Branch o -> anyChange(o.then()) || anyChange(o.otherwise());
          };
      if (change) {
        return true;
      }
    }
    return false;
  }

  /** Deletions are taken also when nothing can be put any more. */
  private Optional<Refused> space() {
    return tables.noSpace() && (puts(transaction.then()) || puts(transaction.otherwise()))
        ? Optional.of(noSpace())
        : Optional.empty();
  }

  static Refused noSpace() {
    return new Refused(
        Kind.NO_SPACE,
        "the state is as large as it may be: delete keys, compact, and disarm the alarm");
  }

  private static boolean puts(List<Operation> operations) {
    for (Operation operation : operations) {
      boolean puts =
          switch (operation) {
            case Operation.Put o -> !o.key().startsWith(Alarms.OWN);
            case Operation.Assign _ -> true;
            case Operation.Delete _, Operation.Get _, Operation.Select _ -> false;
            case Operation.Branch o -> puts(o.then()) || puts(o.otherwise());
          };
      if (puts) {
        return true;
      }
    }
    return false;
  }

  private Optional<Refused> size() {
    long count =
        transaction.comparisons().size()
            + count(transaction.then())
            + count(transaction.otherwise());
    boolean opaque = isOpaque(transaction);
    int most = opaque ? OPAQUE_OPERATIONS : tables.limits().operations();
    if (count > most) {
      return invalid("transaction of " + count + " operations: at most " + most);
    }
    long bytes =
        sizeOf(transaction.comparisons())
            + size(transaction.then())
            + size(transaction.otherwise());
    int mostBytes = opaque ? OPAQUE_BYTES : tables.limits().transactionBytes();
    return bytes > mostBytes
        ? invalid("transaction of " + bytes + " bytes in keys and values: at most " + mostBytes)
        : Optional.empty();
  }

  private static long count(List<Operation> operations) {
    long count = operations.size();
    for (Operation operation : operations) {
      if (operation instanceof Operation.Branch branch) {
        count += branch.comparisons().size() + count(branch.then()) + count(branch.otherwise());
      }
    }
    return count;
  }

  /** Whether it is about keys that are no paths: of those as much comes as etcd lets through. */
  private static boolean isOpaque(Transaction transaction) {
    return transaction.comparisons().isEmpty()
        ? isOpaque(transaction.then().isEmpty() ? transaction.otherwise() : transaction.then())
        : rangeOf(transaction.comparisons().getFirst()).stream().anyMatch(OpaqueKey::holds);
  }

  private static boolean isOpaque(List<Operation> operations) {
    return !operations.isEmpty()
        && switch (operations.getFirst()) {
          case Operation.Put o -> OpaqueKey.is(o.key());
          case Operation.Delete o -> OpaqueKey.holds(o.range());
          case Operation.Get o -> OpaqueKey.holds(o.range());
          case Operation.Assign _, Operation.Select _, Operation.Branch _ -> true;
        };
  }

  private static Optional<KeyRange> rangeOf(Comparison comparison) {
    return switch (comparison) {
      case Comparison.Property c -> Optional.of(c.range());
      case Comparison.Value c -> Optional.of(c.range());
      case Comparison.Present c -> Optional.of(c.range());
      case Comparison.LockHeld c -> Optional.of(KeyRange.of(c.key()));
    };
  }

  private static long sizeOf(List<Comparison> comparisons) {
    long bytes = 0;
    for (Comparison comparison : comparisons) {
      bytes +=
          switch (comparison) {
            case Comparison.Property c -> size(c.range());
            case Comparison.Value c -> size(c.range()) + c.operand().length();
            case Comparison.LockHeld c -> c.key().length();
            case Comparison.Present c -> size(c.range());
          };
    }
    return bytes;
  }

  private static long size(List<Operation> operations) {
    long bytes = 0;
    for (Operation operation : operations) {
      bytes +=
          switch (operation) {
            case Operation.Put o -> o.key().length() + o.value().length();
            case Operation.Delete o -> size(o.range());
            case Operation.Get o -> size(o.range());
            case Operation.Assign o -> o.key().length() + o.value().length();
            case Operation.Select o -> size(o.selection().range());
            case Operation.Branch o ->
                sizeOf(o.comparisons()) + size(o.then()) + size(o.otherwise());
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
            case Operation.Get o -> denied(o.range(), Right.READ);
            case Operation.Assign o -> assign(o);
            case Operation.Select o -> denied(o.selection().range(), Right.READ);
            case Operation.Branch o ->
                operations(o.then())
                    .or(() -> operations(o.otherwise()))
                    .or(() -> comparisons(o.comparisons()));
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
    if (put.key().length() > tables.limits().keyBytes()) {
      return invalid(
          "key of " + put.key().length() + " bytes: at most " + tables.limits().keyBytes());
    }
    if (put.value().length() > tables.limits().valueBytes()) {
      return invalid(
          "value of "
              + put.value().length()
              + " bytes for "
              + put.key()
              + ": at most "
              + tables.limits().valueBytes());
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

  private Optional<Refused> assign(Operation.Assign assign) {
    Optional<String> problem = OpaqueKey.problem(assign.key());
    return problem.isPresent()
        ? invalid(problem.get())
        : tables
            .rules()
            .denial(principal, assign.key(), Right.WRITE)
            .map(message -> new Refused(Kind.DENIED, message));
  }

  private Optional<Refused> comparisons(List<Comparison> comparisons) {
    for (Comparison comparison : comparisons) {
      Optional<Refused> found = rangeOf(comparison).flatMap(range -> denied(range, Right.READ));
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
