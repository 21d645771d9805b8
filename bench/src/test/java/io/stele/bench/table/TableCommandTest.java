package io.stele.bench.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.CommandRun;
import io.stele.bench.Peer;
import io.stele.bench.measure.Progress;
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
import picocli.CommandLine;

/** {@code stele bench table} and {@code stele bench bigtable}, with stores in memory. */
class TableCommandTest {

  private record Sides(TableSide ours, Peer<TableSide> peer) implements TableCommand.Sides {
    @Override
    public TableSide stele(List<String> moreFlags) {
      return ours;
    }

    @Override
    public Peer<TableSide> peer(boolean offline, Progress progress) {
      return peer;
    }
  }

  private static final Peer<TableSide> PRESENT = new Peer.Present<>(new MemorySide("Theirs"));

  @TempDir private Path temp;

  private static Sides beside(Peer<TableSide> peer) {
    return new Sides(new MemorySide("Ours"), peer);
  }

  private CommandRun run(TableCommand command, String... more) {
    return CommandRun.of(
        command,
        temp,
        Stream.concat(
                Stream.of("--quick", "--seconds=0.02", "--records=1000", "--unflushed=1"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private CommandRun run(Peer<TableSide> peer, String... more) {
    return run(new TableCommand(beside(peer)), more);
  }

  @Test
  void everyCaseGivesAResultOnBothSides() throws IOException {
    CommandRun run = run(PRESENT, "--threads=1,4", "--repeat=2");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names())
        .containsExactlyElementsOf(
            Stream.concat(
                    Stream.of("load", "a", "b", "c", "f", "d", "e")
                        .flatMap(group -> Stream.of(group + "-1", group + "-4")),
                    Stream.of("memory", "start", "recovery"))
                .toList());
    for (JsonRow result : run.results()) {
      assertThat(result.fields())
          .containsOnlyKeys(
              "case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met", "note");
      assertThat(result.text("peerName")).isEqualTo("Theirs 0");
      assertThat(result.number("goal")).isEqualTo(result.name().equals("memory") ? 2 : 5);
      assertThat(run.out()).contains(result.name());
    }
    assertThat(run.out())
        .contains("processors", "fsync of a", "1, 4 threads")
        .contains("p50/p99 µs: Ours ", ", Theirs ", "CPU µs a operation")
        .contains("live heap after a full collection", "1,000 operations of workload A");
    List<String> turns = run.progress("c-1");
    assertThat(turns.get(0)).contains("1/2", "Ours");
    assertThat(turns.get(1)).contains("1/2", "Theirs");
    assertThat(turns.get(2)).as("the other one is first").contains("2/2", "Theirs");
    assertThat(turns.get(3)).contains("2/2", "Ours");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  @Test
  void everyCaseOfBigtableGivesAResultOnBothSides() throws IOException {
    CommandRun run = run(new BigtableCommand(beside(PRESENT)));

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names())
        .containsExactly("load-16", "a-16", "b-16", "c-16", "f-16", "d-16", "e-16", "sweep-16");
    assertThat(run.results()).allMatch(result -> result.number("peer") > 0);
    assertThat(run.results()).allMatch(result -> result.number("goal") == 1);
    assertThat(new CommandLine(new BigtableCommand()).getCommandName()).isEqualTo("bigtable");
  }

  @Test
  void anAbsentPeerIsNamedAndSteleMeasuredAlone() throws IOException {
    CommandRun run =
        run(new Peer.Absent<>("HBase", "its jars are nowhere"), "--cases=memory,a-16,start");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .containsPattern("HBase +ABSENT: its jars are nowhere")
        .containsPattern("a-16 .* absent ");
    assertThat(run.names()).containsExactly("a-16", "memory", "start");
    for (JsonRow result : run.results()) {
      assertThat(result.text("peerName")).isEqualTo("HBase (absent)");
      assertThat(result.fields().get("peer")).isNull();
      assertThat(result.fields().get("met")).isNull();
      assertThat(result.number("stele")).isPositive();
      assertThat(result.text("note")).contains("HBase is absent: its jars are nowhere");
    }
  }

  @Test
  void aWrongAnswerFailsItsCaseLoudlyAndTheOthersRun() throws IOException {
    CommandRun run =
        run(new Peer.Present<>(new MemorySide("Theirs", "forgetful")), "--cases=c,e,f");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains(
            "FAILED e-16: ", "Theirs's client, asked to 'run E usertable 1000 16", "a scan of");
    assertThat(run.names()).containsExactly("c-16", "f-16");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--cases   | g-16 | unknown case 'g-16'; did you mean 'a-16'? The cases are load-16,",
        "--threads | 0    | --threads is 0; it must be 1 to 1000",
        "--records | 99   | --records is 99; it must be 100 to 1000000000",
        "--unflushed | 0  | --unflushed is 0; it must be 1 to 1048576"
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    CommandRun run = run(PRESENT, option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }
}
