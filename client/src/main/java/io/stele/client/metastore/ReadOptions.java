package io.stele.client.metastore;

import io.stele.base.error.InvalidRequestException;

/**
 * How to read.
 *
 * @param revision at which; 0 for the newest
 * @param limit the most keys to answer; 0 for all
 * @param pageSize how many keys are fetched at a time; 0 for the server's own number
 * @param keysOnly whether values are left out
 */
public record ReadOptions(
    Consistency consistency, long revision, int limit, int pageSize, boolean keysOnly) {
  public static final ReadOptions DEFAULTS =
      new ReadOptions(Consistency.LINEARIZABLE, 0, 0, 0, false);

  public ReadOptions {
    if (revision < 0) {
      throw new InvalidRequestException(
          "read at revision " + revision + ": must be 0 for the newest, or a revision");
    }
    if (limit < 0 || pageSize < 0) {
      throw new InvalidRequestException(
          "limit of " + limit + " and pages of " + pageSize + " keys: must not be negative");
    }
  }

  public ReadOptions with(Consistency newConsistency) {
    return new ReadOptions(newConsistency, revision, limit, pageSize, keysOnly);
  }

  public ReadOptions at(long newRevision) {
    return new ReadOptions(consistency, newRevision, limit, pageSize, keysOnly);
  }

  public ReadOptions limit(int newLimit) {
    return new ReadOptions(consistency, revision, newLimit, pageSize, keysOnly);
  }

  public ReadOptions pages(int keys) {
    return new ReadOptions(consistency, revision, limit, keys, keysOnly);
  }

  public ReadOptions withoutValues() {
    return new ReadOptions(consistency, revision, limit, pageSize, true);
  }
}
