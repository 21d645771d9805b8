package io.stele.server;

import io.stele.base.event.Events;
import io.stele.base.settings.Settings;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.testkit.table.TableAdminContract;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All that tables do, by a server, over the network. */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class ServedTablesTest extends TableAdminContract {

  private Server server;
  private Stele stele;
  private Stele impatient;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    Settings settings =
        ServerSchema.SCHEMA
            .reader()
            .flags(List.of("server.data=" + folder, "server.port=0", "server.raft-port=0"))
            .merge();
    server = Server.start(settings, new Events((_, _) -> {}));
    String address = server.addresses().nativeAddress();
    stele = Stele.connect(address);
    impatient = Stele.builder().endpoints(address).timeout(Duration.ofMillis(200)).connect();
  }

  @AfterAll
  void stop() {
    stele.close();
    impatient.close();
    server.close();
  }

  @Override
  protected Tables tables() {
    return stele.rows();
  }

  @Override
  protected Tables impatient() {
    return impatient.rows();
  }

  @Override
  protected TableAdmin admin() {
    return stele.tables();
  }
}
