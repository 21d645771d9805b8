package io.stele.testkit.table;

import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;

class MemoryTablesTest extends TableAdminContract {
  private final MemoryTables tables = new MemoryTables();

  @Override
  protected Tables tables() {
    return tables;
  }

  @Override
  protected TableAdmin admin() {
    return tables;
  }
}
