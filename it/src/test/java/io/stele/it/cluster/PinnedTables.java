package io.stele.it.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocation;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.call.CallSettings;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoints;
import io.stele.client.table.RemoteTables;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Rows that are asked of one server, whoever has them: a client that was told of no move. */
public final class PinnedTables implements AutoCloseable {
  private final Endpoints endpoints;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RemoteTables tables;

  public PinnedTables(String address, Duration timeout) {
    this.endpoints = new Endpoints(List.of(address), CallSettings.DEFAULTS);
    CallSettings settings = CallSettings.DEFAULTS.withTimeout(timeout).withAttemptTimeout(timeout);
    Caller caller = new Caller(endpoints, settings, Clock.system(), RandomSource.system(), timer);
    List<TabletLocation> always =
        List.of(new TabletLocation(Bytes.EMPTY, Optional.empty(), address));
    this.tables =
        new RemoteTables(caller, (table, row) -> CompletableFuture.completedFuture(always));
  }

  public Tables rows() {
    return tables;
  }

  @Override
  public void close() {
    tables.close();
    endpoints.close();
    timer.shutdownNow();
  }
}
