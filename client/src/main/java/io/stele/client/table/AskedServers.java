package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.FencedException;
import io.stele.base.table.TabletLocation;
import io.stele.client.call.Caller;
import io.stele.client.call.PendingCall;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.LocateTabletsRequest;
import io.stele.protocol.v1.LocateTabletsResponse;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireClusters;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks any server where tablets are. */
final class AskedServers implements TabletSource {
  private static final int AT_ONCE = 64;

  private final Caller caller;

  AskedServers(Caller caller) {
    this.caller = caller;
  }

  @Override
  public CompletableFuture<List<TabletLocation>> find(String table, Bytes row) {
    PendingCall<LocateTabletsRequest, LocateTabletsResponse> call =
        caller.call(
            TableDataGrpc.getLocateTabletsMethod(),
            LocateTabletsRequest.newBuilder()
                .setTable(table)
                .setRow(WireCells.toWire(row))
                .setMost(AT_ONCE)
                .build(),
            Repeat.READ);
    var _ = call.whenComplete((answer, problem) -> leaveFenced(call.answeredBy(), problem));
    return call.thenApply(
        response ->
            response.getAlone()
                ? List.of(new TabletLocation(Bytes.EMPTY, Optional.empty(), call.answeredBy()))
                : response.getTabletsList().stream().map(WireClusters::location).toList());
  }

  /** A server that has lost its session is of no use until it has begun anew. */
  private void leaveFenced(String server, @Nullable Throwable problem) {
    if (problem instanceof FencedException && !server.isEmpty()) {
      caller.endpoints().leave(caller.endpoints().at(server));
    }
  }
}
