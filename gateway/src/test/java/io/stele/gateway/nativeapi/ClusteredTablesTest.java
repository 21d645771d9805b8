package io.stele.gateway.nativeapi;

import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.testkit.table.TableFixture;
import io.stele.testkit.table.TableRowsContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/**
 * All that tables do with rows, where a client must find out which server has them. All of a table
 * is at one, since batches of several rows are committed together.
 */
class ClusteredTablesTest extends TableRowsContract {
  private final ClusterOfServers servers = new ClusterOfServers(2);
  private final Stele stele = servers.client(1, Duration.ofSeconds(10));
  private final Stele impatient = servers.client(1, Duration.ofMillis(100));

  @AfterEach
  void close() {
    servers.close();
  }

  @Override
  protected TableFixture table(TableSchema schema, String... splits) {
    TableFixture made = super.table(schema, splits);
    servers.cluster.moveAll(servers.address(1), servers.address(0));
    return made;
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
