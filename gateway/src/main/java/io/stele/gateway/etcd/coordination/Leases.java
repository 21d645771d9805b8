package io.stele.gateway.etcd.coordination;

import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.Metastore;
import java.time.Duration;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/** Leases for callers that name none. */
final class Leases {
  private static final Duration UNNAMED = Duration.ofSeconds(60);

  private Leases() {}

  /**
   * Takes a place in a queue under the lease that a caller named, or a new one.
   *
   * <p>Under a named lease the action finds the place that it took before, so it may be repeated.
   * One that was granted here is not known to a second attempt, so there is none.
   *
   * @param named 0 for none
   */
  static <R> R under(
      long named, Metastore metastore, RandomGenerator random, LongFunction<R> action) {
    if (named != 0) {
      return action.apply(named);
    }
    long lease = any(metastore, random);
    try {
      return action.apply(lease);
    } catch (NotServingException e) {
      throw EtcdError.LEADER_CHANGED.exception();
    }
  }

  private static long any(Metastore metastore, RandomGenerator random) {
    while (true) {
      try {
        return Queue.join(metastore.grantLease(1 + random.nextLong(Long.MAX_VALUE), UNNAMED)).id();
      } catch (ConflictException e) {
        // somebody has that number already
      }
    }
  }
}
