package io.stele.it.tables;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ExhaustedException;
import io.stele.base.process.ServerProcess;
import io.stele.base.schema.TableSchema;
import io.stele.cli.Main;
import io.stele.client.Stele;
import io.stele.it.process.Servers;
import io.stele.testkit.process.SmallDisk;
import io.stele.testkit.table.TableFixture;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele server} whose tables are on a small disk that fills up. */
@Timeout(120)
class FullDiskIT {
  private static final int MEGABYTES = 64;

  @TempDir Path folder;

  private Path disk;
  private SmallDisk mounted;

  @BeforeEach
  void mount() {
    disk = folder.resolve("disk");
    mounted = SmallDisk.mount(disk, MEGABYTES);
  }

  @AfterEach
  void unmount() {
    mounted.close();
  }

  private static String doctor(ServerProcess server) {
    StringWriter out = new StringWriter();
    int _ =
        Main.run(
            new PrintWriter(out), new PrintWriter(out), "doctor", "--endpoints", server.address());
    return out.toString();
  }

  private static Stele connect(ServerProcess server, Duration timeout) {
    return Stele.builder().endpoints(server.address()).timeout(timeout).connect();
  }

  @Test
  void writesAreRefusedBeforeTheDiskIsFullAndAcceptedAgainOnceThereIsRoom() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("server.conf"), "tables.files = " + disk.resolve("tables") + "\n");
    try (ServerProcess server =
        Servers.server(folder.resolve("data"), "--config", config.toString())) {
      server.start();
      try (Stele patient = connect(server, Duration.ofSeconds(30));
          Stele stele = connect(server, Duration.ofSeconds(2))) {
        patient.tables().create("t", TableSchema.ofFamilies("f"), List.of());
        TableFixture always = new TableFixture(patient.rows(), "t");
        TableFixture table = new TableFixture(stele.rows(), "t");
        always.apply(put("before", "f:", 1, "x"));
        Path filler = SmallDisk.fillAllBut(disk, 5 << 20);
        await()
            .untilAsserted(
                () ->
                    assertThatThrownBy(() -> table.apply(put("full", "f:", 1, "x")))
                        .isInstanceOf(ExhaustedException.class)
                        .hasMessageContaining("free of 64.0 MiB: writes are refused below"));
        assertThat(always.row("before")).hasSize(1);
        assertThat(doctor(server))
            .contains("writes are refused below")
            .doesNotContain("all is well");

        Files.delete(filler);
        long freed = System.nanoTime();
        await()
            .pollInterval(Duration.ofMillis(20))
            .ignoreExceptions()
            .until(() -> table.apply(put("after", "f:", 1, "x")) > 0);
        System.out.printf(
            "%d ms from freed disk space to the first accepted write%n",
            Duration.ofNanos(System.nanoTime() - freed).toMillis());
        assertThat(doctor(server)).doesNotContain("writes are refused below");
        await("what it logs")
            .untilAsserted(() -> assertThat(server.log()).contains("the disks have room again"));
      }
    }
  }
}
