package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server alone whose disk fails for a while. It once refused all writes until it was started
 * again, and neither its log nor doctor said why.
 */
@Timeout(60)
class FailingDiskTest {
  @AfterEach
  void repair() {
    FaultyFiles.STORE.clearFailures();
  }

  private static TableFixture table(TestServer server) {
    return new TableFixture(server.server().front().rows(), "t");
  }

  @Test
  void tablesAreOpenedAgainWhenItWorks(@TempDir Path data) throws IOException {
    try (TestServer server = TestServer.start(data, "tables.files=faulty:/disk")) {
      server.server().tables().create("t", TableSchema.ofFamilies("f"), List.of());
      table(server).apply(TableFixture.put("before", "f:", 1, "x"));
      FaultyFiles.STORE.failFrom(StoreCall.SYNC, 1, () -> new IOException("the disk is broken"));
      assertThatThrownBy(() -> table(server).apply(TableFixture.put("during", "f:", 1, "x")))
          .isInstanceOf(SteleException.class);
      await("that it says so")
          .atMost(Duration.ofSeconds(20))
          .until(() -> !server.server().inspect().problems().isEmpty());
      assertThat(server.server().inspect().problems().getFirst())
          .contains("take no writes")
          .contains("make room");
      assertThat(server.told()).anyMatch(text -> text.contains("the disk is broken"));
      FaultyFiles.STORE.clearFailures();
      await("that it takes writes again")
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> table(server).apply(TableFixture.put("after", "f:", 1, "x")) > 0);
      assertThat(table(server).row("before")).hasSize(1);
      await("that it says nothing more")
          .atMost(Duration.ofSeconds(10))
          .until(() -> server.server().inspect().problems().isEmpty());
    }
  }
}
