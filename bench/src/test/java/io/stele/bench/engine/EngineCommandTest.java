package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stele.base.error.ExhaustedException;
import io.stele.bench.CommandRun;
import io.stele.bench.Peer;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import io.stele.engine.disk.Codec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineCommandTest {

  private static Peer<EngineSide> absentPeer(Codec codec) {
    return RocksSide.find(
        codec,
        () -> {
          throw new UnsatisfiedLinkError("no librocksdbjni for this machine");
        });
  }

  /** A peer that is there and breaks at once. */
  private record BrokenSide(String name, String version) implements EngineSide {
    @Override
    public Map<String, String> facts() {
      return Map.of(name, "");
    }

    @Override
    public Engine open(Path directory, Records records, long cacheBytes) throws IOException {
      throw new IOException("the peer cannot open " + directory.getFileName());
    }
  }

  @TempDir private Path temp;

  /** A run that ends within seconds. */
  private CommandRun run(Function<Codec, Peer<EngineSide>> peers, String... more) {
    return CommandRun.of(
        new EngineCommand(peers),
        temp,
        Stream.concat(Stream.of("--records=2000", "--seconds=0.01", "--repeat=1"), Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void everyCaseGivesResultsOnBothSides() throws IOException {
    CommandRun run = run(RocksSide::find);

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    List<String> sized =
        List.of(
            "fill-sync",
            "fill",
            "disk-bytes",
            "get-cached-1t",
            "get-cached-2t",
            "get-uncached-1t",
            "get-uncached-2t",
            "scan",
            "seek50");
    assertThat(run.names())
        .containsExactlyElementsOf(
            Stream.of(
                    sized.stream().map(name -> name + "-100B"),
                    sized.stream().map(name -> name + "-1KB"),
                    Stream.of("open", "growth-get", "growth-scan"))
                .flatMap(names -> names)
                .toList());
    for (JsonRow result : run.results()) {
      assertThat(result.fields())
          .containsOnlyKeys(
              "case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met", "note");
      assertThat(result.text("peerName")).startsWith("RocksDB ");
      assertRatio(result);
      assertThat(run.out()).contains(result.name());
    }
    assertThat(run.out())
        .startsWith("NOT FIT TO BE RECORDED: rounds: 1, and at least 3 are needed")
        .contains("processors", "fsync of a", "jvm flags", "Stele", "RocksDB", "blocks of 4KiB")
        .contains("CASE", "RATIO", "GOAL", "MET", "NOTE");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  private static void assertRatio(JsonRow result) {
    double stele = result.number("stele");
    double peer = result.number("peer");
    String name = result.name();
    boolean growth = name.startsWith("growth");
    double expected =
        growth
            ? 1 / stele
            : Set.of("ms", "bytes").contains(result.text("unit")) ? peer / stele : stele / peer;
    assertThat(stele).as(name).isPositive();
    assertThat(peer).as(name).isPositive();
    assertThat(result.number("ratio")).as(name).isCloseTo(expected, within(0.002 + expected / 100));
    assertThat(result.number("goal")).as(name).isEqualTo(growth ? 0.769 : 1);
  }

  @Test
  void anAbsentPeerIsNamedAndSteleMeasuredAlone() throws IOException {
    CommandRun run = run(EngineCommandTest::absentPeer, "--cases=fill,disk-bytes,growth");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .containsPattern("RocksDB +ABSENT: no librocksdbjni for this machine")
        .containsPattern("fill-100B .* absent ");
    assertThat(run.results()).hasSize(6);
    for (JsonRow result : run.results()) {
      assertThat(result.text("peerName")).isEqualTo("RocksDB (absent)");
      assertThat(result.fields().get("peer")).isNull();
      assertThat(result.number("stele")).isPositive();
      assertThat(result.text("note")).contains("RocksDB is absent: no librocksdbjni");
      boolean growth = result.name().startsWith("growth");
      assertThat(result.fields().get("met") instanceof Boolean).isEqualTo(growth);
    }
  }

  @Test
  void onlyTheWantedCasesAndSizesRun() throws IOException {
    CommandRun run = run(RocksSide::find, "--case=scan", "--value-size=64", "--codec=lz4");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names()).containsExactly("scan-64B");
    assertThat(run.out()).contains("codec lz4").doesNotContain("codec none");
    assertThat(run.results().getFirst().text("note"))
        .as("the way that gave RocksDB's figure, and the others")
        .contains("RocksDB by ", "arrays", "direct buffers");
  }

  @Test
  void listNamesEveryCase() {
    assertThat(run(RocksSide::find, "--list").out())
        .contains("fill-sync", "fill ", "get-cached", "get-uncached", "scan", "seek50")
        .contains("open", "disk-bytes", "growth");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--records    | 0    | --records is 0; it must be 1 to 1000000000000",
        "--repeat     | 0    | --repeat is 0; it must be 1 to 1000",
        "--seconds    | 0    | --seconds is 0.0; it must be 0.001 to 600",
        "--value-size | 7    | --value-size is 7; it must be 8 to 524288",
        "--codec      | zip  | 'zip' is not one of none, lz4, zstd, snappy",
        "--json       | no/a | --json is no/a; it must be a file in a directory that exists",
        "--case       | get-cache | unknown case 'get-cache'; did you mean 'get-cached'? The cases"
            + " are fill-sync, fill, disk-bytes, get-cached, get-uncached, scan, seek50, open"
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    CommandRun run = run(RocksSide::find, option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void aDirectoryWithSomethingInItIsRefusedAndLeftAlone() throws IOException {
    Path data = Files.createDirectory(temp.resolve("data"));
    Path precious = Files.writeString(data.resolve("thesis.txt"), "ten years");
    CommandRun run = run(RocksSide::find, "--case=fill");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.err()).contains("holds 'thesis.txt'");
    assertThat(precious).hasContent("ten years");
  }

  @Test
  void aCaseThatFailsIsNamedAndTheOthersRun() throws IOException {
    CommandRun run =
        run(_ -> new Peer.Present<>(new BrokenSide("Broken", "0")), "--cases=fill,scan");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("FAILED fill-100B: ", "the peer cannot open fill-100B-Broken")
        .contains("FAILED scan-1KB: ");
    assertThat(run.results()).isEmpty();
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void tooSmallAHeapIsSaidBeforehand() {
    EngineCommand full = new EngineCommand();
    assertThatThrownBy(() -> full.checkHeap(1L << 30))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContainingAll("1,024 MiB", "STELE_JAVA_OPTS=-Xmx", "--records");
    assertThatNoException().isThrownBy(() -> full.checkHeap(6L << 30));
    long data = 2_000_000L * (16 + 1024);
    assertThat(full.neededDiskBytes())
        .as("both sides and a compaction")
        .isBetween(3 * data, 5 * data);
  }
}
