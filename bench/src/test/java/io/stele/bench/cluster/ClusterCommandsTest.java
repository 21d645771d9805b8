package io.stele.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.Benchmark;
import io.stele.bench.CommandRun;
import io.stele.bench.Peer;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stele bench recovery} and {@code stele bench scale}, on clusters that do nothing. */
class ClusterCommandsTest {
  private static final Peer<ClusterSide> ABSENT =
      new Peer.Absent<>("HBase", "its jars are nowhere");

  @TempDir private Path temp;

  private CommandRun run(Benchmark<?> command, String... more) {
    return CommandRun.of(
        command, temp, Stream.concat(Stream.of("--quick"), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void recoveryIsMeasuredBySizeBesideThePeerAtBothTimeOuts() throws IOException {
    MemorySides sides = new MemorySides(ABSENT, MemorySides.present("Theirs", 0));
    CommandRun run = run(new RecoveryCommand(sides), "--unflushed=0,1", "--repeat=2");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names())
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
    for (JsonRow result : run.results()) {
      assertThat(result.number("stele")).isPositive();
      if (result.name().endsWith("5s") || result.name().contains("-p99")) {
        assertThat(result.text("peerName")).isEqualTo("Theirs 0");
        assertThat(result.number("peer")).isPositive();
      }
    }
    assertThat(run.out()).contains("Theirs 0: p50 ", " of 2, lost server detected after ");
    List<String> turns = run.progress("recovery-1");
    assertThat(turns).as("they take turns").hasSize(4);
    assertThat(turns.get(0)).contains("Ours");
    assertThat(turns.get(1)).contains("Theirs");
    assertThat(turns.get(2)).as("the other one is first").contains("Theirs");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  @Test
  void aPeerThatIsAbsentIsNamedAndOneThatLosesRowsFails() throws IOException {
    MemorySides sides = new MemorySides(ABSENT, MemorySides.present("Theirs", 3));
    CommandRun run = run(new RecoveryCommand(sides), "--cases=recovery-0");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("FAILED Theirs in round 1: ", "table0 has 997 rows after the crash: must be 1000")
        .contains("HBase is absent: one round of it takes longer than --quick may")
        .contains("Theirs 0 is absent: no round of it was measured");
    for (JsonRow result : run.results()) {
      assertThat(result.fields().get("peer")).as(result.name()).isNull();
      assertThat(result.text("peerName")).endsWith(" (absent)");
    }
  }

  @Test
  void everyCaseOfScaleGivesAResultOnBothSides() throws IOException {
    MemorySides sides = new MemorySides(ABSENT, MemorySides.present("Theirs", 0));
    CommandRun run = run(new ScaleCommand(sides), "--seconds=0.02", "--moves=3", "--tablets=20");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names()).containsExactly("move-p50", "move-p99", "lookups", "spread", "master");
    for (JsonRow result : run.results()) {
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
        "scale    | --tablets   | 9    | --tablets is 9; it must be 10 to 100000",
        "scale    | --moves     | 0    | --moves is 0; it must be 1 to 10000",
        "scale    | --cases     | mave | unknown case 'mave'; did you mean 'move'? The cases are"
            + " move, lookups, spread, master."
      })
  void aWrongOptionIsRefused(String command, String option, String value, String message) {
    MemorySides sides = new MemorySides(ABSENT, ABSENT);
    CommandRun run =
        run(
            command.equals("scale") ? new ScaleCommand(sides) : new RecoveryCommand(sides),
            option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }
}
