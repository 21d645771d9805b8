package io.stele.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.report.JsonReader;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code stele bench recovery} and {@code stele bench scale}, on clusters that do nothing. */
class ClusterCommandsTest {
  private static final Rival ABSENT = new Rival.Absent("HBase", "its jars are nowhere");

  private record Run(int exitCode, String out, String err) {}

  @TempDir private Path temp;

  private Run run(Object command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = new CommandLine(command);
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all =
        Stream.concat(
                Stream.of("--quick", "--dir=" + temp.resolve("data"), "--json=" + json()),
                Stream.of(arguments))
            .toArray(String[]::new);
    int exitCode = commandLine.execute(all);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private Path json() {
    return temp.resolve("results.json");
  }

  private List<JsonRow> results() throws IOException {
    return JsonRow.rows(JsonReader.read(Files.readString(json())));
  }

  @Test
  void recoveryIsMeasuredBySizeBesideThePeerAtBothTimeOuts() throws IOException {
    Rival alike = MemorySides.present("Theirs", 0);
    Run run =
        run(new RecoveryCommand(MemorySides.of(ABSENT, alike)), "--unflushed=0,1", "--repeat=2");

    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
    assertThat(results())
        .extracting(JsonRow::name)
        .containsExactly(
            "recovery-0-write",
            "recovery-0-write-5s",
            "recovery-0-read",
            "recovery-0-read-5s",
            "recovery-1-write",
            "recovery-1-write-5s",
            "recovery-1-read",
            "recovery-1-read-5s",
            "recovery-p99-write",
            "recovery-growth-write",
            "recovery-p99-read",
            "recovery-growth-read");
    for (JsonRow result : results()) {
      assertThat(result.number("stele")).isPositive();
      boolean beside = result.name().endsWith("5s") || result.name().contains("-p99");
      if (beside) {
        assertThat(result.text("peerName")).isEqualTo("Theirs 0");
        assertThat(result.number("peer")).isPositive();
      }
    }
    assertThat(run.out()).contains("Theirs 0: p50 ", " of 2, lost server detected after ");
    List<String> turns = run.err().lines().filter(line -> line.contains(" recovery-1 ")).toList();
    assertThat(turns).as("they take turns").hasSize(4);
    assertThat(turns.get(0)).contains("Ours");
    assertThat(turns.get(1)).contains("Theirs");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  @Test
  void aPeerThatIsAbsentIsNamedAndOneThatLosesRowsFails() throws IOException {
    Rival forgetful = MemorySides.present("Theirs", 3);
    Run run = run(new RecoveryCommand(MemorySides.of(ABSENT, forgetful)), "--cases=recovery-0");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("FAILED Theirs in round 1: ", "table0 has 997 rows after the crash: must be 1000")
        .contains("HBase is absent: one round of it takes longer than --quick may")
        .contains("Theirs 0 is absent: no round of it was measured");
    for (JsonRow result : results()) {
      assertThat(result.fields().get("peer")).as(result.name()).isNull();
      assertThat(result.text("peerName")).endsWith(" (absent)");
    }
  }

  @Test
  void everyCaseOfScaleGivesAResultOnBothSides() throws IOException {
    Rival alike = MemorySides.present("Theirs", 0);
    Run run =
        run(
            new ScaleCommand(MemorySides.of(ABSENT, alike)),
            "--seconds=0.02",
            "--moves=3",
            "--tablets=20");

    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
    assertThat(results())
        .extracting(JsonRow::name)
        .containsExactly("move-p50", "move-p99", "lookups", "spread", "master");
    for (JsonRow result : results()) {
      assertThat(result.text("peerName")).isEqualTo("Theirs 0");
      assertThat(result.number("peer")).isPositive();
    }
    assertThat(run.out()).contains("20 tablets; 3 moves");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "recovery | --unflushed | -1   | --unflushed is -1; it must be 0 to 16384",
        "recovery | --cases     | recovery-17 | unknown case 'recovery-17'; did you mean"
            + " 'recovery-16'? The cases are recovery-0, recovery-16.",
        "recovery | --repeat    | 0    | --repeat is 0; it must be 1 to 1000",
        "scale    | --tablets   | 9    | --tablets is 9; it must be 10 to 100000",
        "scale    | --moves     | 0    | --moves is 0; it must be 1 to 10000",
        "scale    | --cases     | mave | unknown case 'mave'; did you mean 'move'? The cases are"
            + " move, lookups, spread, master.",
        "scale    | --seconds   | 0    | --seconds is 0.0; it must be 0.001 to 600"
      })
  void aWrongOptionIsRefused(String command, String option, String value, String message) {
    MemorySides sides = MemorySides.of(ABSENT, ABSENT);
    Run run =
        run(
            command.equals("scale") ? new ScaleCommand(sides) : new RecoveryCommand(sides),
            option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void listNamesEveryCase() {
    MemorySides sides = MemorySides.of(ABSENT, ABSENT);
    assertThat(run(new RecoveryCommand(sides), "--list").out())
        .containsPattern("(?m)^recovery-0 +\\S")
        .containsPattern("(?m)^recovery-16 +\\S");
    assertThat(run(new ScaleCommand(sides), "--list").out())
        .containsPattern("(?m)^move +\\S")
        .containsPattern("(?m)^master +\\S");
  }
}
