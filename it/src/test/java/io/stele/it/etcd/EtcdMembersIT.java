package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerProcess;
import io.stele.base.time.Clock;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's etcdctl on three members: any of them is asked, and the leader is lost. */
class EtcdMembersIT {
  private static final Pattern STATUS = Pattern.compile("\"member_id\":(\\d+).*?\"leader\":(\\d+)");

  @TempDir private Path directory;

  private SteleCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private List<String> running() {
    return IntStream.range(0, cluster.size())
        .mapToObj(cluster::server)
        .filter(ServerProcess::isAlive)
        .map(ServerProcess::address)
        .toList();
  }

  /** The address of the member that leads, as the members themselves tell. */
  private String leader() {
    for (String address : running()) {
      Matcher status = STATUS.matcher(new Etcdctl(address).run("endpoint", "status", "-w=json"));
      if (status.find() && status.group(1).equals(status.group(2))) {
        return address;
      }
    }
    return "";
  }

  @Test
  @Tag(LongRun.TAG)
  void anyMemberAnswersAndAWatchSurvivesTheLossOfTheLeader() throws Exception {
    Etcdctl.require();
    cluster = SteleCluster.named("etcd-members").with(1, "metastore").start();
    String a = cluster.server(0).address(); // the native port speaks etcd's protocol too
    String b = cluster.server(cluster.startAnother("metastore")).address();
    String c = cluster.server(cluster.startAnother("metastore")).address();
    assertThat(new Etcdctl(a).run("member", "add", "b", "--peer-urls=http://" + b))
        .contains("added to cluster");
    assertThat(new Etcdctl(b).run("member", "add", "c", "--peer-urls=http://" + c))
        .as("by a follower")
        .contains("added to cluster");
    assertThat(new Etcdctl(c).run("member", "list")).contains(a, b, c);

    eachMemberServes(List.of(a, b, c));
    theLeadMoves(String.join(",", a, b, c));
    aWatchTellsEverythingOnce(String.join(",", a, b, c));
  }

  private static void eachMemberServes(List<String> members) throws Exception {
    for (String member : members) {
      Etcdctl etcdctl = new Etcdctl(member);
      assertThat(etcdctl.run("put", "at", member)).isEqualTo("OK");
      for (String other : members) {
        assertThat(new Etcdctl(other).run("get", "at", "--print-value-only")).isEqualTo(member);
      }
      String lease = etcdctl.run("lease", "grant", "60").split(" ")[1];
      assertThat(etcdctl.run("lease", "keep-alive", "--once", lease)).contains("keepalived");
      assertThat(etcdctl.run("lease", "timetolive", lease)).contains("granted with TTL(60s)");
      assertThat(etcdctl.run("lease", "revoke", lease)).contains("revoked");
      assertThat(etcdctl.run("get", "at", "--rev=1000"))
          .isEqualTo("Error: etcdserver: mvcc: required revision is a future revision");
    }
  }

  private void theLeadMoves(String all) throws Exception {
    String before = leader();
    Matcher target =
        Pattern.compile("(?m)^([0-9a-f]+), started, [^,]+, http://(\\S+),")
            .matcher(new Etcdctl(before).run("member", "list"));
    while (target.find()) {
      if (!target.group(2).equals(before)) {
        assertThat(new Etcdctl(all).run("move-leader", target.group(1)))
            .contains("Leadership transferred");
        await("another leader")
            .atMost(Duration.ofSeconds(30))
            .until(() -> leader().equals(target.group(2)));
        return;
      }
    }
    throw new AssertionError("no other member");
  }

  private void aWatchTellsEverythingOnce(String all) throws Exception {
    Etcdctl etcdctl = new Etcdctl(all);
    Path told = directory.resolve("told");
    try (ChildProcess _ = etcdctl.begin(told, "watch", "k", "--rev=1")) {
      List<String> acknowledged = new ArrayList<>();
      putUntil(10, etcdctl, acknowledged);
      cluster.server(cluster.numberOf(leader())).kill();
      await("two of three to go on")
          .atMost(Duration.ofSeconds(60))
          .until(() -> put(etcdctl, acknowledged));
      putUntil(20, etcdctl, acknowledged);
      String last = acknowledged.getLast();
      await("the last event")
          .atMost(Duration.ofSeconds(40))
          .until(() -> Files.readString(told).contains(last + "\n"));

      List<String> values =
          Files.readString(told).lines().filter(line -> line.startsWith("v")).toList();
      assertThat(values).doesNotHaveDuplicates().containsAll(acknowledged);
      assertThat(values)
          .as("in the order of the puts")
          .isSortedAccordingTo(
              (one, other) ->
                  Long.compare(
                      Long.parseLong(one.substring(1)), Long.parseLong(other.substring(1))));
    }
  }

  private static void putUntil(int many, Etcdctl etcdctl, List<String> acknowledged)
      throws Exception {
    while (acknowledged.size() < many) {
      assertThat(put(etcdctl, acknowledged)).isTrue();
    }
  }

  /** Each attempt has a value of its own: one that failed may have been done all the same. */
  private static boolean put(Etcdctl etcdctl, List<String> acknowledged) throws Exception {
    String value = "v" + Clock.system().nanos();
    boolean done = etcdctl.run("put", "k", value).equals("OK");
    if (done) {
      acknowledged.add(value);
    }
    return done;
  }
}
