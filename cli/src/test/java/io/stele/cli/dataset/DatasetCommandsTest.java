package io.stele.cli.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.Origin;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.NotFoundException;
import io.stele.cli.CommandFixture;
import io.stele.cli.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetCommandsTest {
  /** Two datasets: one that is served, and one that could not be loaded. */
  private static final class Fake implements Datasets {
    private final Map<Bytes, Lookup> lookups = new TreeMap<>();
    private final List<String> orders = new ArrayList<>();

    @Override
    public List<String> list() {
      return List.of("broken", "scores");
    }

    @Override
    public Lookup get(String dataset, Bytes key) {
      if (!dataset.equals("scores")) {
        throw new NotFoundException("there is no dataset \"" + dataset + "\"");
      }
      return lookups.getOrDefault(key, new Lookup.Missing(new Origin("v2", 1, "")));
    }

    @Override
    public List<Lookup> mget(String dataset, List<Bytes> keys) {
      return keys.stream().map(key -> get(dataset, key)).toList();
    }

    @Override
    public List<DatasetStatus> status() {
      return List.of(
          new DatasetStatus(
              "broken",
              "",
              "",
              List.of(
                  new VersionStatus(
                      "7",
                      "/in/broken/7",
                      2,
                      1,
                      Map.of(0, 2),
                      List.of(
                          node(
                              "a:1", VersionState.ERROR, "part-1: ends early", false, List.of())))),
              ""),
          new DatasetStatus(
              "scores",
              "v2",
              "v2",
              List.of(
                  new VersionStatus("v1", "/in/scores/v1", 3, 2, Map.of(), List.of()),
                  new VersionStatus(
                      "v2",
                      "/in/scores/v2",
                      3,
                      2,
                      Map.of(2, 2, 1, 1),
                      List.of(
                          node("a:1", VersionState.ACTIVE, "", true, List.of(0, 1)),
                          node("b:1", VersionState.ACTIVE, "", true, List.of(0, 1, 2))))),
              ""));
    }

    private static NodeVersion node(
        String node, VersionState state, String reason, boolean serving, List<Integer> shards) {
      LoadProgress progress =
          reason.isEmpty()
              ? new LoadProgress(9, 90, 90, shards.size(), shards.size())
              : new LoadProgress(3, 30, 90, 0, 2);
      return new NodeVersion(
          node, state, reason, serving, shards, progress, 1_000_000, serving ? 2_000_000 : 0);
    }

    @Override
    public DatasetStatus status(String dataset) {
      return status().stream()
          .filter(status -> status.dataset().equals(dataset))
          .findFirst()
          .orElseThrow(() -> new NotFoundException("there is no dataset \"" + dataset + "\""));
    }

    @Override
    public void refresh() {
      orders.add("refresh");
    }

    @Override
    public void pin(String dataset, String version) {
      orders.add("pin " + dataset + " " + version);
    }

    @Override
    public void unpin(String dataset) {
      orders.add("unpin " + dataset);
    }

    @Override
    public String rollback(String dataset) {
      orders.add("rollback " + dataset);
      return "v1";
    }

    @Override
    public Optional<String> pinned(String dataset) {
      return Optional.empty();
    }
  }

  private final Fake datasets = new Fake();
  private final CommandFixture stele = new CommandFixture().datasets(datasets);

  @AfterEach
  void everyConnectionIsClosed() {
    assertThat(stele.open()).isZero();
  }

  private void found(String key, Bytes value, String proxiedTo) {
    datasets.lookups.put(Bytes.utf8(key), new Lookup.Found(value, new Origin("v2", 1, proxiedTo)));
  }

  @Test
  void datasetsAreListed() {
    assertThat(stele.ok("dataset", "ls"))
        .isEqualTo(
            """
            DATASET  SERVING  PINNED  VERSIONS  PROBLEM
            broken   -        -       7
            scores   v2       v2      v1,v2
            """);
    assertThat(stele.ok("dataset", "list", "--output", "json"))
        .contains("\"dataset\": \"scores\"", "\"serving\": \"v2\"");
  }

  @Test
  void statusTellsVersionsNodesAndWhatIsWrong() {
    CommandFixture.Run all = stele.run("dataset", "status");

    assertThat(all.exitCode()).as("one could not be loaded").isEqualTo(ExitCode.FAILURE);
    assertThat(all.out())
        .isEqualTo(
            """
            DATASET  VERSION      NODE  STATE   SERVED  SHARDS     LOADED  HOLDERS
            broken   7            a:1   error   no         0/2  0/2 (33%)      0x2
            scores   v2 (pinned)  a:1   active  yes        2/3        2/2  1x1 2x2
            scores   v2 (pinned)  b:1   active  yes        3/3        3/3  1x1 2x2

            broken 7 at a:1: part-1: ends early
            """);
    assertThat(stele.ok("dataset", "status", "scores", "--output", "json"))
        .contains(
            "\"missing\": 0",
            "\"underReplicated\": 1",
            "\"averageReplication\": 1.6666666666666667",
            "\"active\": \"1970-01-01T00:00:02Z\"");
  }

  @Test
  void statusOfNoDatasetIsNotFound() {
    CommandFixture.Run run = stele.run("dataset", "status", "other");

    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err()).contains("there is no dataset \"other\"");
  }

  @Test
  void keyIsLookedUp() {
    found("alice", Bytes.utf8("12"), "b:1");
    found("\u00ff", Bytes.of((byte) 0xff, (byte) 0), "");

    assertThat(stele.ok("dataset", "get", "scores", "alice")).isEqualTo("12\n");
    assertThat(stele.ok("dataset", "get", "scores", "alice", "--output", "json"))
        .isEqualTo(
            """
            {
              "key": "alice",
              "found": true,
              "value": "12",
              "version": "v2",
              "proxiedTo": "b:1"
            }
            """);
    assertThat(stele.ok("dataset", "get", "scores", "hex:c3bf", "--output", "json"))
        .contains("\"valueBase64\": \"/wA=\"");
  }

  @Test
  void keyThatIsMissingOrCannotBeLookedUpSaysSo() {
    datasets.lookups.put(
        Bytes.utf8("eve"), new Lookup.Failed("v2", Lookup.Failure.TIMED_OUT, "shard 3: slow"));

    CommandFixture.Run missing = stele.run("dataset", "get", "scores", "bob");
    CommandFixture.Run failed = stele.run("dataset", "get", "scores", "eve");

    assertThat(missing.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(missing.err()).contains("version v2 of dataset scores has no key bob");
    assertThat(failed.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(failed.err()).contains("shard 3: slow");
  }

  @Test
  void manyKeysAreLookedUpAtOnce() {
    found("alice", Bytes.utf8("12"), "");
    datasets.lookups.put(
        Bytes.utf8("eve"), new Lookup.Failed("v2", Lookup.Failure.NO_PEER, "nobody"));

    assertThat(stele.ok("dataset", "mget", "scores", "alice", "bob"))
        .isEqualTo(
            """
            KEY    FOUND  VALUE
            alice  yes       12
            bob    no
            """);
    CommandFixture.Run run =
        stele
            .input("bob\neve\n")
            .run("dataset", "mget", "scores", "--keys", "-", "--output", "json");
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).contains("\"key\": \"eve\"", "\"found\": null", "\"error\": \"nobody\"");
    assertThat(stele.run("dataset", "mget", "scores").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void versionsAreLookedForPinnedAndRolledBack() {
    assertThat(stele.ok("dataset", "refresh")).isEqualTo("found broken, scores\n");
    assertThat(stele.ok("dataset", "pin", "scores", "v1"))
        .isEqualTo("dataset scores is kept at version v1\n");
    assertThat(stele.ok("dataset", "pin", "scores", "--off"))
        .isEqualTo("dataset scores follows its newest version\n");
    assertThat(stele.ok("dataset", "rollback", "scores"))
        .isEqualTo("dataset scores goes back to version v1\n");
    assertThat(stele.run("dataset", "pin", "scores").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(stele.run("dataset", "pin", "scores", "v1", "--off").exitCode())
        .isEqualTo(ExitCode.USAGE);
    assertThat(datasets.orders)
        .containsExactly("refresh", "pin scores v1", "unpin scores", "rollback scores");
  }

  // ---- build

  private static String contents(Path root, String dataset, String version) throws Exception {
    Path directory = root.resolve(dataset).resolve(version);
    assertThat(directory.resolve("_SUCCESS")).exists();
    assertThat(directory.resolve("_stele.json")).exists();
    List<String> lines = new ArrayList<>();
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(f -> !f.getFileName().toString().startsWith("_")).toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    lines.sort(null);
    return String.join("|", lines);
  }

  private String build(Path folder, String name, String content, String... options)
      throws Exception {
    Path file = Files.writeString(folder.resolve(name), content);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "dataset",
                "build",
                "scores",
                file.toString(),
                "--root",
                folder.resolve("root").toString(),
                "--name",
                "v1",
                "--shards",
                "2",
                "--as",
                "text"));
    arguments.addAll(List.of(options));
    CommandFixture.Run run = stele.run(arguments.toArray(String[]::new));
    if (run.exitCode() != ExitCode.OK) {
      assertThat(folder.resolve("root/scores/v1")).as("nothing is left").doesNotExist();
      return run.exitCode() + " " + run.err();
    }
    assertThat(run.out()).startsWith("version v1 of dataset scores: ").contains("in 2 shards");
    return contents(folder.resolve("root"), "scores", "v1");
  }

  @Test
  void versionIsBuiltFromCsv(@TempDir Path folder) throws Exception {
    assertThat(build(folder, "a.csv", "name,score\nalice,12\nbob,\n\"x, y\",3\n", "--key", "name"))
        .isEqualTo("alice\t12|bob\t|x, y\t3");
  }

  @Test
  void versionIsBuiltFromChosenFields(@TempDir Path folder) throws Exception {
    assertThat(build(folder, "a.tsv", "key\ta\tb\nk1\t1\t2\n", "--value", "b")).isEqualTo("k1\t2");
  }

  @Test
  void severalFieldsBecomeAnObject(@TempDir Path folder) throws Exception {
    assertThat(build(folder, "a.tsv", "1\tx\ty\n", "--columns", "key,a,b"))
        .isEqualTo("1\t{\"a\": \"x\", \"b\": \"y\"}");
  }

  @Test
  void versionIsBuiltFromJsonLines(@TempDir Path folder) throws Exception {
    assertThat(
            build(
                folder,
                "a.jsonl",
                """
                {"key": "alice", "score": 12}
                {"key": 7, "score": {"a": [1, null]}}

                {"key": "x", "a": 1, "b": "ü"}
                """))
        .isEqualTo("7\t{\"a\": [1, null]}|alice\t12|x\t{\"a\": 1, \"b\": \"ü\"}");
  }

  @Test
  void versionIsBuiltFromAnExport(@TempDir Path folder) throws Exception {
    String export =
        "row,column,time,value\nr1,f:a,@5,new\nr1,f:a,@3,old\nr1,f:b,@1,2\nr2,f:a,@1,x\n";

    assertThat(build(folder, "a.csv", export))
        .isEqualTo("r1\t{\"f:a\": \"new\", \"f:b\": \"2\"}|r2\tx");
    assertThat(
            build(
                Files.createDirectory(folder.resolve("one")),
                "a.jsonl",
                "{\"row\": \"r1\", \"cells\": [{\"family\": \"f\", \"qualifier\": \"a\","
                    + " \"time\": 5, \"value\": \"new\"}]}\n"))
        .isEqualTo("r1\tnew");
    assertThat(
            build(
                Files.createDirectory(folder.resolve("chosen")),
                "a.csv",
                export.replace("r2,f:a,@1,x\n", ""),
                "--value",
                "f:b"))
        .isEqualTo("r1\t2");
  }

  @Test
  void mistakesNameFileAndLineAndLeaveNothing(@TempDir Path folder) throws Exception {
    assertThat(build(folder, "a.csv", "key,value\na,1\nb\n"))
        .startsWith("2 ")
        .contains("a.csv, line 3: 1 fields, expected 2: key, value", "Nothing was written.");
    assertThat(build(folder, "b.csv", "name,value\na,1\n"))
        .contains("line 1: no field 'key' for the key among name, value: give --key NAME");
    assertThat(build(folder, "c.jsonl", "{\"key\": \"a\", \"x\": 1}\n", "--value", "y"))
        .contains("no field 'y' for the value among x");
    CommandFixture.Run form =
        stele.run("dataset", "build", "scores", folder.resolve("a.csv").toString(), "--as", "xml");
    assertThat(form.err()).contains("--as 'xml': must be sparkey or text");
  }

  @Test
  void versionIsNeverOverwritten(@TempDir Path folder) throws Exception {
    build(folder, "a.csv", "key,value\na,1\n");

    CommandFixture.Run again =
        stele.run(
            "dataset",
            "build",
            "scores",
            folder.resolve("a.csv").toString(),
            "--root",
            folder.resolve("root").toString(),
            "--name",
            "v1",
            "--as",
            "text");

    assertThat(again.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(again.err()).contains("version v1 of dataset scores is there already");
    assertThat(contents(folder.resolve("root"), "scores", "v1")).isEqualTo("a\t1");
  }

  @Test
  void pipesOfAnyBytesAreBuiltWithAVersionOfTheirTime(@TempDir Path folder) {
    String out =
        stele
            .input("key\tvalue\n\\x00\\xff\ta\\tb\n")
            .ok(
                "dataset",
                "build",
                "scores",
                "-",
                "--format",
                "tsv",
                "--escaped",
                "--root",
                folder.toString(),
                "--output",
                "json");

    assertThat(out)
        .contains("\"records\": 1", "\"shards\": 16")
        .containsPattern("\"version\": \"\\d{8}-\\d{6}\"");
    assertThat(out.getBytes(StandardCharsets.UTF_8)).isNotEmpty();
  }
}
