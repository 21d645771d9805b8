package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.cli.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several servers made one metastore, by the commands that an operator has for it. */
@Timeout(300)
class MetastoreMembersIT {

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final Map<String, ServerProcess> servers = new ConcurrentHashMap<>();

  @AfterEach
  void stop() {
    servers.values().forEach(ServerProcess::close);
  }

  private String start(String name, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of("--name", name, "--roles", "metastore"));
    all.addAll(List.of(arguments));
    ServerProcess server = ServerProcess.start(folder.resolve(name), all.toArray(String[]::new));
    servers.put(name, server);
    return server.address();
  }

  /** One of two is ready only when the other one is there. */
  private String startAgain(String name) {
    try {
      return start(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
  void threeServersAreBootstrappedLoseOneAndReplaceIt() throws Exception {
    String first = start("n1", "--wait");
    String second = start("n2", "--seeds", first);
    String third = start("n3", "--seeds", first + "," + second);
    Commands all = new Commands(String.join(",", first, second, third));

    assertThat(all.metastore("put", "/a", "1", "--timeout", "2s").exitCode())
        .as("no group, no service")
        .isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(new Commands(first).metastore("members", "bootstrap", first, second, third).answer())
        .contains(first, second, third);
    assertThat(all.metastore("put", "/a", "1").exitCode()).isZero();
    Commands.Result again =
        new Commands(second).metastore("members", "bootstrap", first, second, third);
    assertThat(again.exitCode()).isEqualTo(ExitCode.CONFLICT);
    assertThat(again.err()).contains("belongs to the group");
    for (String member : List.of(first, second, third)) {
      assertThat(new Commands(member).metastore("get", "/a").answer())
          .as("any member serves, by asking the leader")
          .isEqualTo("1");
    }

    String dead = leader(all);
    Objects.requireNonNull(servers.get(dead)).kill();
    assertThat(all.metastore("put", "/a", "2", "--timeout", "60s").exitCode())
        .as("two of three go on")
        .isZero();
    Commands.Result status = all.metastore("status");
    assertThat(status.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(status.out()).contains("no answer");

    String fourth = start("n4", "--wait");
    assertThat(all.metastore("members", "replace", dead, fourth).answer())
        .contains("n4")
        .doesNotContain(dead);
    assertThat(new Commands(fourth).metastore("get", "/a").answer()).isEqualTo("2");
    await("the newcomer has caught up")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        new Commands(fourth)
                            .metastore("get", "/a", "--consistency", "stale")
                            .answer())
                    .isEqualTo("2"));
  }

  @Test
  void oneServerGrowsToTwoAndKeepsItsDataOverARestart() throws Exception {
    String first = start("n1");
    Commands commands = new Commands(first);
    commands.metastore("put", "/a", "1").answer();
    String second = start("n2", "--wait");

    assertThat(commands.metastore("members", "add", second).answer()).contains("n1", "n2");
    assertThat(new Commands(second).metastore("get", "/a").answer()).isEqualTo("1");
    assertThat(commands.metastore("members", "transfer", "n2").exitCode()).isZero();
    await("n2 leads").atMost(DEADLINE).until(() -> leader(commands).equals("n2"));

    Objects.requireNonNull(servers.get("n1")).stop();
    Objects.requireNonNull(servers.get("n2")).stop();
    CompletableFuture<String> back = CompletableFuture.supplyAsync(() -> startAgain("n1"));
    assertThat(startAgain("n2")).as("its members know it by its ports").isEqualTo(second);
    assertThat(back.join()).isEqualTo(first);

    assertThat(commands.metastore("get", "/a", "--timeout", "60s").answer()).isEqualTo("1");
    assertThat(commands.metastore("members", "remove", "n2", "--timeout", "60s").answer())
        .contains("n1")
        .doesNotContain("n2");
    assertThat(commands.metastore("put", "/a", "2", "--timeout", "60s").exitCode()).isZero();
  }
}
