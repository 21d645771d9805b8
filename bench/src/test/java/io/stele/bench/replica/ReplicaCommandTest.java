package io.stele.bench.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.table.Consistency.Acks;
import io.stele.bench.CommandRun;
import io.stele.bench.Peer;
import io.stele.bench.replica.MemorySides.MemorySide;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stele bench replica}, on tables that are sets. */
class ReplicaCommandTest {
  private final ReplicaSides sides = MemorySides.of(new Peer.Present<>(MemorySides.LIMIT));
  private final MemorySide replicated = (MemorySide) sides.replicated();
  private final MemorySide tablets = (MemorySide) sides.tablets();

  @TempDir private Path temp;

  private CommandRun run(ReplicaSides chosen, String... more) {
    return CommandRun.of(
        new ReplicaCommand(chosen),
        temp,
        Stream.concat(
                Stream.of("--quick", "--seconds=0.02", "--megabytes=1", "--cut=0"), Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void everyCaseGivesAResultBesideTheLimit() throws IOException {
    CommandRun run = run(sides);

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names())
        .containsExactly(
            "write-one-1",
            "write-majority-1",
            "write-all-1",
            "write-tablet-1",
            "write-one-16",
            "write-majority-16",
            "write-all-16",
            "write-tablet-16",
            "write-one-64",
            "write-majority-64",
            "write-all-64",
            "write-tablet-64",
            "converge",
            "split",
            "replace",
            "split-tablet",
            "replace-tablet");
    for (JsonRow result : run.results()) {
      assertThat(result.number("stele")).as(result.name()).isPositive();
      assertThat(result.text("peerName")).isEqualTo("Bound 7");
      boolean rate = result.name().startsWith("write");
      assertThat(result.text("unit")).isEqualTo(rate ? "writes/s" : "s");
      double ratio =
          rate
              ? result.number("stele") / result.number("peer")
              : result.number("peer") / result.number("stele");
      assertThat(result.number("ratio")).as(result.name()).isCloseTo(ratio, percent(5));
    }
    assertThat(run.out())
        .contains("of the tablet table's rate", "p50/p99 µs: majority ", "CPU µs a write")
        .contains("writes missed in a cut of 0 s", "1 MB; 16 writers had ", "ms without one");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
    assertThat(replicated.levels).containsExactlyInAnyOrder(Acks.values());
    assertThat(replicated.asked).as("servers that took writes").containsExactlyInAnyOrder(0, 1, 2);
    assertThat(String.join(", ", replicated.deeds))
        .isEqualTo(
            "start, create writes, close, start, create cut, pause, resume, drop cut, close,"
                + " start, create bulk, split, spare, kill, close");
    assertThat(String.join(", ", tablets.deeds))
        .as("without replicas that are cut off")
        .isEqualTo("start, create writes, close, start, create bulk, split, spare, kill, close");
  }

  private static Percentage percent(double value) {
    return Percentage.withPercentage(value);
  }

  @Test
  void levelsTheTabletTableAndTheLimitTakeTurns() {
    CommandRun run = run(sides, "--cases=write-1", "--repeat=2");
    assertThat(
            run.progress("write-1").stream()
                .map(line -> line.replaceFirst(".* write-1 +\\d/\\d +(\\S+) .*", "$1")))
        .containsExactly(
            "one",
            "majority",
            "all",
            "tablet",
            "Bound",
            "Bound",
            "tablet",
            "all",
            "majority",
            "one");
  }

  @Test
  void replicasThatDifferInTheEndAreAFailure() throws IOException {
    replicated.differs = true;
    CommandRun run = run(sides, "--cases=converge,split");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("FAILED replicated table in round 1: ", "replicas of cut differ: must be alike");
    assertThat(run.names()).containsExactly("split", "split-tablet");
    assertThat(replicated.deeds).endsWith("close");
  }

  @Test
  void aWriterThatIsRefusedIsAFailure() {
    replicated.refuses = true;
    CommandRun run = run(sides, "--cases=write-1,split");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out()).contains("FAILED writes: ", "refused").contains("a writer failed");
  }

  @Test
  void aLimitThatIsAbsentIsNamed() throws IOException {
    CommandRun run =
        run(MemorySides.of(new Peer.Absent<>("Bound", "no library")), "--cases=write-1,split");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("ABSENT: no library", "Bound is absent: no library");
    for (JsonRow result : run.results()) {
      assertThat(result.fields().get("peer")).as(result.name()).isNull();
      assertThat(result.text("peerName")).isEqualTo("Bound (absent)");
    }
  }

  @Test
  void rocksWritesAndLoads() throws Exception {
    if (RocksLimit.find() instanceof Peer.Present(Limit rocks)) {
      Path one = Files.createDirectory(temp.resolve("one"));
      assertThat(rocks.write(one, 4, Duration.ofMillis(50)).runs()).isPositive();
      Path other = Files.createDirectory(temp.resolve("other"));
      assertThat(rocks.load(other, 3_000_000)).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--megabytes | 0     | --megabytes is 0; it must be 1 to 65536",
        "--cut       | 601   | --cut is 601; it must be 0 to 600",
        "--repeat    | 0     | --repeat is 0; it must be 1 to 1000",
        "--cases     | splat | unknown case 'splat'; did you mean 'split'? The cases are write-1,"
            + " write-16, write-64, converge, split, replace."
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    CommandRun run = run(sides, option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void listNamesEveryCase() {
    assertThat(run(sides, "--list").out())
        .containsPattern("(?m)^write-64 +\\S")
        .containsPattern("(?m)^replace +\\S");
  }
}
