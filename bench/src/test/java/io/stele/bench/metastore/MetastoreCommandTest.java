package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stele.bench.CommandRun;
import io.stele.bench.Peer;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetastoreCommandTest {

  @TempDir private Path temp;

  private CommandRun run(Peer<MetastoreSide> peer, String... more) {
    return CommandRun.of(
        new MetastoreCommand(_ -> new MemorySide("Ours"), _ -> peer),
        temp,
        Stream.concat(
                Stream.of("--quick", "--seconds=0.02", "--keys=1000", "--compacted-keys=1000"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private static Peer<MetastoreSide> present() {
    return new Peer.Present<>(new MemorySide("Theirs"));
  }

  @Test
  void everyCaseGivesResultsOnBothSidesForEachSizeOfGroup() throws IOException {
    CommandRun run = run(present());

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    List<JsonRow> results = run.results();
    assertThat(run.names())
        .containsExactly(
            "put-1-m1",
            "put-64-m1",
            "put-512-m1",
            "memory-m1",
            "get-1-m1",
            "get-64-m1",
            "get-512-m1",
            "range-100-m1",
            "txn-m1",
            "txn-at-once-m1",
            "watch-1000-m1",
            "watch-1000-p50-m1",
            "watch-1000-p99-m1",
            "put-1-m3",
            "put-64-m3",
            "put-512-m3",
            "memory-m3",
            "get-1-m3",
            "get-64-m3",
            "get-512-m3",
            "range-100-m3",
            "txn-m3",
            "txn-at-once-m3",
            "watch-1000-m3",
            "watch-1000-p50-m3",
            "watch-1000-p99-m3",
            "store-1k-load",
            "store-1k-memory",
            "store-1k-get",
            "store-1k-restart",
            "store-1k-disk",
            "compaction-1k-load",
            "compaction-1k-before",
            "compaction-1k-during",
            "compaction-1k-after",
            "compaction-1k-slowdown",
            "compaction-1k-disk",
            "compaction-1k-restart");
    for (JsonRow result : results) {
      assertThat(result.fields())
          .containsOnlyKeys(
              "case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met", "note");
      assertThat(result.text("peerName")).isEqualTo("Theirs 0");
      assertRatio(result);
      assertGoal(result);
      assertThat(run.out()).contains(result.name());
    }
    assertThat(run.out()).contains("processors", "fsync of a", "jvm flags", "groups of 1 and 3");
    assertThat(run.out()).contains("p50/p99 µs: Ours ", ", Theirs ");
    assertThat(run.out())
        .containsPattern("CPU µs a request, servers\\+clients: Ours [0-9,]+\\+[0-9,]+, T");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  private static void assertRatio(JsonRow result) {
    double stele = result.number("stele");
    double peer = result.number("peer");
    boolean lower = Set.of("ms", "µs", "bytes").contains(result.text("unit"));
    double expected =
        switch (result.name()) {
          case "compaction-1k-slowdown" -> 1 / stele; // held against itself
          case "compaction-1k-restart" -> 10_000 / stele; // held against ten seconds
          default -> lower ? peer / stele : stele / peer;
        };
    assertThat(stele).as(result.name()).isPositive();
    assertThat(result.number("ratio"))
        .as(result.name())
        .isCloseTo(expected, within(0.002 + expected / 100));
  }

  private static void assertGoal(JsonRow result) {
    String name = result.name();
    Optional<Double> goal =
        switch (name) {
          case "store-1k-get", "compaction-1k-disk" -> Optional.of(2.0);
          case "compaction-1k-slowdown" -> Optional.of(0.9);
          case "compaction-1k-restart" -> Optional.of(1.0);
          default ->
              Stream.of("memory", "store", "compaction").anyMatch(name::startsWith)
                  ? Optional.empty()
                  : Optional.of(name.contains("get") ? 2.0 : 1.0);
        };
    if (goal.isEmpty()) {
      assertThat(result.fields().get("goal")).as(name).isNull();
      assertThat(result.fields().get("met")).as(name).isNull();
    } else {
      assertThat(result.number("goal")).as(name).isEqualTo(goal.get());
      assertThat(result.fields().get("met"))
          .as(name)
          .isEqualTo(result.number("ratio") >= goal.get());
    }
  }

  @Test
  void theSidesTakeTurns() {
    CommandRun run = run(present(), "--cases=get-1", "--members=1", "--repeat=3");

    List<String> turns = run.progress("get-1-m1");
    List<String> order = List.of("Ours", "Theirs", "Theirs", "Ours", "Ours", "Theirs");
    assertThat(turns).as(run.said()).hasSize(6);
    for (int i = 0; i < turns.size(); i++) {
      assertThat(turns.get(i))
          .contains("%d/3".formatted(i / 2 + 1))
          .contains(" " + order.get(i) + " ");
    }
  }

  @Test
  void anAbsentPeerIsNamedAndSteleMeasuredAlone() throws IOException {
    CommandRun run =
        run(
            EtcdSide.find("etcd-that-is-not-installed"),
            "--cases=put-1,memory,watch-1000,store",
            "--members=1");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .containsPattern("etcd +ABSENT: no program 'etcd-that-is-not-installed' is on the path")
        .containsPattern("put-1-m1 .* absent ");
    List<JsonRow> results = run.results();
    assertThat(results).hasSize(10);
    for (JsonRow result : results) {
      assertThat(result.text("peerName")).isEqualTo("etcd (absent)");
      assertThat(result.fields().get("peer")).isNull();
      assertThat(result.fields().get("met")).isNull();
      assertThat(result.number("stele")).isPositive();
      assertThat(result.text("note")).contains("etcd is absent: no program");
    }
  }

  @Test
  void aWrongAnswerFailsItsCaseLoudlyAndTheOthersRun() throws IOException {
    CommandRun run =
        run(
            new Peer.Present<>(new MemorySide("Theirs", true)),
            "--cases=get-1,range-100,txn",
            "--members=1");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out()).contains("FAILED range-100-m1: ", "was asked for and '/bench/keys/");
    assertThat(run.names()).containsExactly("get-1-m1", "txn-m1");
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void listNamesEveryCase() {
    CommandRun run = run(present(), "--list");

    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    for (var each : new MetastoreCommand().cases()) {
      assertThat(run.out()).containsPattern("(?m)^" + each.name() + " +\\S");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--members | 0    | --members is 0; it must be 1 to 7",
        "--members | 1,8  | --members is 8; it must be 1 to 7",
        "--repeat  | 0    | --repeat is 0; it must be 1 to 1000",
        "--seconds | 0    | --seconds is 0.0; it must be 0.001 to 600",
        "--keys    | 99   | --keys is 99; it must be 100 to 10000000000",
        "--api     | http | --api is 'http': must be native or etcd",
        "--cases   | put-65 | unknown case 'put-65'; did you mean 'put-64'? The cases are put-1,"
            + " put-64, put-512, memory, get-1"
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    CommandRun run = run(present(), option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }
}
