package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Whole tables as a front has them at the time of each request. */
final class FrontAdmin implements TableAdmin {
  private final Supplier<TableAdmin> now;

  FrontAdmin(Supplier<TableAdmin> now) {
    this.now = now;
  }

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    now.get().create(table, schema, splits);
  }

  @Override
  public List<String> list(boolean withMeta) {
    return now.get().list(withMeta);
  }

  @Override
  public TableSchema schema(String table) {
    return now.get().schema(table);
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return now.get().tablets(table);
  }

  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    now.get().alter(table, expected, schema);
  }

  @Override
  public void drop(String table) {
    now.get().drop(table);
  }

  @Override
  public void copy(String source, String target) {
    now.get().copy(source, target);
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return now.get().split(table, at, row);
  }

  @Override
  public void join(String table, Bytes row) {
    now.get().join(table, row);
  }

  @Override
  public void flush(String table) {
    now.get().flush(table);
  }

  @Override
  public void compact(String table) {
    now.get().compact(table);
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    return now.get().verifyMeta(table);
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    return now.get().repairMeta(table, apply);
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    now.get().loadFixedTable(table, configFile);
  }

  @Override
  public void unloadTable(String table) {
    now.get().unloadTable(table);
  }

  @Override
  public void loadTable(String table) {
    now.get().loadTable(table);
  }

  @Override
  public void setMetaLocation(String address) {
    now.get().setMetaLocation(address);
  }
}
