package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class EngineCommandTest {

  private static Peer absentPeer() {
    return RocksSide.find(
        () -> {
          throw new UnsatisfiedLinkError("no librocksdbjni for this machine");
        });
  }

  /** A peer that is there and breaks at once. */
  private static final class BrokenSide implements EngineSide {
    @Override
    public String name() {
      return "Broken";
    }

    @Override
    public String options(EngineOptions options) {
      return "";
    }

    @Override
    public Engine open(Path directory, Records records, EngineOptions options) throws IOException {
      throw new IOException("the peer cannot open " + directory.getFileName());
    }
  }

  private record Run(int exitCode, String out, String err) {}

  @TempDir private Path temp;

  private static Run run(Supplier<Peer> peers, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = new CommandLine(new EngineCommand(peers));
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(arguments);
    return new Run(exitCode, out.toString(), err.toString());
  }

  /** A run of all cases that ends within seconds. */
  private Run tinyRun(Supplier<Peer> peers, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("--records", "2000", "--seconds", "0.01", "--repeat", "1"));
    arguments.addAll(List.of("--dir", temp.resolve("data").toString()));
    arguments.addAll(List.of(more));
    return run(peers, arguments.toArray(String[]::new));
  }

  private static List<JsonRow> readResults(Path json) throws IOException {
    return JsonRow.rows(JsonReader.read(Files.readString(json)));
  }

  @Test
  void everyCaseGivesResultsOnBothSides() throws IOException {
    Path json = temp.resolve("results.json");
    Run run = tinyRun(RocksSide::find, "--json", json.toString());

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    List<JsonRow> results = readResults(json);
    assertThat(results)
        .extracting(JsonRow::name)
        .containsExactly(
            "fill-sync-100B",
            "fill-100B",
            "disk-bytes-100B",
            "get-cached-1t-100B",
            "get-cached-2t-100B",
            "get-uncached-1t-100B",
            "get-uncached-2t-100B",
            "scan-100B",
            "seek50-100B",
            "fill-sync-1KB",
            "fill-1KB",
            "disk-bytes-1KB",
            "get-cached-1t-1KB",
            "get-cached-2t-1KB",
            "get-uncached-1t-1KB",
            "get-uncached-2t-1KB",
            "scan-1KB",
            "seek50-1KB",
            "open",
            "growth-get",
            "growth-scan");
    for (JsonRow result : results) {
      assertThat(result.fields())
          .containsOnlyKeys(
              "case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met", "note");
      assertThat(result.text("peerName")).startsWith("RocksDB ");
      assertRatio(result);
      assertThat(run.out()).contains(result.name());
    }
    assertThat(run.out())
        .contains("processors", "fsync of a", "jvm flags", "Stele", "RocksDB", "blocks of 4KiB")
        .contains("CASE", "RATIO", "GOAL", "MET", "NOTE");
    assertThat(run.err()).contains("fill-sync-100B", "growth-scan");
    assertThat(temp.resolve("data")).as("the data").doesNotExist();
  }

  private static void assertRatio(JsonRow result) {
    double stele = result.number("stele");
    double peer = result.number("peer");
    double ratio = result.number("ratio");
    double goal = result.number("goal");
    String name = result.name();
    boolean growth = name.startsWith("growth");
    double expected =
        growth
            ? 1 / stele
            : Set.of("ms", "bytes").contains(result.text("unit")) ? peer / stele : stele / peer;
    assertThat(stele).as(name).isPositive();
    assertThat(peer).as(name).isPositive();
    assertThat(ratio).as(name).isCloseTo(expected, within(0.002 + expected / 100));
    assertThat(goal).as(name).isEqualTo(growth ? 0.769 : 1);
  }

  @Test
  void anAbsentPeerIsNamedAndSteleMeasuredAlone() throws IOException {
    Path json = temp.resolve("results.json");
    Run run =
        tinyRun(
            EngineCommandTest::absentPeer,
            "--case",
            "fill",
            "--case",
            "disk-bytes",
            "--case",
            "growth",
            "--json",
            json.toString());

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .containsPattern("RocksDB +ABSENT: no librocksdbjni for this machine")
        .containsPattern("fill-100B .* absent ");
    List<JsonRow> results = readResults(json);
    assertThat(results).hasSize(6);
    for (JsonRow result : results) {
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
    Path json = temp.resolve("results.json");
    Run run =
        tinyRun(
            RocksSide::find,
            "--case",
            "scan",
            "--value-size",
            "64",
            "--codec",
            "lz4",
            "--json",
            json.toString());

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(readResults(json)).extracting(JsonRow::name).containsExactly("scan-64B");
    assertThat(run.out()).contains("codec lz4").doesNotContain("codec none");
    assertThat(readResults(json).getFirst().text("note"))
        .as("the way that gave RocksDB's figure, and the others")
        .contains("RocksDB by ")
        .contains("arrays")
        .contains("direct buffers");
  }

  @Test
  void listNamesEveryCase() {
    Run run = run(RocksSide::find, "--list");

    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .contains("fill-sync", "fill ", "get-cached", "get-uncached", "scan", "seek50")
        .contains("open", "disk-bytes", "growth");
  }

  @Test
  void anUnknownCaseIsAnsweredWithTheKnownOnes() {
    Run run = tinyRun(RocksSide::find, "--case", "get-cache");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains("unknown case 'get-cache'; did you mean 'get-cached'?")
        .contains("fill-sync, fill, disk-bytes, get-cached, get-uncached, scan, seek50, open");
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--records    | 0    | --records is 0; it must be 1 or more",
        "--repeat     | 0    | --repeat is 0; it must be 1 to 1000",
        "--seconds    | 0    | --seconds is 0.0; it must be 0.001 to 600",
        "--value-size | 7    | --value-size is 7; it must be 8 to 524288",
        "--codec      | zip  | 'zip' is not one of none, lz4, zstd, snappy",
        "--json       | no/a | --json is no/a; it must be a file in a directory that exists"
      })
  void aWrongOptionIsRefused(String option, String value, String message) {
    Path data = temp.resolve("data");
    Run run = run(RocksSide::find, "--dir=" + data, "--case=fill", option + "=" + value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(data).doesNotExist();
  }

  @Test
  void aDirectoryWithSomethingInItIsRefusedAndLeftAlone() throws IOException {
    Path data = Files.createDirectory(temp.resolve("data"));
    Path precious = Files.writeString(data.resolve("thesis.txt"), "ten years");
    Run run = tinyRun(RocksSide::find, "--case", "fill");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.err()).contains("holds 'thesis.txt'");
    assertThat(precious).hasContent("ten years");
  }

  @Test
  void aFailureIsReportedWithWhatWasMeasuredBeforeAndLeavesNoData() {
    Path json = temp.resolve("results.json");
    Run run =
        tinyRun(
            () -> new Peer.Present(new BrokenSide(), "0"),
            "--case",
            "fill",
            "--case",
            "scan",
            "--json",
            json.toString());

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.err()).contains("the peer cannot open fill-100B-Broken");
    assertThat(run.out()).contains("CASE");
    assertThat(temp.resolve("data")).doesNotExist();
    assertThat(json).as("half a result").doesNotExist();
  }
}
