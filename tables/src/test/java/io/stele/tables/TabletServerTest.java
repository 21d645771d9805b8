package io.stele.tables;

import io.stele.base.file.MemoryFileStore;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.testkit.table.TableAdminContract;
import org.junit.jupiter.api.AfterEach;

/** A tablet server does what every implementation of tables does. */
class TabletServerTest extends TableAdminContract {
  private final TestServer opened = TestServer.open(new MemoryFileStore());

  @Override
  protected Tables tables() {
    return opened.server;
  }

  @Override
  protected TableAdmin admin() {
    return opened.server;
  }

  @AfterEach
  void close() {
    opened.checkFiles("after the test");
    opened.close();
  }
}
