package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.cli.Main;
import io.stele.client.Stele;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers whose disks fail for a while. One that was alone once refused all writes until it was
 * started again, and neither its log nor doctor said why.
 */
@Timeout(60)
class FailingDiskTest {
  @AfterEach
  void repair() {
    FaultyFiles.STORE.clearFailures();
    FaultyFiles.disk("lone").repair();
    FaultyFiles.disk("second").repair();
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
      await("that it says why")
          .until(
              () -> server.told().stream().anyMatch(text -> text.contains("the disk is broken")));
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

  private static List<String> problems(TestServer server) {
    return server.server().inspect().problems();
  }

  @Test
  void aFileThatCannotBeReadIsAProblemUntilItCan(@TempDir Path data) throws IOException {
    try (TestServer server =
        TestServer.start(data, "tables.files=faulty://lone/read", "tables.upkeep=50ms")) {
      server.server().tables().create("t", TableSchema.ofFamilies("f"), List.of());
      table(server).apply(TableFixture.put("row", "f:", 1, "x"));
      server.server().tables().flush("t");
      String file = server.server().tables().tablets("t").getFirst().files().getFirst().path();
      FaultyFiles.disk("lone").failReads(path -> path.value().endsWith(file));
      assertThatThrownBy(() -> table(server).row("row")).isInstanceOf(SteleException.class);
      assertThat(problems(server))
          .singleElement()
          .asString()
          .contains(file)
          .contains("Input/output error");
      FaultyFiles.disk("lone").repair();
      await().untilAsserted(() -> assertThat(problems(server)).isEmpty());
      assertThat(table(server).row("row")).hasSize(1);
    }
  }

  /** The second server gives up its session, and comes back when its disk works. */
  @Test
  void aNodeWhoseLogFailsLetsOthersHaveItsTablets(@TempDir Path data) throws IOException {
    String[] cluster = {"tables.shared=true", "tables.session=2s", "master.balance=false"};
    try (TestServer first =
            TestServer.start(data.resolve("1"), with(cluster, "tables.files=faulty://first/pair"));
        TestServer second =
            TestServer.start(
                data.resolve("2"),
                with(
                    cluster,
                    "tables.files=faulty://second/pair",
                    "server.roles=tables",
                    "server.metastore=" + first.address()));
        Stele stele = Stele.connect(first.address())) {
      awaitServers(stele, 2);
      stele.tables().create("t", TableSchema.ofFamilies("f"), List.of());
      TableFixture table = new TableFixture(stele.rows(), "t");
      table.apply(TableFixture.put("before", "f:", 1, "x"));
      stele.cluster().move("t", Bytes.EMPTY, second.address());
      FaultyFiles.disk("second").failWrites(_ -> true);
      await()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptions()
          .until(() -> table.apply(TableFixture.put("during", "f:", 1, "x")) > 0);
      assertThat(table.row("before")).hasSize(1);
      await()
          .untilAsserted(
              () ->
                  assertThat(problems(second))
                      .singleElement()
                      .asString()
                      .contains("check/")
                      .contains("Input/output error"));
      assertThat(second.told())
          .anyMatch(text -> text.contains("log/") && text.contains("Input/output error"));
      assertThat(doctor(first))
          .contains(second.address() + ": ")
          .contains("Input/output error")
          .doesNotContain("all is well");
      FaultyFiles.disk("second").repair();
      awaitServers(stele, 2);
      await().untilAsserted(() -> assertThat(problems(second)).isEmpty());
    }
  }

  private static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  private static void awaitServers(Stele stele, int count) {
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(() -> stele.cluster().status().servers().size() == count);
  }

  private static String doctor(TestServer server) {
    StringWriter out = new StringWriter();
    int _ =
        Main.run(
            new PrintWriter(out), new PrintWriter(out), "doctor", "--endpoints", server.address());
    return out.toString();
  }
}
