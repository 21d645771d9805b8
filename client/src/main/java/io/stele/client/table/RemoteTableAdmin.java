package io.stele.client.table;

import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.AlterTableRequest;
import io.stele.protocol.v1.CopyTableRequest;
import io.stele.protocol.v1.CreateTableRequest;
import io.stele.protocol.v1.JoinTabletRequest;
import io.stele.protocol.v1.ListTablesRequest;
import io.stele.protocol.v1.LoadFixedTableRequest;
import io.stele.protocol.v1.RepairMetaRequest;
import io.stele.protocol.v1.SetMetaLocationRequest;
import io.stele.protocol.v1.SplitTabletRequest;
import io.stele.protocol.v1.TableAdminGrpc;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireSchemas;
import java.util.List;
import java.util.Optional;

/**
 * Tables as a whole, over the network. What only looks, or comes to the same if it is done twice,
 * is repeated when the connection breaks.
 */
public final class RemoteTableAdmin implements TableAdmin {
  private final Caller caller;

  public RemoteTableAdmin(Caller caller) {
    this.caller = caller;
  }

  private <Q, R> R look(MethodDescriptor<Q, R> method, Q request) {
    return Table.await(caller.call(method, request, Repeat.READ));
  }

  /** May take long, and be done twice. */
  private <Q, R> R tend(MethodDescriptor<Q, R> method, Q request) {
    return Table.await(
        caller.callLong(method, request, Repeat.ONCE_IN_TURN, RemoteTables.LONG_WORK));
  }

  private <Q, R> R change(MethodDescriptor<Q, R> method, Q request) {
    return Table.await(
        caller.callLong(method, request, Repeat.IF_NOT_DONE, RemoteTables.LONG_WORK));
  }

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    CreateTableRequest.Builder request =
        CreateTableRequest.newBuilder().setTable(table).setSchema(WireSchemas.toWire(schema));
    splits.forEach(row -> request.addSplits(WireCells.toWire(row)));
    change(TableAdminGrpc.getCreateTableMethod(), request.build());
  }

  @Override
  public List<String> list(boolean withMeta) {
    return List.copyOf(
        look(
                TableAdminGrpc.getListTablesMethod(),
                ListTablesRequest.newBuilder().setWithMeta(withMeta).build())
            .getTablesList());
  }

  @Override
  public TableSchema schema(String table) {
    return WireSchemas.schema(
        look(TableAdminGrpc.getGetSchemaMethod(), RemoteTables.request(table)));
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return look(TableAdminGrpc.getListTabletsMethod(), RemoteTables.request(table))
        .getTabletsList()
        .stream()
        .map(tablet -> WireSchemas.tablet(table, tablet))
        .toList();
  }

  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    AlterTableRequest.Builder request =
        AlterTableRequest.newBuilder().setTable(table).setSchema(WireSchemas.toWire(schema));
    expected.ifPresent(known -> request.setExpected(WireSchemas.toWire(known)));
    change(TableAdminGrpc.getAlterTableMethod(), request.build());
  }

  @Override
  public void drop(String table) {
    change(TableAdminGrpc.getDropTableMethod(), RemoteTables.request(table));
  }

  @Override
  public void copy(String source, String target) {
    change(
        TableAdminGrpc.getCopyTableMethod(),
        CopyTableRequest.newBuilder().setSource(source).setTarget(target).build());
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return WireCells.bytes(
        change(
                TableAdminGrpc.getSplitTabletMethod(),
                SplitTabletRequest.newBuilder()
                    .setTable(table)
                    .setAt(WireCells.toWire(at))
                    .setRow(WireCells.toWire(row))
                    .build())
            .getRow());
  }

  @Override
  public void join(String table, Bytes row) {
    change(
        TableAdminGrpc.getJoinTabletMethod(),
        JoinTabletRequest.newBuilder().setTable(table).setRow(WireCells.toWire(row)).build());
  }

  @Override
  public void flush(String table) {
    tend(TableAdminGrpc.getFlushTableMethod(), RemoteTables.request(table));
  }

  @Override
  public void compact(String table) {
    tend(TableAdminGrpc.getCompactTableMethod(), RemoteTables.request(table));
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    return WireSchemas.problems(
        tend(TableAdminGrpc.getVerifyMetaMethod(), RemoteTables.request(table)));
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    return WireSchemas.problems(
        change(
            TableAdminGrpc.getRepairMetaMethod(),
            RepairMetaRequest.newBuilder().setTable(table).setApply(apply).build()));
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    change(
        TableAdminGrpc.getLoadFixedTableMethod(),
        LoadFixedTableRequest.newBuilder().setTable(table).setConfigFile(configFile).build());
  }

  @Override
  public void unloadTable(String table) {
    change(TableAdminGrpc.getUnloadTableMethod(), RemoteTables.request(table));
  }

  @Override
  public void loadTable(String table) {
    change(TableAdminGrpc.getLoadTableMethod(), RemoteTables.request(table));
  }

  @Override
  public void setMetaLocation(String address) {
    change(
        TableAdminGrpc.getSetMetaLocationMethod(),
        SetMetaLocationRequest.newBuilder().setAddress(address).build());
  }
}
