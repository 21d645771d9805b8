package io.stele.it.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ExhaustedException;
import io.stele.base.schema.TableSchema;
import io.stele.cli.Main;
import io.stele.client.Stele;
import io.stele.client.metastore.Keys;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.process.SmallDisk;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two tablet servers whose files are on one small disk that fills up. */
@Timeout(180)
class FullDiskClusterIT {
  private static final int MEGABYTES = 96;
  private static final String REFUSED = "free of 96.0 MiB: writes are refused below";
  private static final List<String> ROWS = List.of("a", "z"); // one for each server

  @TempDir Path folder;

  private final Set<String> acknowledged = new LinkedHashSet<>();
  private Path disk;
  private SmallDisk mounted;
  private SteleCluster cluster;
  private Tablets tablets;
  private Stele stele;
  private Stele hasty; // which does not try again for long

  @BeforeEach
  void start() {
    disk = folder.resolve("disk");
    mounted = SmallDisk.mount(disk, MEGABYTES);
    cluster =
        SteleCluster.named("full-disk")
            .with(1, "metastore,master")
            .with(2, "tables")
            .set(
                "tables.shared=true",
                "tables.files=" + disk.resolve("tables"),
                "master.balance=false")
            .start();
    tablets = new Tablets(cluster);
    tablets.await();
    stele = cluster.client();
    hasty = tablets.client(Duration.ofMillis(500));
  }

  @AfterEach
  void stop() {
    if (hasty != null) {
      hasty.close();
      stele.close();
    }
    if (cluster != null) {
      cluster.close();
    }
    mounted.close();
  }

  private TableFixture table() {
    return new TableFixture(hasty.rows(), "t");
  }

  private boolean write(String row, String value) {
    table().apply(put(row, "f:" + value, 1, value));
    acknowledged.add(row + "/f:" + value + "@1=" + value);
    return true;
  }

  private List<String> sessions() {
    List<String> runs = new ArrayList<>();
    stele.metastore().range(Keys.prefix("/stele/servers/")).forEach(key -> runs.add(key.key()));
    return runs;
  }

  private String doctor() {
    StringWriter out = new StringWriter();
    int _ =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(out),
            "doctor",
            "--endpoints",
            String.join(",", cluster.endpoints()));
    return out.toString();
  }

  @Test
  @Tag(LongRun.TAG)
  void writesAreRefusedAndAcceptedAgainAndNobodyEnds() throws IOException {
    stele.tables().create("t", TableSchema.ofFamilies("f"), List.of(Bytes.utf8("m")));
    for (int i = 0; i < ROWS.size(); i++) {
      String address = tablets.address(tablets.servers().get(i));
      var _ = stele.cluster().move("t", Bytes.utf8(ROWS.get(i)), address);
    }
    List<String> sessions = sessions();
    ROWS.forEach(row -> write(row, "first"));
    stele.tables().flush("t");
    ROWS.forEach(row -> write(row, "second"));

    check("nearly full", SmallDisk.fillAllBut(disk, 4 << 20));
    check("full to the last byte", SmallDisk.fill(disk));

    assertThat(sessions()).as("nobody has ended").isEqualTo(sessions);
    assertThat(table().all()).containsExactlyInAnyOrderElementsOf(acknowledged);
    stele.tables().flush("t");
  }

  private void check(String how, Path filler) throws IOException {
    for (String row : ROWS) {
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> write(row, "refused while it was " + how))
                      .isInstanceOf(ExhaustedException.class)
                      .hasMessageContaining(REFUSED));
    }
    assertThat(table().all()).as("reads go on").containsAll(acknowledged);
    String found = doctor();
    for (int server : tablets.servers()) {
      assertThat(found).contains(tablets.address(server) + ": ").contains(REFUSED);
    }
    assertThat(found).doesNotContain("all is well");

    Files.delete(filler);
    long freed = System.nanoTime();
    for (String row : ROWS) {
      await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptionsInstanceOf(ExhaustedException.class)
          .until(() -> write(row, "accepted after it was " + how));
      System.out.printf(
          "cluster, disk %s: %d ms from freed space to the first accepted write of row %s%n",
          how, Duration.ofNanos(System.nanoTime() - freed).toMillis(), row);
    }
  }
}
