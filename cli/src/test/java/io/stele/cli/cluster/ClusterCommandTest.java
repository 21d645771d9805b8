package io.stele.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Cluster;
import io.stele.base.table.StoredFiles.Emptied;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterCommandTest {
  private static final Cluster.Move MOVE =
      new Cluster.Move(
          "users", Bytes.utf8("a"), Optional.of(Bytes.utf8("m")), "h:1", "h:2", "asked for");

  /** A cluster of two servers that does as it is told. */
  private static final class TwoServers implements Cluster {
    private final List<String> asked = new ArrayList<>();
    private List<String> unserved = List.of();
    private List<String> unservedOnceDrained = List.of();
    private List<String> down = List.of();
    private String problem = "";
    private List<TrashedFile> trashed = List.of();
    private Garbage garbage = new Garbage(List.of(), 0, "");
    private int left = 2;

    @Override
    public Status status() {
      return new Status(
          "h:1",
          7,
          List.of(
              new ServerStatus("h:1", "s000000000001", false, 3, 2048, 10, 12.4, 0.25, ""),
              new ServerStatus("h:2", "s000000000002", true, 1, 0, 0, 0, 0, problem)),
          4,
          unserved,
          down);
    }

    @Override
    public List<Move> balance(boolean apply) {
      asked.add("balance " + apply);
      return List.of(MOVE);
    }

    @Override
    public int drain(String address, boolean on) {
      asked.add("drain " + address + " " + on);
      unserved = unservedOnceDrained.isEmpty() ? unserved : unservedOnceDrained;
      return on ? left-- : 0;
    }

    @Override
    public Move move(String table, Bytes row, String address) {
      asked.add("move " + table + " " + row.toUtf8() + " " + address);
      return MOVE;
    }

    @Override
    public Garbage collectFiles(boolean apply) {
      asked.add("collect " + apply);
      return garbage;
    }

    @Override
    public List<TrashedFile> trashedFiles() {
      return trashed;
    }

    @Override
    public List<String> restoreFiles(String path) {
      asked.add("restore " + path);
      return trashed.stream().map(TrashedFile::path).toList();
    }

    @Override
    public Emptied emptyTrash(Duration age) {
      asked.add("empty " + age);
      return new Emptied(2, 4096);
    }
  }

  private final TwoServers cluster = new TwoServers();
  private final CommandFixture stele = new CommandFixture().cluster(cluster);

  @AfterEach
  void everyConnectionIsClosed() {
    assertThat(stele.open()).isZero();
  }

  @Test
  void statusShowsServersAndWhatIsWrong() {
    assertThat(stele.ok("cluster", "status"))
        .isEqualTo(
            """
            master h:1 (token 7), 2 servers, 4 tablets, 0 of them not served

            SERVER  RUN            STATE     TABLETS  MEMORY   ON DISK  READS/S  WRITES/S
            h:1     s000000000001  serves          3    10 B  2.00 KiB       12       0.3
            h:2     s000000000002  draining        1     0 B       0 B      0.0       0.0
            """);
    assertThat(stele.ok("cluster", "status", "--output", "json"))
        .contains("\"master\": \"h:1\"", "\"token\": 7", "\"draining\": true");

    cluster.down = List.of("h:3");
    assertThat(stele.ok("cluster", "status"))
        .endsWith(
            "h:3     -              down            -       -         -        -         -\n");

    cluster.problem = "no connection";
    cluster.unserved = List.of("tablet of table \"users\" without end");
    Run run = stele.run("cluster", "status");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.out())
        .contains("1 of them not served")
        .contains("no answer")
        .contains("h:2: no connection\n")
        .contains("not served:\n  tablet of table \"users\" without end\n");
  }

  @Test
  void balanceMovesOrTellsWhatItWould() {
    assertThat(stele.ok("cluster", "balance", "--dry-run"))
        .isEqualTo(
            """
            TABLE  AFTER  UP TO  FROM  TO   WHY
            users  a      m      h:1   h:2  asked for
            """);
    stele.ok("cluster", "balance");
    assertThat(cluster.asked).containsExactly("balance false", "balance true");
  }

  @Test
  void drainWaitsUntilWhatHasLeftIsServedElsewhere() {
    cluster.left = 0;
    cluster.unserved = List.of("lost before");
    assertThat(stele.ok("cluster", "drain", "h:2", "--wait")).contains("has no tablets");

    cluster.unservedOnceDrained = List.of("lost before", "META0: no server has it");
    assertThat(stele.run("cluster", "drain", "h:2", "--wait", "--timeout", "300ms").exitCode())
        .isEqualTo(ExitCode.UNAVAILABLE);
  }

  @Test
  void drainWaitsUntilTheLastTabletHasLeft() {
    assertThat(stele.ok("cluster", "drain", "h:2"))
        .isEqualTo("h:2 gets no more tablets; 2 have yet to leave\n");
    assertThat(stele.ok("cluster", "drain", "h:2", "--wait"))
        .isEqualTo("h:2 has no tablets, and gets none\n");
    assertThat(stele.ok("cluster", "drain", "h:2", "--undo")).isEqualTo("h:2 gets tablets again\n");
    assertThat(cluster.asked)
        .containsExactly("drain h:2 true", "drain h:2 true", "drain h:2 true", "drain h:2 false");

    cluster.left = 1_000;
    assertThat(stele.run("cluster", "drain", "h:2", "--wait", "--timeout", "1ms").exitCode())
        .isEqualTo(ExitCode.UNAVAILABLE);
  }

  @Test
  void moveNamesTableRowAndServer() {
    assertThat(stele.ok("cluster", "move", "users", "k", "h:2")).contains("users  a      m");
    assertThat(cluster.asked).containsExactly("move users k h:2");
  }

  @Test
  void filesAreListedBeforeTheyGo() {
    assertThat(stele.ok("cluster", "gc", "--dry-run")).isEqualTo("every file is needed\n");
    cluster.garbage = new Garbage(List.of("fragments/s1/1.frag"), 4096, "");
    assertThat(stele.ok("cluster", "gc", "--dry-run"))
        .isEqualTo("fragments/s1/1.frag\n1 file of 4.00 KiB, needed by nothing\n");
    assertThat(stele.ok("cluster", "gc")).isEqualTo("1 file of 4.00 KiB, moved to the trash\n");
    assertThat(stele.ok("cluster", "gc", "--output", "json")).contains("\"moved\": true");

    cluster.garbage = new Garbage(List.of(), 0, "h:2 does not report");
    Run run = stele.run("cluster", "gc");
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).startsWith("no file is moved to the trash now: h:2 does not report\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cluster drain h                      | drain: 'h' is no address; must be HOST:PORT
          cluster move t r h:x                 | move: 'h:x' is no address; must be HOST:PORT
          cluster up --nodes 0                 | --nodes is 0: must be from 1 to 64
          cluster up --nodes 2 --metastore-members 3 | --metastore-members is 3: must be from 1 to the 2 nodes
          """)
  void whatCannotBeIsNamed(String words, String message) {
    Run run = stele.run(words.split(" ", -1));
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
  }

  @Test
  void theTrashIsListedRestoredAndEmptied() {
    assertThat(stele.ok("cluster", "trash", "ls")).isEqualTo("the trash is empty\n");
    assertThat(stele.run("cluster", "trash", "restore", "fragments").exitCode())
        .isEqualTo(ExitCode.FAILURE);
    cluster.trashed = List.of(new TrashedFile("fragments/s1/1.frag", 2048, 1_000_000));
    assertThat(stele.ok("cluster", "trash", "ls"))
        .contains("1970-01-01T00:00:01Z", "2.00 KiB", "fragments/s1/1.frag");
    assertThat(stele.ok("cluster", "trash", "ls", "--output", "json"))
        .contains("\"since\": \"1970-01-01T00:00:01Z\"");
    assertThat(stele.ok("cluster", "trash", "restore", "fragments"))
        .contains("restored 1 file:\nfragments/s1/1.frag\n");
    assertThat(stele.ok("cluster", "trash", "empty", "--older", "2h"))
        .isEqualTo("deleted 2 files of 4.00 KiB\n");
    assertThat(cluster.asked)
        .containsExactly("restore fragments", "restore fragments", "empty PT2H");
    assertThat(stele.run("cluster", "trash", "empty").exitCode()).isEqualTo(ExitCode.USAGE);
  }
}
