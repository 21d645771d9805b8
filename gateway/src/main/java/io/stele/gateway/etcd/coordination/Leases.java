package io.stele.gateway.etcd.coordination;

import io.stele.base.error.ConflictException;
import io.stele.metastore.Metastore;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Leases for callers who brought none. */
final class Leases {
  private Leases() {}

  /** A new one, of any id. Waits for it. */
  static long any(Metastore metastore, Duration time, RandomGenerator random) {
    try {
      return Queue.join(metastore.grantLease(1 + random.nextLong(Long.MAX_VALUE), time)).id();
    } catch (ConflictException e) {
      return any(metastore, time, random); // somebody has that id
    }
  }
}
