package io.stele.cli.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Replicas;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.ExitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaCommandTest {
  /** A table of two partitions, one of which is being split. */
  private static final class TwoPartitions implements Replicas {
    private final List<String> asked = new ArrayList<>();
    private List<Difference> differences = List.of();
    private String problem = "";
    private long missing;
    private Optional<Instant> scrubbed = Optional.empty(); // of p1
    private Optional<String> rack = Optional.empty(); // of s1

    private static ReplicaStatus replica(int n, String role, String problem, Behind... behind) {
      return new ReplicaStatus(
          "s" + n,
          problem.isEmpty() ? "h:" + n : "",
          "a" + n,
          role,
          40,
          2048,
          List.of(behind),
          problem);
    }

    @Override
    public Status status(String table) {
      asked.add("status " + table);
      PartitionStatus lower =
          new PartitionStatus(
              "p1",
              Bytes.EMPTY,
              Optional.of(Bytes.utf8("m")),
              Optional.of(Bytes.utf8("g")),
              List.of(
                  replica(
                      1,
                      "serving",
                      "",
                      new Behind("s2", "a2", 38, 40),
                      new Behind("s3", "a3", 10, 40),
                      new Behind("s4", "a4", 20, 40)),
                  replica(2, "serving", "", new Behind("s3", "a3", 30, 40)),
                  replica(3, "lower half", ""),
                  replica(4, "upper half", "")),
              scrubbed);
      PartitionStatus upper =
          new PartitionStatus(
              "p2",
              Bytes.utf8("m"),
              Optional.empty(),
              Optional.empty(),
              List.of(replica(5, "serving", problem)),
              scrubbed.map(at -> at.plusSeconds(60)));
      return new Status(
          table,
          3,
          List.of(lower, upper),
          List.of(
              new Server("s1", "h:1", 50, 100, rack),
              new Server("s9", "", 0, 0, Optional.empty())));
    }

    @Override
    public Metadata metadata(String table) {
      asked.add("metadata " + table);
      return new Metadata(
          table,
          "0c1d",
          7,
          List.of(
              new Server("s1", "h:1", 50, 100, rack), new Server("s9", "", 0, 0, Optional.empty())),
          List.of("p1 up to m: s1/a1, s2/a2", "p2 to the end: s5/a5"));
    }

    @Override
    public void joinMetadata(String table, String server) {
      asked.add("join " + table + " " + server);
    }

    @Override
    public void removeMetadata(String table, String server) {
      asked.add("remove " + table + " " + server);
    }

    @Override
    public List<String> removeServer(String table, String server) {
      asked.add("remove server " + table + " " + server);
      return List.of("partition p1: 1 members left");
    }

    @Override
    public List<String> adopt(boolean force) {
      asked.add("adopt " + force);
      return List.of("table \"events\": listed again", "h:2: table \"events\": listed already");
    }

    @Override
    public Bytes split(String table, Bytes at, Bytes row) {
      asked.add("split " + table + " [" + at.toUtf8() + "] [" + row.toUtf8() + "]");
      return row.isEmpty() ? Bytes.utf8("chosen") : row;
    }

    @Override
    public List<Difference> verify(String table, RowRange rows) {
      asked.add("verify " + table + " " + rows);
      return differences;
    }

    @Override
    public long repair(String table, RowRange rows) {
      asked.add("repair " + table + " " + rows);
      return missing;
    }
  }

  private final TwoPartitions replicas = new TwoPartitions();
  private final CommandFixture stele = new CommandFixture().replicas(replicas);

  @AfterEach
  void everyConnectionIsClosed() {
    assertThat(stele.open()).isZero();
  }

  @Test
  void statusShowsWhenReplicasWereCompared() {
    replicas.scrubbed = Optional.of(Instant.parse("2026-11-18T10:11:12Z"));
    assertThat(stele.ok("replica", "status", "events"))
        .endsWith("\nall partitions were scrubbed since 2026-11-18T10:11:12Z\n");
    assertThat(stele.ok("replica", "status", "events", "--output", "json"))
        .contains("\"scrubbed\": \"2026-11-18T10:11:12Z\"", "2026-11-18T10:12:12Z");
  }

  @Test
  void statusShowsRacksWhereThereAreSome() {
    replicas.rack = Optional.of("room-3");
    assertThat(stele.ok("replica", "status", "events"))
        .contains(
            """
            PARTITION  AFTER  UP TO  SERVER  RACK    ROLE        SEQUENCE      SIZE  BEHIND  COPIED
            p1         -      m      h:1     room-3  serving           40  2.00 KiB       0       -
            p1         -      m      h:2     -       serving           40  2.00 KiB       2       -
            """);
    assertThat(stele.ok("replica", "status", "events", "--output", "json"))
        .contains("\"rack\": \"room-3\"");
  }

  @Test
  void statusShowsReplicasAndHowFarSplitsAre() {
    assertThat(stele.ok("replica", "status", "events"))
        .isEqualTo(
            """
            table events: 2 partitions, 3 replicas of each, 1 server

            PARTITION  AFTER  UP TO  SERVER  ROLE        SEQUENCE      SIZE  BEHIND  COPIED
            p1         -      m      h:1     serving           40  2.00 KiB       0       -
            p1         -      m      h:2     serving           40  2.00 KiB       2       -
            p1         -      m      h:3     lower half        40  2.00 KiB      10    75 %
            p1         -      m      h:4     upper half        40  2.00 KiB       0   100 %
            p2         m      -      h:5     serving           40  2.00 KiB       0       -

            partition p1 is being split at g: 87 % copied
            """);
    assertThat(stele.ok("replica", "status", "events", "--output", "json"))
        .contains("\"splitAt\": \"g\"", "\"splitPercent\": 87.5", "\"role\": \"lower half\"");
  }

  @Test
  void statusOfAServerThatDoesNotAnswerFails() {
    replicas.problem = "no connection";
    Run run = stele.run("replica", "status", "events");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("p2         m      -      s5      no answer")
        .endsWith("\ns5: no connection\n");
  }

  @Test
  void withoutATableAllThatAreReplicatedAreShown() {
    assertThat(stele.ok("replica", "status")).isEqualTo("there are no replicated tables\n");
    stele.tables.create("plain", TableSchema.ofFamilies("f"), List.of());
    stele.tables.create(
        "events", TableSchema.ofFamilies("f").withReplication(Replication.DEFAULT), List.of());
    assertThat(stele.ok("replica", "status")).startsWith("table events: 2 partitions");
    assertThat(replicas.asked).containsExactly("status events");
  }

  @Test
  void metadataNamesItsTransactionAndWhoKeepsIt() {
    assertThat(stele.ok("replica", "metadata", "events"))
        .isEqualTo(
            """
            table events, METADATA transaction 0c1d, sequence 7, kept by h:1, s9 (not live)

            p1 up to m: s1/a1, s2/a2
            p2 to the end: s5/a5
            """);
    assertThat(stele.ok("replica", "metadata", "events", "--output", "json"))
        .contains("\"txn\": \"0c1d\"", "\"sequence\": 7");
  }

  @Test
  void serversThatKeepMetadataComeAndGo() {
    assertThat(stele.ok("replica", "metadata", "join", "events", "h:1"))
        .isEqualTo("METADATA of table events is kept by h:1, s9 (away)\n");
    assertThat(stele.ok("replica", "metadata", "remove", "events", "s7"))
        .isEqualTo("METADATA of table events is kept by h:1, s9 (away)\n");
    assertThat(replicas.asked)
        .containsExactly(
            "join events h:1", "metadata events", "remove events s7", "metadata events");
    assertThat(stele.run("replica", "metadata").err()).contains("no TABLE");
  }

  @Test
  void aServerIsRemovedOnlyByForce() {
    assertThat(stele.run("replica", "remove", "events", "s9").err())
        .contains("acknowledged writes may be lost", "--force");
    assertThat(replicas.asked).isEmpty();
    assertThat(stele.ok("replica", "remove", "events", "s9", "--force"))
        .isEqualTo("partition p1: 1 members left\n");
    assertThat(replicas.asked).containsExactly("remove server events s9");
  }

  @Test
  void tablesThatTheMetastoreLostAreListedAgain() {
    assertThat(stele.ok("replica", "metadata", "adopt"))
        .isEqualTo(
            """
            table "events": listed again
            h:2: table "events": listed already
            """);
    stele.ok("replica", "metadata", "adopt", "--force");
    assertThat(replicas.asked).containsExactly("adopt false", "adopt true");
  }

  @Test
  void splitNamesThePartitionAndTheRow() {
    assertThat(stele.ok("replica", "split", "events")).isEqualTo("chosen\n");
    assertThat(stele.ok("replica", "split", "events", "k")).isEqualTo("k\n");
    assertThat(stele.ok("replica", "split", "events", "--partition", "x")).isEqualTo("chosen\n");
    assertThat(replicas.asked)
        .containsExactly("split events [] []", "split events [k] [k]", "split events [x] []");
  }

  @Test
  void verifyPrintsWhatDiffersAndFails() {
    assertThat(stele.ok("replica", "verify", "events")).isEqualTo("all replicas are the same\n");
    replicas.differences =
        List.of(
            new Replicas.Difference(
                "p1", Bytes.utf8("k"), List.of("h:1: f:x at 3 is 1", "h:2: nothing")));
    Run run = stele.run("replica", "verify", "events", "--prefix", "k");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .isEqualTo(
            """
            row k of partition p1:
              h:1: f:x at 3 is 1
              h:2: nothing
            """);
    assertThat(replicas.asked)
        .containsExactly(
            "verify events " + RowRange.ALL, "verify events " + RowRange.prefix(Bytes.utf8("k")));
  }

  @Test
  void repairTellsHowMuchWasMissing() {
    assertThat(stele.ok("replica", "repair", "events")).isEqualTo("nothing was missing\n");
    replicas.missing = 1234;
    assertThat(stele.ok("replica", "repair", "events", "--from", "a", "--to", "b"))
        .isEqualTo("1,234 cells missing on some replica: sent\n");
    assertThat(stele.ok("replica", "repair", "events", "--output", "json"))
        .contains("\"cells\": 1234");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          replica split t r --partition p    | row 'r' and --partition 'p': a row says which partition to split, give one
          replica verify t --from b --to a   | --from b --to a is empty: --from must be below --to
          replica repair t --prefix a --to b | --prefix with --from or --to: give one or the other
          """)
  void whatCannotBeIsNamed(String words, String message) {
    Run run = stele.run(words.split(" ", -1));
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
  }
}
