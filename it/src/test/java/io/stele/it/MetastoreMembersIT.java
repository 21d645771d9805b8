package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.process.ServerProcess;
import io.stele.cli.ExitCode;
import io.stele.it.process.Servers;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several servers made one metastore, by the commands that an operator has for it. */
@Timeout(300)
@Order(7)
class MetastoreMembersIT {

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final Map<String, ServerProcess> servers = new TreeMap<>();

  @AfterEach
  void stop() {
    servers.values().forEach(ServerProcess::close);
  }

  private String start(String name, String... arguments) {
    return make(name, arguments).start().of("native");
  }

  private ServerProcess make(String name, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--name", name, "--roles", "metastore"));
    for (String setting : SteleCluster.QUICK_ELECTIONS) {
      all.addAll(List.of("--set", setting));
    }
    all.addAll(List.of(arguments));
    ServerProcess server = Servers.server(folder.resolve(name), all.toArray(String[]::new));
    servers.put(name, server);
    return server;
  }

  private ServerProcess server(String name) {
    return Objects.requireNonNull(servers.get(name), name);
  }

  private static String leader(Commands commands) {
    return commands
        .metastore("status")
        .out()
        .lines()
        .filter(line -> line.contains(" leader "))
        .map(line -> line.split(" +", -1)[1])
        .findFirst()
        .orElse("");
  }

  @Test
  @Tag(LongRun.TAG)
  void serversAreBootstrappedAddedLostReplacedRemovedAndRestarted() {
    String first = start("n1", "--wait");
    String second = start("n2", "--seeds", first);
    bootstrap(first, second);
    String third = start("n3", "--seeds", first + "," + second);
    assertThat(new Commands(first).metastore("members", "add", third).answer())
        .contains("n1", "n2", "n3");
    for (String member : List.of(first, second, third)) {
      assertThat(new Commands(member).metastore("get", "/a").answer())
          .as("any member serves, by asking the leader")
          .isEqualTo("1");
    }

    Commands all = new Commands(String.join(",", first, second, third));
    String dead = leader(all);
    server(dead).kill();
    replace(all, dead);
    servers.remove(dead);

    assertThat(all.metastore("members", "transfer", "n4", "--timeout", "60s").exitCode()).isZero();
    await("n4 leads").atMost(DEADLINE).until(() -> leader(all).equals("n4"));
    String removed =
        servers.keySet().stream()
            .filter(name -> !name.equals("n4"))
            .min(String::compareTo)
            .orElseThrow();
    assertThat(all.metastore("members", "remove", removed, "--timeout", "60s").answer())
        .contains("n4")
        .doesNotContain(removed);
    Objects.requireNonNull(servers.remove(removed)).kill();
    theLastTwoKeepTheirDataOverARestart();
    theLastOneGoesOnAlone("n4");
  }

  private static void bootstrap(String first, String second) {
    Commands both = new Commands(first + "," + second);
    assertThat(both.metastore("put", "/a", "1", "--timeout", "2s").exitCode())
        .as("no group, no service")
        .isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(new Commands(first).metastore("members", "bootstrap", first, second).answer())
        .contains(first, second);
    assertThat(both.metastore("put", "/a", "1").exitCode()).isZero();
    Commands.Result again = new Commands(second).metastore("members", "bootstrap", first, second);
    assertThat(again.exitCode()).isEqualTo(ExitCode.CONFLICT);
    assertThat(again.err()).contains("belongs to the group");
  }

  /** Two of three go on, and take a fourth server in place of the dead one. */
  private void replace(Commands all, String dead) {
    assertThat(all.metastore("put", "/a", "2", "--timeout", "60s").exitCode())
        .as("two of three go on")
        .isZero();
    Commands.Result status = all.metastore("status");
    assertThat(status.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(status.out()).contains("no answer");

    Commands fourth = new Commands(start("n4", "--wait"));
    assertThat(all.metastore("members", "replace", dead, fourth.endpoints()).answer())
        .contains("n4")
        .doesNotContain(dead);
    assertThat(fourth.metastore("get", "/a").answer()).isEqualTo("2");
    await("the newcomer has caught up")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(fourth.metastore("get", "/a", "--consistency", "stale").answer())
                    .isEqualTo("2"));
  }

  private void theLastTwoKeepTheirDataOverARestart() {
    List<String> before = addresses();
    servers.values().forEach(ServerProcess::terminate);
    servers.values().forEach(server -> server.awaitExit(DEADLINE));
    // One of two is ready only when the other one is there.
    servers.values().forEach(ServerProcess::launch);
    servers.values().forEach(ServerProcess::awaitReady);
    assertThat(addresses()).as("members know each other by their ports").isEqualTo(before);
    Commands both = new Commands(String.join(",", before));
    assertThat(both.metastore("get", "/a", "--timeout", "60s").answer()).isEqualTo("2");
    assertThat(both.metastore("put", "/a", "3", "--timeout", "60s").exitCode()).isZero();
  }

  /** Once the other one is lost, and not before. */
  private void theLastOneGoesOnAlone(String survivor) {
    server(survivor).kill();
    ServerProcess early = make(survivor, "--force-new-cluster");
    early.launch();
    assertThat(early.awaitExit(DEADLINE)).isEqualTo(ExitCode.CONFLICT);
    assertThat(early.logFile()).content().contains("of the same group answers");
    servers.values().forEach(ServerProcess::kill);

    Commands alone = new Commands(start(survivor, "--force-new-cluster"));
    assertThat(alone.metastore("get", "/a", "--timeout", "60s").answer()).isEqualTo("3");
    assertThat(alone.metastore("status").answer().lines())
        .filteredOn(line -> line.contains(" leader ") || line.contains(" follower "))
        .hasSize(1);
    assertThat(alone.metastore("put", "/a", "4").exitCode()).isZero();
    server(survivor).terminate();
    server(survivor).awaitExit(DEADLINE);
    assertThat(new Commands(start(survivor)).metastore("get", "/a").answer()).isEqualTo("4");
  }

  private List<String> addresses() {
    return servers.values().stream().map(ServerProcess::address).toList();
  }
}
