package io.stele.bench.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Progress;
import io.stele.bench.report.JsonReader;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The cases of Bigtable's API, with stores in memory on both sides. */
class BigtableCommandTest {
  private static final TableCommand.Sides SIDES =
      new TableCommand.Sides() {
        @Override
        public Side stele(List<String> moreFlags) {
          return new MemorySide("Ours");
        }

        @Override
        public Peer peer(boolean offline, Progress progress) {
          return new Peer.Present(new MemorySide("Theirs"));
        }

        @Override
        public List<TableCase> cases(List<Integer> threads) {
          return TableBench.bigtableCases(threads);
        }
      };

  @TempDir private Path temp;

  @Test
  void everyCaseGivesAResultOnBothSides() throws IOException {
    Path json = temp.resolve("results.json");
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new BigtableCommand(SIDES))
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err))
            .execute(
                "--quick",
                "--seconds=0.02",
                "--records=1000",
                "--dir=" + temp.resolve("data"),
                "--json=" + json);
    assertThat(exitCode).as(err.toString()).isEqualTo(ExitCode.OK);
    List<JsonRow> results = JsonRow.rows(JsonReader.read(Files.readString(json)));
    assertThat(results)
        .extracting(JsonRow::name)
        .containsExactly("load-16", "a-16", "b-16", "c-16", "f-16", "d-16", "e-16", "sweep-16");
    assertThat(results)
        .allSatisfy(
            result -> {
              assertThat(result.number("stele")).isPositive();
              assertThat(result.number("peer")).isPositive();
              assertThat(result.number("goal")).isEqualTo(1);
            });
  }

  @Test
  void theCommandIsKnownByItsName() {
    assertThat(new CommandLine(new BigtableCommand(SIDES)).getCommandName()).isEqualTo("bigtable");
  }
}
