package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A transaction in one request: conditions, and what to do if they all hold and if not. All its
 * changes share one revision.
 *
 * <pre>{@code
 * TransactionResult result = metastore.transaction()
 *     .when("/config/mode").version().isEqualTo(0)
 *     .then(Step.put("/config/mode", "fast"))
 *     .otherwise(Step.get("/config/mode"))
 *     .commit();
 * }</pre>
 */
public final class Transaction {
  private final Function<Transaction, CompletableFuture<TransactionResult>> sender;
  private final List<Condition> conditions = new ArrayList<>();
  private final List<Step> then = new ArrayList<>();
  private final List<Step> otherwise = new ArrayList<>();

  Transaction(Function<Transaction, CompletableFuture<TransactionResult>> sender) {
    this.sender = sender;
  }

  /** Begins a condition on a key. */
  public On when(String key) {
    return new On(Keys.of(key));
  }

  /** Begins a condition that every key of these must meet. */
  public On when(Keys keys) {
    return new On(keys);
  }

  public Transaction when(Condition... more) {
    conditions.addAll(List.of(more));
    return this;
  }

  /** Only if the lock is still held, as it was granted. */
  public Transaction whenHeld(HeldLock lock) {
    return when(Condition.held(lock));
  }

  public Transaction then(Step... steps) {
    then.addAll(List.of(steps));
    return this;
  }

  public Transaction otherwise(Step... steps) {
    otherwise.addAll(List.of(steps));
    return this;
  }

  public CompletableFuture<TransactionResult> commitAsync() {
    return sender.apply(this);
  }

  public TransactionResult commit() {
    return Await.answer(commitAsync());
  }

  List<Condition> conditions() {
    return conditions;
  }

  List<Step> thenSteps() {
    return then;
  }

  List<Step> otherwiseSteps() {
    return otherwise;
  }

  /** What of the keys is compared. */
  public final class On {
    private final Keys keys;

    private On(Keys keys) {
      this.keys = keys;
    }

    /** How often it was put since it was created; 0 if it is absent. */
    public NumberCondition version() {
      return new NumberCondition(keys, Condition.Field.VERSION);
    }

    /** The revision at which it was created; 0 if it is absent. */
    public NumberCondition created() {
      return new NumberCondition(keys, Condition.Field.CREATED);
    }

    /** The revision at which it was last put; 0 if it is absent. */
    public NumberCondition modified() {
      return new NumberCondition(keys, Condition.Field.MODIFIED);
    }

    /** The session whose end deletes it; 0 for none. */
    public NumberCondition session() {
      return new NumberCondition(keys, Condition.Field.SESSION);
    }

    /** Its value; no condition holds if it is absent. */
    public ValueCondition value() {
      return new ValueCondition(keys);
    }

    public Transaction isAbsent() {
      return version().isEqualTo(0);
    }

    public Transaction exists() {
      return version().isGreaterThan(0);
    }
  }

  /** How a number must be. */
  public final class NumberCondition {
    private final Keys keys;
    private final Condition.Field field;

    private NumberCondition(Keys keys, Condition.Field field) {
      this.keys = keys;
      this.field = field;
    }

    public Transaction isEqualTo(long number) {
      return is(Condition.Relation.EQUAL, number);
    }

    public Transaction isNotEqualTo(long number) {
      return is(Condition.Relation.NOT_EQUAL, number);
    }

    public Transaction isLessThan(long number) {
      return is(Condition.Relation.LESS, number);
    }

    public Transaction isGreaterThan(long number) {
      return is(Condition.Relation.GREATER, number);
    }

    public Transaction is(Condition.Relation relation, long number) {
      return when(new Condition.OnNumber(keys, field, relation, number));
    }
  }

  /** How a value must be, compared by its bytes. */
  public final class ValueCondition {
    private final Keys keys;

    private ValueCondition(Keys keys) {
      this.keys = keys;
    }

    public Transaction isEqualTo(Bytes value) {
      return is(Condition.Relation.EQUAL, value);
    }

    public Transaction isEqualTo(String value) {
      return isEqualTo(Bytes.utf8(value));
    }

    public Transaction isNotEqualTo(Bytes value) {
      return is(Condition.Relation.NOT_EQUAL, value);
    }

    public Transaction isNotEqualTo(String value) {
      return isNotEqualTo(Bytes.utf8(value));
    }

    public Transaction is(Condition.Relation relation, Bytes value) {
      return when(new Condition.OnValue(keys, relation, value));
    }
  }
}
