package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.schema.TableSchema;
import io.stele.cli.ExitCode;
import io.stele.cli.Main;
import io.stele.client.Stele;
import io.stele.client.table.RowMutation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele meta rebuild} after the data directory of the metastore was lost. */
@Timeout(60)
class MetaRebuildTest {
  @TempDir Path folder;

  private String files() {
    return "tables.files=" + folder.resolve("files");
  }

  private record Run(int exitCode, String out, String err) {}

  private Run rebuild(String endpoint, String... more) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] words = {
      "meta", "rebuild", "--files", folder.resolve("files").toString(), "--endpoints", endpoint
    };
    String[] all = Arrays.copyOf(words, words.length + more.length);
    System.arraycopy(more, 0, all, words.length, more.length);
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), all);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private void loseAndRebuild(String... flags) throws IOException {
    String[] all = Arrays.copyOf(flags, flags.length + 1);
    all[flags.length] = files();
    try (TestServer first = TestServer.start(folder.resolve("first"), all);
        Stele stele = Stele.connect(first.address())) {
      stele.tables().create("t", TableSchema.ofFamilies("f"), List.of());
      for (int i = 0; i < 20; i++) {
        stele.table("t").put("row" + i, "f", "q", "value");
      }
      stele.table("t").mutate(RowMutation.of("row7").deleteRow());
      Run refused = rebuild(first.address());
      assertThat(refused.exitCode()).isNotEqualTo(ExitCode.OK);
      assertThat(refused.err()).containsAnyOf("are running", "nothing to rebuild");
    }
    try (TestServer metastore =
        TestServer.start(folder.resolve("second"), "server.roles=metastore")) {
      Run dry = rebuild(metastore.address(), "--dry-run");
      assertThat(dry.err()).isEmpty();
      assertThat(dry.out()).contains("would rebuild").contains("1 tables, 1 tablets");
      Run run = rebuild(metastore.address());
      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
      assertThat(run.out()).startsWith("rebuilt META").contains("table: t");
      assertThat(rebuild(metastore.address()).err()).contains("nothing to rebuild");
    }
    try (TestServer second = TestServer.start(folder.resolve("second"), all);
        Stele stele = Stele.connect(second.address())) {
      await("that the table is served")
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> stele.table("t").get("row3").isPresent());
      for (int i = 0; i < 20; i++) {
        assertThat(stele.table("t").get("row" + i).isPresent()).as("row %s", i).isEqualTo(i != 7);
      }
      stele.table("t").put("new", "f", "q", "value");
    }
  }

  @Test
  void aServerAloneServesTheTablesOfTheMetastoreThatWasLost() throws IOException {
    loseAndRebuild();
  }

  @Test
  void aClusterServesTheTablesOfTheMetastoreThatWasLost() throws IOException {
    loseAndRebuild("tables.shared=true");
  }
}
