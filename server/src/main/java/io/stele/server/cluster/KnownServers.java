package io.stele.server.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.Clock;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tablet servers and the master that a member of the metastore knows of, for clients that were
 * given members alone. Looked up in the background at most once a second, in what the member itself
 * has; the answers may be a little old, and a client that is sent to a server that is gone asks
 * again.
 */
public final class KnownServers {
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

  private final Metastore metastore;
  private final Clock clock;
  private final AtomicLong asked;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile List<String> servers = List.of();
  private volatile Optional<String> master = Optional.empty();

  public KnownServers(Metastore metastore, Clock clock) {
    this.metastore = metastore;
    this.clock = clock;
    this.asked = new AtomicLong(clock.nanos() - FRESH_NANOS);
  }

  /** One of the tablet servers, another one each time. */
  public Optional<String> server() {
    look();
    List<String> all = servers;
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(all.get(Math.floorMod(turn.getAndIncrement(), all.size())));
  }

  public Optional<String> master() {
    look();
    return master;
  }

  private void look() {
    long last = asked.get();
    long now = clock.nanos();
    if (now - last < FRESH_NANOS || !asked.compareAndSet(last, now)) {
      return;
    }
    var _ =
        read(KeyRange.prefix(Bytes.utf8(ClusterKeys.SERVERS)))
            .thenAccept(found -> servers = texts(found));
    var _ =
        read(KeyRange.of(Bytes.utf8(ClusterKeys.MASTER)))
            .thenAccept(found -> master = texts(found).stream().findFirst());
  }

  private CompletableFuture<RangeAnswer> read(KeyRange range) {
    return metastore.read(ClusterKeys.PRINCIPAL, RangeRead.of(range), Consistency.STALE);
  }

  private static List<String> texts(RangeAnswer found) {
    return found.keys().stream().map(kv -> kv.value().toUtf8()).toList();
  }
}
