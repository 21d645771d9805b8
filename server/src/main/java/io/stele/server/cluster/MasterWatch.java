package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Observation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Knows who is master, to send those on who ask this node what only the master can answer. */
final class MasterWatch implements Supplier<Optional<String>>, AutoCloseable {
  private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private volatile Optional<String> address = Optional.empty();
  private @Nullable Observation observation; // guarded by this
  private @Nullable Thread starting; // guarded by this

  /** Begins to look; at once if the metastore answers, otherwise as soon as it does. */
  synchronized void follow(MetastoreClient metastore) {
    starting = Thread.ofVirtual().name("stele-master-watch").start(() -> observe(metastore));
  }

  private void observe(MetastoreClient metastore) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        Observation begun =
            metastore.observe(ClusterKeys.MASTER, found -> address = found.map(KeyValue::text));
        keep(begun);
        return;
      } catch (SteleException e) {
        LockSupport.parkNanos(PAUSE_NANOS); // the metastore is not there yet
      }
    }
  }

  private synchronized void keep(Observation begun) {
    if (starting == null) {
      begun.close();
    } else {
      observation = begun;
    }
  }

  @Override
  public Optional<String> get() {
    return address;
  }

  @Override
  public synchronized void close() {
    if (starting != null) {
      starting.interrupt();
      starting = null;
    }
    if (observation != null) {
      observation.close();
    }
  }
}
