package io.stele.testkit.history;

/** The kinds of things that a correct store never shows. */
public enum Anomaly {
  /** No order of the calls on one key explains their answers. */
  NOT_LINEARIZABLE,
  /** The search was given up: neither good nor bad. */
  UNDECIDED,

  /** A read of one key is not what the store held at the revision it claims. */
  READ_DIFFERS,
  /** A range read is not what the store held: a phantom, a missing key or an old value. */
  RANGE_DIFFERS,
  /** Two transactions with changes say that they made the same revision. */
  REVISION_REUSED,
  /** A transaction has a revision that one acknowledged before its begin had already reached. */
  REAL_TIME_ORDER,
  /** An acknowledged write is not in the store's history. */
  WRITE_LOST,
  /** The store's history has other changes at the revision of an acknowledged write. */
  WRITE_DIFFERS,
  /** The store's history has changes that nobody asked for, or asked for only once. */
  WRITE_UNEXPLAINED,

  /** What is there points at something that was there before it and is not. */
  REFERENCE_UNDEFINED,
  /** Columns of a row that are only written together were read unequal. */
  ROW_TORN,

  /** Two clients believed to hold a lock, at least one of them exclusively. */
  LOCK_OVERLAP,
  /** The fencing token of an exclusive grant was given out twice. */
  TOKEN_REUSED,
  /** A later grant has a lower fencing token than an earlier one that it conflicts with. */
  TOKEN_ORDER,

  /** A watcher was never told of a change. */
  WATCH_GAP,
  /** A watcher was told of a change twice. */
  WATCH_DUPLICATE,
  /** A watcher was told of a later revision before an earlier one. */
  WATCH_DISORDER,
  /** A watcher got the changes of one revision in more than one piece. */
  WATCH_SPLIT,
  /** A watcher was told of a change that did not happen, or that it had not asked for. */
  WATCH_UNEXPLAINED,
  /** A watcher was told to have seen everything up to a revision before it had. */
  WATCH_PROGRESS_AHEAD
}
