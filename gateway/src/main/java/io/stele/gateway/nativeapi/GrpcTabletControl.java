package io.stele.gateway.nativeapi;

import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.protocol.v1.ApplyMetaRequest;
import io.stele.protocol.v1.JoinOrder;
import io.stele.protocol.v1.ReportRequest;
import io.stele.protocol.v1.SplitOrder;
import io.stele.protocol.v1.TableOrder;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.v1.TabletControlGrpc;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireSchemas;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.TabletControl;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.TabletCells;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A tablet server elsewhere, over the native protocol. Where there was no connection to it, calls
 * fail with {@code Unavailable}; where the answer to an order was lost, with {@code
 * OutcomeUnknown}. A server that says nothing at all is noticed while a call waits for it, long
 * before the time of long work is over.
 */
public final class GrpcTabletControl implements TabletControl {
  private final PeerCalls calls;
  private final Duration patience;
  private final Duration longWork;

  /**
   * The server at an address.
   *
   * @param patience how long it may take to tell what it has, and to make a change of META durable
   * @param longWork how long it may take to load, unload, flush or compact
   */
  public GrpcTabletControl(
      Channels channels, String address, Duration patience, Duration longWork) {
    this.calls = new PeerCalls(channels, address);
    this.patience = patience;
    this.longWork = longWork;
  }

  @Override
  public List<TabletOutcome> load(long token, List<TabletKey> tablets) {
    return ControlWire.outcomes(
        calls.address(),
        order(TabletControlGrpc.getLoadTabletsMethod(), ControlWire.order(token, tablets)));
  }

  @Override
  public List<TabletOutcome> unload(long token, List<TabletKey> tablets) {
    return ControlWire.outcomes(
        calls.address(),
        order(TabletControlGrpc.getUnloadTabletsMethod(), ControlWire.order(token, tablets)));
  }

  @Override
  public void join(long token, TabletKey lower) {
    order(
        TabletControlGrpc.getJoinTabletsMethod(),
        JoinOrder.newBuilder().setToken(token).setLower(ControlWire.toWire(lower)).build());
  }

  @Override
  public Bytes split(long token, TabletKey tablet, Optional<Bytes> row) {
    SplitOrder.Builder order =
        SplitOrder.newBuilder().setToken(token).setTablet(ControlWire.toWire(tablet));
    row.ifPresent(at -> order.setRow(WireCells.toWire(at)));
    return WireCells.bytes(
        order(TabletControlGrpc.getSplitTabletHereMethod(), order.build()).getRow());
  }

  @Override
  public void reloadSchema(long token, String table) {
    order(TabletControlGrpc.getReloadSchemaMethod(), order(token, table));
  }

  @Override
  public void truncate(long token, String table) {
    order(TabletControlGrpc.getTruncateHereMethod(), order(token, table));
  }

  @Override
  public List<TabletConfig> snapshot(long token, String table) {
    return TabletCells.loadAll(
        WireCells.cells(
            order(TabletControlGrpc.getSnapshotHereMethod(), order(token, table)).getCells()));
  }

  private static TableOrder order(long token, String table) {
    return TableOrder.newBuilder().setToken(token).setTable(table).build();
  }

  @Override
  public void flush(String table) {
    order(TabletControlGrpc.getFlushHereMethod(), request(table));
  }

  @Override
  public void compact(String table) {
    order(TabletControlGrpc.getCompactHereMethod(), request(table));
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return look(TabletControlGrpc.getListTabletsHereMethod(), request(table))
        .getTabletsList()
        .stream()
        .map(tablet -> WireSchemas.tablet(table, tablet))
        .toList();
  }

  private static TableRequest request(String table) {
    return TableRequest.newBuilder().setTable(table).build();
  }

  @Override
  public long applyMeta(String metaTable, CellBatch cells, long commitMaxTxn) {
    ApplyMetaRequest.Builder request =
        ApplyMetaRequest.newBuilder().setMetaTable(metaTable).setCells(WireCells.toWire(cells));
    if (commitMaxTxn != Tables.ANY_TXN) {
      request.setCommitMaxTxn(commitMaxTxn);
    }
    return calls
        .call(TabletControlGrpc.getApplyMetaMethod(), request.build(), patience, true)
        .getTxn();
  }

  @Override
  public ServerReport report() {
    return ControlWire.report(
        look(TabletControlGrpc.getReportMethod(), ReportRequest.getDefaultInstance()));
  }

  // ---- calls

  private <Q, R> R order(MethodDescriptor<Q, R> method, Q request) {
    return calls.call(method, request, longWork, true);
  }

  private <Q, R> R look(MethodDescriptor<Q, R> method, Q request) {
    return calls.call(method, request, patience, false);
  }
}
