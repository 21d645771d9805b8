package io.stele.metastore.command;

import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.KeyRange;

/**
 * Which keys of a range to read, in which order, and what of them.
 *
 * @param revision at which to read; 0 for the newest
 * @param limit the most keys; 0 for all
 * @param order of the keys answered; by key if it is not said
 * @param bounds on revisions: what lies outside is left out, though it is counted
 */
public record Selection(
    KeyRange range,
    long revision,
    long limit,
    Order order,
    Target target,
    boolean keysOnly,
    boolean countOnly,
    Bounds bounds) {
  /** How to sort. */
  public enum Order {
    NONE,
    ASCENDING,
    DESCENDING
  }

  /** What to sort by. */
  public enum Target {
    KEY,
    VERSION,
    CREATED,
    MODIFIED,
    VALUE
  }

  /** Both ends are included; 0 for no bound. */
  public record Bounds(long minModified, long maxModified, long minCreated, long maxCreated) {
    public static final Bounds NONE = new Bounds(0, 0, 0, 0);

    public boolean contains(KeyValue kv) {
      return (minModified == 0 || kv.modified() >= minModified)
          && (maxModified == 0 || kv.modified() <= maxModified)
          && (minCreated == 0 || kv.created() >= minCreated)
          && (maxCreated == 0 || kv.created() <= maxCreated);
    }
  }

  public Selection {
    if (limit < 0 || revision < 0) {
      throw new InvalidRequestException(
          "selection of " + limit + " keys at revision " + revision + ": neither may be negative");
    }
  }

  /** All keys of a range as they are now. */
  public static Selection of(KeyRange range) {
    return new Selection(range, 0, 0, Order.NONE, Target.KEY, false, false, Bounds.NONE);
  }

  /** The same without an order, if that is the one in which keys are found. */
  public Selection unsorted() {
    return order == Order.ASCENDING && target == Target.KEY
        ? new Selection(range, revision, limit, Order.NONE, target, keysOnly, countOnly, bounds)
        : this;
  }

  /** Whether all keys must be looked at before the limit counts. */
  public boolean isSortedOrBounded() {
    return order != Order.NONE || !bounds.equals(Bounds.NONE);
  }
}
