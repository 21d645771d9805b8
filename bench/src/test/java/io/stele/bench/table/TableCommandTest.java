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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TableCommandTest {

  private record Run(int exitCode, String out, String err) {}

  private record Sides(Side ours, Peer peer) implements TableCommand.Sides {
    @Override
    public Side stele(List<String> moreFlags) {
      return ours;
    }

    @Override
    public Peer peer(boolean offline, Progress progress) {
      return peer;
    }
  }

  @TempDir private Path temp;

  private static Run run(Peer peer, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        new CommandLine(new TableCommand(new Sides(new MemorySide("Ours"), peer)));
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(arguments);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private Run tinyRun(Peer peer, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("--quick", "--seconds=0.02", "--records=1000", "--unflushed=1"));
    arguments.add("--dir=" + temp.resolve("data"));
    arguments.addAll(List.of(more));
    return run(peer, arguments.toArray(String[]::new));
  }

  private static Peer present() {
    return new Peer.Present(new MemorySide("Theirs"));
  }

  private static List<JsonRow> readResults(Path json) throws IOException {
    return JsonRow.rows(JsonReader.read(Files.readString(json)));
  }

  @Test
  void everyCaseGivesAResultOnBothSides() throws IOException {
    Path json = temp.resolve("results.json");
    Run run = tinyRun(present(), "--threads=1,4", "--json=" + json);

    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
    List<JsonRow> results = readResults(json);
    assertThat(results)
        .extracting(JsonRow::name)
        .containsExactly(
            "load-1",
            "load-4",
            "a-1",
            "a-4",
            "b-1",
            "b-4",
            "c-1",
            "c-4",
            "f-1",
            "f-4",
            "d-1",
            "d-4",
            "e-1",
            "e-4",
            "memory",
            "start",
            "recovery");
    for (JsonRow result : results) {
      assertThat(result.fields())
          .containsOnlyKeys(
              "case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met", "note");
      assertThat(result.text("peerName")).isEqualTo("Theirs 0");
      assertThat(result.number("goal")).isEqualTo(result.name().equals("memory") ? 2 : 5);
      assertThat(run.out()).contains(result.name());
    }
    assertThat(run.out()).contains("processors", "fsync of a", "1, 4 threads");
    assertThat(run.out()).contains("p50/p99 µs: Ours ", ", Theirs ", "CPU µs a operation");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  @Test
  void theSidesTakeTurns() {
    Run run = tinyRun(present(), "--cases=c", "--repeat=2");
    List<String> turns = run.err().lines().filter(line -> line.contains(" c-16 ")).toList();
    assertThat(turns).as(run.err()).hasSize(4);
    for (int i = 0; i < turns.size(); i++) {
      assertThat(turns.get(i))
          .contains("%d/2".formatted(i / 2 + 1))
          .contains(i % 2 == 0 ? "Ours" : "Theirs");
    }
  }

  @Test
  void anAbsentPeerIsNamedAndSteleMeasuredAlone() throws IOException {
    Path json = temp.resolve("results.json");
    Run run =
        tinyRun(
            new Peer.Absent("HBase", "its jars are nowhere"),
            "--cases=memory,a-16,start",
            "--json=" + json);

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .containsPattern("HBase +ABSENT: its jars are nowhere")
        .containsPattern("a-16 .* absent ");
    List<JsonRow> results = readResults(json);
    assertThat(results).extracting(JsonRow::name).containsExactly("a-16", "memory", "start");
    for (JsonRow result : results) {
      assertThat(result.text("peerName")).isEqualTo("HBase (absent)");
      assertThat(result.fields().get("peer")).isNull();
      assertThat(result.fields().get("met")).isNull();
      assertThat(result.number("stele")).isPositive();
      assertThat(result.text("note")).contains("HBase is absent: its jars are nowhere");
    }
  }

  @Test
  void aWrongAnswerFailsItsCaseLoudlyAndTheOthersRun() throws IOException {
    Path json = temp.resolve("results.json");
    Run run =
        tinyRun(
            new Peer.Present(new MemorySide("Theirs", "forgetful")),
            "--cases=c,e,f",
            "--json=" + json);

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains(
            "FAILED e-16: ", "Theirs's client, asked to 'run E usertable 1000 16", "a scan of");
    assertThat(readResults(json)).extracting(JsonRow::name).containsExactly("c-16", "f-16");
  }

  @Test
  void listNamesEveryCase() {
    Run run = run(present(), "--list");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    for (String name : List.of("load-1", "load-64", "a-16", "e-64", "memory", "recovery")) {
      assertThat(run.out()).containsPattern("(?m)^" + name + " +\\S");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--cases   | g-16 | unknown case 'g-16'; did you mean 'a-16'? The cases are load-1,"
            + " load-16",
        "--threads | 0    | --threads is 0; it must be 1 to 1000",
        "--records | 99   | --records is 99; it must be 100 to 1000000000",
        "--repeat  | 0    | --repeat is 0; it must be 1 to 1000",
        "--seconds | 0    | --seconds is 0.0; it must be 0.001 to 600",
        "--unflushed | 0  | --unflushed is 0; it must be 1 to 1048576",
        "--json    | no/a | --json is no/a; it must be a file in a directory that exists"
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    Run run = run(present(), "--dir=" + temp.resolve("data"), option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }
}
