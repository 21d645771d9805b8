package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * The comparisons and steps of one transaction, on a view of the keys in which each step sees what
 * the steps before it did. Nothing is changed until all steps are done.
 */
final class TransactionRun {
  /** Of the values that one step deletes: watchers are told of them, so they are in memory. */
  private static final long DELETED_BYTES = 64L << 20;

  /** Of all that it changes: keys four times, as their rows and the list of them have bounds. */
  private static final long CHANGED_BYTES = 64L << 20;

  /** Of all its results. */
  private static final long ANSWER_BYTES = 256L << 20;

  /** Of all its results, if they are kept for a session: they become one cell. */
  private static final long KEPT_BYTES = 32L << 20;

  private final StateTables tables;
  private final Effects effects;
  private final KeyView view;
  private final TransactionPath path;
  private final long answerBytes;
  private long answered; // of them

  /** Which way each branch goes, by the branch itself: equal ones may stand in two places. */
  private final IdentityHashMap<Operation.Branch, Boolean> decisions = new IdentityHashMap<>(0);

  // Of the steps to be taken, in their order.
  private final List<Operation.Assign> assigned = new ArrayList<>(1);
  private final List<Selection> selected = new ArrayList<>(1);

  /**
   * For one transaction.
   *
   * @param kept whether its answer is kept
   */
  TransactionRun(StateTables tables, Effects effects, boolean kept) {
    this.answerBytes = kept ? KEPT_BYTES : ANSWER_BYTES;
    this.tables = tables;
    this.effects = effects;
    this.view = new KeyView(tables);
    this.path = new TransactionPath(tables);
  }

  /** Runs it, and adds what it changes to the effects; a refusal adds nothing. */
  Answer run(Transaction transaction) {
    boolean succeeded = holds(transaction.comparisons());
    List<Operation> steps = succeeded ? transaction.then() : transaction.otherwise();
    List<OperationResult> results = new ArrayList<>(steps.size());
    try {
      decide(steps);
      assigned.forEach(path::check);
      selected.forEach(path::check);
      for (Operation step : steps) {
        results.add(perform(step));
      }
      checkOwned();
    } catch (RefusedException e) {
      return e.refused();
    }
    boolean changed = view.tell(effects);
    return new Answer.Transacted(
        succeeded, changed ? effects.revision() : tables.revision(), results);
  }

  private boolean holds(List<Comparison> comparisons) {
    for (Comparison comparison : comparisons) {
      if (!holds(comparison)) {
        return false;
      }
    }
    return true;
  }

  /** Decides all branches on the state before the first step, and finds the steps to check. */
  private void decide(List<Operation> steps) {
    for (Operation step : steps) {
      switch (step) {
        case Operation.Branch branch -> {
          boolean succeeded = holds(branch.comparisons());
          decisions.put(branch, succeeded);
          decide(succeeded ? branch.then() : branch.otherwise());
        }
        case Operation.Assign assign -> assigned.add(assign);
        case Operation.Select select -> selected.add(select.selection());
        case Operation.Put _, Operation.Delete _, Operation.Get _ -> {}
      }
    }
  }

  private OperationResult perform(Operation step) {
    return switch (step) {
      case Operation.Assign assign -> assign(assign);
      case Operation.Select select -> select(select.selection());
      case Operation.Branch branch -> {
        boolean succeeded = decisions.getOrDefault(branch, false);
        List<OperationResult> results = new ArrayList<>();
        for (Operation inner : succeeded ? branch.then() : branch.otherwise()) {
          results.add(perform(inner));
        }
        yield new OperationResult.Branched(succeeded, results);
      }
      case Operation.Put put -> put(put);
      case Operation.Delete delete -> delete(delete);
      case Operation.Get get -> {
        List<KeyValue> found = new ArrayList<>();
        boolean more = view.collect(get.range(), get.limit(), tables.limits().answerBytes(), found);
        yield new OperationResult.Found(answered(found), more);
      }
    };
  }

  private List<KeyValue> answered(List<KeyValue> keys) {
    for (KeyValue kv : keys) {
      answered += 64L + kv.key().length() + kv.value().length();
    }
    if (answered > answerBytes) {
      throw new RefusedException(
          Kind.EXHAUSTED,
          "transaction that answers more than " + answerBytes + " bytes: ask for less at a time");
    }
    return keys;
  }

  private OperationResult previous(boolean wanted, Optional<KeyValue> before) {
    if (wanted && before.isPresent()) {
      answered(List.of(before.get()));
    }
    return new OperationResult.Done(wanted ? before : Optional.empty());
  }

  private OperationResult assign(Operation.Assign assign) {
    Optional<KeyValue> found = view.get(assign.key());
    if (found.isEmpty() && (assign.keepValue() || assign.keepLease())) {
      throw TransactionPath.absent(); // a step before has deleted it
    }
    Bytes value = assign.keepValue() ? found.orElseThrow().value() : assign.value();
    long lease = assign.keepLease() ? found.orElseThrow().lease() : assign.lease();
    view.put(assign.key(), value, 0, lease, effects.revision());
    checkChanged();
    return previous(assign.previous(), found);
  }

  private OperationResult select(Selection selection) {
    Selector selector = new Selector(selection);
    if (selection.revision() != 0) {
      new StateReader(tables).show(selection, selection.revision(), selector);
    } else if (selection.range().isSingle()) {
      view.get(selection.range().from()).ifPresent(selector::show);
    } else {
      view.all(
          selection.range(),
          kv -> {
            selector.show(kv);
            return true;
          });
    }
    List<KeyValue> picked = answered(selector.picked());
    return new OperationResult.Selected(picked, selector.more(), selector.counted());
  }

  private OperationResult put(Operation.Put put) {
    Optional<KeyValue> before =
        view.put(put.key(), put.value(), put.session(), 0, effects.revision());
    checkChanged();
    return previous(put.previous(), before);
  }

  private OperationResult delete(Operation.Delete delete) {
    int room = tables.limits().changedKeys() + 1;
    List<KeyValue> found = new ArrayList<>();
    boolean more =
        view.collect(
            delete.range(),
            room,
            delete.previous() ? tables.limits().answerBytes() : DELETED_BYTES,
            found);
    for (KeyValue kv : found) {
      view.delete(kv.key());
    }
    checkChanged();
    if (more) {
      throw new RefusedException(
          Kind.EXHAUSTED,
          "keys to delete in one step that take more than "
              + (delete.previous() ? tables.limits().answerBytes() : DELETED_BYTES)
              + " bytes"
              + (delete.previous() ? ", with their previous values asked for" : "")
              + ": delete them in parts");
    }
    return new OperationResult.Deleted(
        found.size(), delete.previous() ? answered(found) : List.of());
  }

  private void checkChanged() {
    if (view.changed() > tables.limits().changedKeys()) {
      throw new RefusedException(
          Kind.EXHAUSTED,
          "transaction that changes more than "
              + tables.limits().changedKeys()
              + " keys: do it in parts");
    }
    if (view.bytes() > CHANGED_BYTES) {
      throw new RefusedException(
          Kind.EXHAUSTED,
          "transaction that changes more than "
              + CHANGED_BYTES
              + " bytes of keys and values: do it in parts");
    }
  }

  /** A session or lease that ends deletes its keys in one revision: they must not be too many. */
  private void checkOwned() {
    view.more(KeyValue::session)
        .forEach(
            (session, more) -> {
              int before = tables.sessions.ephemeralKeys(session);
              checkOwned("session", session, before, more, tables.limits().ephemeralKeys());
            });
    if (tables.version() < 2) {
      return; // which had no bound for leases
    }
    view.more(KeyValue::lease)
        .forEach(
            (lease, more) -> {
              int before = tables.leases.keys(lease);
              checkOwned("lease", lease, before, more, tables.limits().leasedKeys());
            });
  }

  private static void checkOwned(String owner, long id, int before, int more, int most) {
    if (more > 0 && before + more > most) {
      throw new RefusedException(
          Kind.EXHAUSTED,
          owner + " " + id + " would have more than " + most + " keys that end with it");
    }
  }

  // ---- comparisons

  private boolean holds(Comparison comparison) {
    return switch (comparison) {
      case Comparison.Present c -> !view.all(c.range(), _ -> false);
      case Comparison.LockHeld c -> tables.locks.get(c.key()).isHeldUnder(c.token());
      case Comparison.Property c -> {
        if (c.range().isSingle()) {
          Optional<KeyValue> found = view.get(c.range().from());
          long value = found.map(kv -> field(kv, c.field())).orElse(0L);
          yield relates(Long.compare(value, c.operand()), c.relation());
        }
        yield view.all(
            c.range(),
            kv -> relates(Long.compare(field(kv, c.field()), c.operand()), c.relation()));
      }
      case Comparison.Value c -> {
        if (c.range().isSingle()) {
          Optional<KeyValue> found = view.get(c.range().from());
          yield found.isPresent()
              && relates(found.get().value().compareTo(c.operand()), c.relation());
        }
        yield view.all(c.range(), kv -> relates(kv.value().compareTo(c.operand()), c.relation()));
      }
    };
  }

  private static long field(KeyValue kv, Comparison.Field field) {
    return switch (field) {
      case CREATED -> kv.created();
      case MODIFIED -> kv.modified();
      case VERSION -> kv.version();
      case SESSION -> kv.session();
      case LEASE -> kv.lease();
    };
  }

  private static boolean relates(int comparison, Comparison.Relation relation) {
    return switch (relation) {
      case EQUAL -> comparison == 0;
      case NOT_EQUAL -> comparison != 0;
      case LESS -> comparison < 0;
      case GREATER -> comparison > 0;
    };
  }
}
