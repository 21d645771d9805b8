package io.stele.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.Replicas;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.cli.doctor.Finding.Level;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MemberStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExaminationTest {
  private static final long SECOND = 1_000_000;

  /** A cluster of two servers, one of which holds the metastore; all is well with it. */
  private static final class Healthy implements Patient {
    private final List<MemberReport> members =
        new ArrayList<>(List.of(reached("h:1", "LEADER", 50)));
    private final Map<String, String> servers =
        new LinkedHashMap<>(Map.of("s1", "h:1", "s2", "h:2"));
    private final Map<String, NodeReport> nodes =
        new LinkedHashMap<>(Map.of("h:1", node(0, 50), "h:2", node(0, 50)));
    private List<String> known = List.of("h:1", "h:2");
    private Map<String, String> replicaServers = Map.of("r1", "h:1", "r2", "h:2");
    private Replicas.Status replicas = replicas("", "", "");
    private Optional<String> master = Optional.of("h:1");
    private Cluster.Status status =
        new Cluster.Status("h:1", 3, List.of(), 4, List.of(), List.of());
    private List<MetaProblem> problems = List.of();
    private Garbage garbage = new Garbage(List.of(), 0, "");

    static MemberReport reached(String address, String role, long applied) {
      Member self = new Member("m", "h:9", address);
      return new MemberReport.Reached(
          address,
          new MemberStatus(
              "g",
              self,
              role,
              true,
              1,
              Optional.of(self),
              List.of(self),
              applied,
              9,
              0,
              0,
              0,
              0,
              0,
              0));
    }

    static NodeReport node(long aheadMicros, long freeBytes, String... problems) {
      return node("h", aheadMicros, freeBytes, problems);
    }

    static NodeReport node(String address, long aheadMicros, long freeBytes, String... problems) {
      return new NodeReport(
          address,
          List.of("tables"),
          aheadMicros,
          1,
          "s1",
          10,
          100,
          List.of(problems),
          List.of(new NodeReport.Disk("tables", "/d", freeBytes, 100)));
    }

    @Override
    public List<MemberReport> members() {
      return members;
    }

    @Override
    public Map<String, String> servers() {
      return servers;
    }

    @Override
    public List<String> knownServers() {
      return known;
    }

    @Override
    public Optional<String> master() {
      return master;
    }

    @Override
    public Cluster.Status status() {
      return status;
    }

    @Override
    public List<MetaProblem> verifyMeta() {
      return problems;
    }

    @Override
    public Garbage garbage() {
      return garbage;
    }

    @Override
    public Map<String, String> replicaServers() {
      return replicaServers;
    }

    @Override
    public List<String> replicatedTables() {
      return List.of("events");
    }

    @Override
    public Replicas.Status replicas(String table) {
      return replicas;
    }

    static Replicas.Status replicas(String... problems) {
      List<Replicas.ReplicaStatus> all = new ArrayList<>();
      for (int i = 0; i < problems.length; i++) {
        all.add(
            new Replicas.ReplicaStatus(
                "r" + i, "h:" + i, "a" + i, "serving", 1, 1, List.of(), problems[i]));
      }
      return new Replicas.Status(
          "events",
          3,
          List.of(
              new Replicas.PartitionStatus(
                  "p1", Bytes.EMPTY, Optional.empty(), Optional.empty(), all, Optional.empty())),
          List.of());
    }

    @Override
    public NodeReport node(String address) {
      NodeReport report = nodes.get(address);
      if (report == null) {
        throw new UnavailableException("no connection");
      }
      return report;
    }

    @Override
    public long wallMicros() {
      return 0;
    }
  }

  private final Healthy patient = new Healthy();

  private List<Finding> bad() {
    return new Examination(patient)
        .run().stream().filter(finding -> finding.level() != Level.OK).toList();
  }

  /** The one thing that is wrong. */
  private Finding only() {
    List<Finding> found = bad();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void allIsWell() {
    assertThat(new Examination(patient).run()).extracting(Finding::level).containsOnly(Level.OK);
    assertThat(new Examination(patient).run())
        .extracting(Finding::area)
        .contains(
            "metastore",
            "servers",
            "master",
            "META",
            "tablets",
            "files",
            "replicas",
            "clocks",
            "disks");
  }

  @Test
  void replicasThatDoNotAnswerAreNamed() {
    patient.replicas = Healthy.replicas("", "no connection", "");
    assertThat(only())
        .isEqualTo(
            Finding.warning(
                "replicas",
                "table events, partition p1: its replica at h:1 does not answer: no connection",
                "start that server again; one that stays dead is replaced after"
                    + " replicas.dead-after"));
    patient.replicas = Healthy.replicas("", "no connection", "no connection");
    assertThat(bad())
        .hasSize(2)
        .allMatch(finding -> finding.level() == Level.PROBLEM)
        .allMatch(finding -> finding.advice().startsWith("1 of 3 replicas are left"));
    patient.replicas = Healthy.replicas("", "");
    assertThat(only().found()).isEqualTo("table events, partition p1 has 2 of 3 replicas");
    patient.replicaServers = Map.of();
    assertThat(only().found())
        .isEqualTo("there are 1 replicated tables, and no server of them has a session");
  }

  @Test
  void nobodyAnswers() {
    patient.members.clear();
    patient.members.add(new MemberReport.Failed("h:1", new UnavailableException("refused")));

    Finding found = only();
    assertThat(found.level()).isEqualTo(Level.PROBLEM);
    assertThat(found.found()).isEqualTo("no server answers at h:1: refused");
    assertThat(found.advice()).contains("stele up", "--endpoints");
  }

  @Test
  void aServerWithoutAPartInTheMetastoreIsNothingToWorryAbout() {
    patient.members.add(new MemberReport.Failed("h:9", new NotServingException("no part of it")));
    assertThat(bad()).isEmpty();

    patient.members.add(new MemberReport.Failed("h:8", new UnavailableException("refused")));
    assertThat(only().found()).isEqualTo("h:8 does not answer: refused");
  }

  @Test
  void noMajority() {
    Member a = new Member("a", "", "h:1");
    Member b = new Member("b", "", "h:2");
    Member c = new Member("c", "", "h:3");
    patient.members.clear();
    patient.members.add(
        new MemberReport.Reached(
            "h:1",
            new MemberStatus(
                "g",
                a,
                "CANDIDATE",
                false,
                1,
                Optional.empty(),
                List.of(a, b, c),
                5,
                9,
                0,
                0,
                0,
                0,
                0,
                0)));
    for (String address : List.of("h:2", "h:3")) {
      patient.members.add(new MemberReport.Failed(address, new UnavailableException("refused")));
    }

    assertThat(bad())
        .extracting(Finding::found)
        .containsExactly(
            "no member leads: 1 of 3 answer, and it takes 2",
            "member h:2 does not answer: refused",
            "member h:3 does not answer: refused");
  }

  @Test
  void aMemberLagsAndAServerWaits() {
    patient.members.add(Healthy.reached("h:2", "FOLLOWER", 50));
    assertThat(bad()).isEmpty();

    patient.members.set(0, Healthy.reached("h:1", "LEADER", 20_051));
    assertThat(only().found()).isEqualTo("member h:2 is 20001 log entries behind the leader");
  }

  @Test
  void aServerAloneIsNoProblem() {
    patient.servers.clear();
    patient.master = Optional.empty();
    assertThat(bad()).isEmpty();

    patient.master = Optional.of("h:1");
    assertThat(only().found()).isEqualTo("there is a master, and no tablet server has a session");
  }

  @Test
  void thereIsNoMaster() {
    patient.master = Optional.empty();
    assertThat(only().found()).startsWith("there is none: tablets of servers that fail");
  }

  @Test
  void aCommitLogHasFailed() {
    patient.nodes.put("h:2", Healthy.node(0, 50, "tables take no writes"));
    assertThat(only().found()).isEqualTo("h:2: tables take no writes");
  }

  @Test
  void tabletsAreNotServedAndAServerHangs() {
    patient.status =
        new Cluster.Status(
            "h:1",
            3,
            List.of(
                new Cluster.ServerStatus("h:2", "s2", false, 0, 0, 0, 0, 0, "too late"),
                new Cluster.ServerStatus("h:1", "s1", true, 2, 0, 0, 0, 0, "")),
            9,
            List.of("a", "b", "c", "d", "e", "f", "g"),
            List.of());
    patient.garbage = new Garbage(List.of("x"), 10, "h:2 does not report");

    assertThat(bad())
        .extracting(Finding::found)
        .containsExactly(
            "h:2 has a session and does not answer the master: too late",
            "h:1 is being drained, and has 2 tablets",
            "7 of 9 are not served: a; b; c; d; e; and 2 more",
            "none is moved to the trash at the moment: h:2 does not report");
  }

  @Test
  void metaIsDamagedAndAFileIsMissing() {
    patient.problems =
        List.of(
            new MetaProblem(
                MetaProblem.Kind.GAP,
                "users",
                Bytes.utf8("k"),
                "nothing before k",
                "widen it",
                false),
            new MetaProblem(
                MetaProblem.Kind.FILE_MISSING,
                "users",
                Bytes.utf8("k"),
                "1.frag is gone",
                "",
                false));

    List<Finding> found = bad();
    assertThat(found.getFirst().advice())
        .isEqualTo("`stele meta repair users` does this: widen it");
    assertThat(found.getLast().area()).isEqualTo("files");
    assertThat(found.getLast().found()).isEqualTo("table users: file missing: 1.frag is gone");
  }

  @Test
  void clocksAreApartAndADiskIsFull() {
    patient.nodes.put("h:1", Healthy.node(-SECOND, 2));
    patient.nodes.put("h:2", Healthy.node(2 * SECOND, 9));

    assertThat(bad())
        .extracting(Finding::found)
        .containsExactlyInAnyOrder(
            "that of h:2 is 3000 ms ahead of that of h:1",
            "h:1: 2 B of 100 B free for tables in /d",
            "h:2: 9 B of 100 B free for tables in /d");
  }

  @Test
  void aServerDoesNotAnswer() {
    patient.nodes.remove("h:2");
    assertThat(only().found()).isEqualTo("h:2 does not answer: no connection");
  }

  @Test
  void aServerThatGaveUpItsSessionSaysWhy() {
    patient.known = List.of("h:1", "h:2", "h:3");
    patient.nodes.put("h:3", Healthy.node("h:3", 0, 50, "cannot sync log/s7/1.log: I/O error"));
    assertThat(only().found()).isEqualTo("h:3: cannot sync log/s7/1.log: I/O error");
  }

  @Test
  void aServerThatLeftForGoodIsNoProblem() {
    patient.known = List.of("h:1", "h:2", "h:3", "h:4");
    patient.nodes.put("h:4", Healthy.node("other:4", 0, 50, "another's at the same address"));
    assertThat(new Examination(patient).run())
        .allMatch(finding -> finding.level() == Finding.Level.OK);
  }

  @Test
  void whatCannotBeAskedIsToldAndTheRestStillLookedAt() {
    Patient half =
        new Patient() {
          @Override
          public List<MemberReport> members() {
            return patient.members();
          }

          @Override
          public Map<String, String> servers() {
            return patient.servers();
          }

          @Override
          public List<String> knownServers() {
            return patient.knownServers();
          }

          @Override
          public Optional<String> master() {
            return patient.master();
          }

          @Override
          public Cluster.Status status() {
            throw new UnavailableException("no master");
          }

          @Override
          public List<MetaProblem> verifyMeta() {
            return List.of();
          }

          @Override
          public Garbage garbage() {
            return patient.garbage();
          }

          @Override
          public Map<String, String> replicaServers() {
            return patient.replicaServers();
          }

          @Override
          public List<String> replicatedTables() {
            return List.of("lost", "events");
          }

          @Override
          public Replicas.Status replicas(String table) {
            if (table.equals("lost")) {
              throw new UnavailableException("no METADATA");
            }
            return patient.replicas(table);
          }

          @Override
          public NodeReport node(String address) {
            return patient.node(address);
          }

          @Override
          public long wallMicros() {
            return 0;
          }
        };
    assertThat(new Examination(half).run())
        .anyMatch(finding -> finding.found().equals("cannot be asked: no master"))
        .anyMatch(finding -> finding.area().equals("META"))
        .anyMatch(finding -> finding.found().equals("cannot be asked: no METADATA"))
        .anyMatch(
            finding ->
                finding
                    .found()
                    .startsWith("table events: all replicas answer: 3 replicas in 1 partition"))
        .anyMatch(finding -> finding.area().equals("disks"));
  }
}
