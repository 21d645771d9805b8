package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerProcess;
import io.stele.cli.ExitCode;
import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every command of {@code stele metastore} against a server that runs as a process. */
@Timeout(120)
@ResourceLock(Servers.SHARED)
class MetastoreCliIT {

  private static ServerProcess server;
  private static Commands commands;

  @TempDir Path folder;

  @BeforeAll
  static void startServer() {
    server = Servers.shared();
    commands = Commands.of(server);
  }

  private static Commands.Result metastore(String... arguments) {
    return commands.metastore(arguments);
  }

  private static long revision(String... arguments) {
    return Long.parseLong(metastore(arguments).answer());
  }

  @Test
  void theLauncherRunsCommandsToo() throws Exception {
    Program launcher = Servers.commands(folder, Map.of("STELE_ENDPOINTS", server.address()));

    assertThat(launcher.run("metastore", "put", "/launcher/a", "x").exitCode()).isZero();
    Program.Result found = launcher.run("metastore", "get", "/launcher/a");
    Program.Result missing = launcher.run("metastore", "get", "/launcher/b");

    assertThat(found.out()).isEqualTo("x\n");
    assertThat(found.err()).isEmpty();
    assertThat(missing.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(missing.err()).isEqualTo("stele metastore get: there is no key /launcher/b\n");
  }

  @Test
  void putAndGetAndDelete() throws Exception {
    long first = revision("put", "/kv/a", "one");
    long second = revision("put", "/kv/a", "two");
    assertThat(second).isGreaterThan(first);

    assertThat(metastore("get", "/kv/a").out()).isEqualTo("two\n");
    assertThat(metastore("get", "/kv/a", "--revision", Long.toString(first)).out())
        .isEqualTo("one\n");
    for (String consistency : new String[] {"linearizable", "lease", "stale"}) {
      assertThat(metastore("get", "/kv/a", "--consistency", consistency).answer()).isEqualTo("two");
    }
    assertThat(metastore("get", "/kv/a", "--output", "json").out())
        .contains("\"key\": \"/kv/a\"", "\"value\": \"two\"", "\"version\": 2")
        .contains("\"created\": " + first, "\"modified\": " + second);
    assertThat(metastore("put", "/kv/a", "three", "--previous", "--output", "json").out())
        .contains("\"previous\": {", "\"value\": \"two\"");

    assertThat(metastore("delete", "/kv/a").answer()).isEqualTo("1");
    assertThat(metastore("delete", "/kv/a").answer()).isEqualTo("0");
    assertThat(metastore("get", "/kv/a").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void valuesFromFiles() throws Exception {
    Path file = Files.write(folder.resolve("value"), new byte[] {(byte) 0xFF, 0, 'a'});

    metastore("put", "/files/a", "@" + file).answer();

    assertThat(metastore("get", "/files/a").out()).isEqualTo("\\xff\\x00a\n");
    assertThat(metastore("get", "/files/a", "--output", "json").out())
        .contains("\"valueBase64\": \"/wBh\"");
    assertThat(metastore("put", "/files/a", "@" + folder.resolve("none")).exitCode())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void prefixesAndDirectories() {
    metastore("put", "/dir/a", "1").answer();
    metastore("put", "/dir/b/c", "2").answer();
    metastore("put", "/dir/b/d", "3").answer();

    assertThat(
            metastore("get", "--prefix", "/dir/")
                .out()
                .lines()
                .map(line -> line.substring(0, line.indexOf(' '))))
        .containsExactly("KEY", "/dir/a", "/dir/b/c", "/dir/b/d");
    assertThat(metastore("get", "--prefix", "/dir/", "--limit", "1").out().lines()).hasSize(2);
    assertThat(metastore("get", "--prefix", "/dir/", "--count").answer()).isEqualTo("3");
    assertThat(metastore("ls", "/dir").answer()).isEqualTo("a\nb/");
    assertThat(metastore("ls", "/dir", "--output", "json").out())
        .contains("\"name\": \"b\"", "\"directory\": true");
    assertThat(metastore("ls").out()).contains("dir/\n");
    assertThat(metastore("delete", "--prefix", "/dir/b/").answer()).isEqualTo("2");
    assertThat(metastore("ls", "/dir").out()).isEqualTo("a\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "::",
      quoteCharacter = '~',
      textBlock =
          """
          get key             :: key 'key': must be an absolute path, such as /key
          put /a//b 1         :: /a//b
          put /a/ 1           :: /a/
          put /a/../b 1       :: /a/../b
          delete a            :: key 'a': must be an absolute path, such as /a
          get /a --revision x :: 'x' is not a long
          get /a --consistency strong :: 'strong' is not one of linearizable, lease, stale
          get /a --timeout 5  :: '5' is no time such as 5s or 250ms
          get /a --revision 999999999 :: 999999999
          get                 :: Missing required parameter: 'KEY'
          put /a              :: Missing required parameter: 'VALUE'
          compact 0           :: 0
          compact 999999999   :: 999999999
          watch               :: Missing required parameter: 'KEY'
          acl set /d bob=x    :: 'bob=x'
          acl set /d bob      :: 'bob'
          gte /a              :: unknown command 'gte'; did you mean 'get'?
          members ad x:1      :: unknown command 'ad'; did you mean 'add'?
          members add x       :: 'x' is no address; must be HOST:PORT
          backup              :: Missing required parameter: 'FILE'
          """)
  void whatIsWrongIsNamedAndEndsWith2(String command, String message) {
    Commands.Result result = metastore(command.split(" "));

    assertThat(result.err()).contains(message);
    assertThat(result.out()).isEmpty();
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void nobodyAtTheAddressEndsWith6() {
    Commands nobody = new Commands("127.0.0.1:1");

    Awaitility.await() // the time may be over before the first connection is refused
        .untilAsserted(
            () -> {
              Commands.Result result = nobody.metastore("get", "/a", "--timeout", "300ms");
              assertThat(result.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
              assertThat(result.err()).contains("stele metastore get: ", "127.0.0.1:1");
            });
  }

  @Test
  void transactions() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("t"),
            """
            if missing /txn/plan
            then
            put /txn/plan "step one"
            get /txn/plan
            else
            get /txn/plan
            """);

    Commands.Result first = metastore("txn", "-f", script.toString());
    Commands.Result second = metastore("txn", "-f", script.toString(), "--output", "json");

    assertThat(first.exitCode()).isZero();
    assertThat(first.out()).startsWith("conditions held, revision ").contains("step one");
    assertThat(second.exitCode()).isEqualTo(ExitCode.CONFLICT);
    assertThat(second.out()).contains("\"succeeded\": false", "\"value\": \"step one\"");

    Files.writeString(script, "putt /a 1");
    Commands.Result wrong = metastore("txn", "-f", script.toString());
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("line 1: unknown word 'putt'");
  }

  @Test
  void aWatchTellsWhatHappenedFromARevisionOn() {
    long from = revision("put", "/watch/a", "1");
    metastore("put", "/watch/a", "2").answer();
    metastore("put", "/watched", "no").answer();
    long last = revision("put", "/watch/b", "3");
    metastore("delete", "/watch/a").answer();

    assertThat(
            metastore("watch", "--prefix", "/watch/", "--from", Long.toString(from), "--count", "4")
                .out())
        .isEqualTo(
            """
            %d put /watch/a 1
            %d put /watch/a 2
            %d put /watch/b 3
            %d delete /watch/a
            """
                .formatted(from, from + 1, last, last + 1));
    Commands.Result json =
        metastore("watch", "/watch/b", "--from", "1", "--count", "1", "--output", "json");
    assertThat(json.out())
        .startsWith("{\"revision\": " + last + ", \"event\": \"put\", \"key\": \"/watch/b\", ")
        .hasLineCount(1);
  }

  @Test
  void aCommandRunsUnderALock() throws Exception {
    Path seen = folder.resolve("seen");

    Commands.Result result =
        metastore(
            "lock", "/locks/a", "--", "sh", "-c", "echo $STELE_LOCK_TOKEN >" + seen + "; exit 17");

    assertThat(result.exitCode()).isEqualTo(17);
    assertThat(Long.parseLong(Files.readString(seen).strip())).isPositive();
    assertThat(metastore("lock", "/locks/a", "--shared", "--", "true").exitCode())
        .as("it was released")
        .isZero();
    assertThat(metastore("lock", "/locks/a", "--", "/no/such/program").exitCode())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aLockThatIsHeldIsRefusedOrWaitedFor() throws Exception {
    Path holding = folder.resolve("holding");
    Path done = folder.resolve("done");
    String script = "touch %s; while [ ! -e %s ]; do sleep 0.05; done".formatted(holding, done);
    Thread holder =
        Thread.startVirtualThread(() -> metastore("lock", "/locks/b", "--", "sh", "-c", script));
    Awaitility.await().until(() -> Files.exists(holding));

    Commands.Result refused = metastore("lock", "/locks/b", "--", "true");
    Commands.Result late = metastore("lock", "/locks/b", "--wait", "100ms", "--", "true");
    assertThat(refused.exitCode()).isEqualTo(ExitCode.CONFLICT);
    assertThat(refused.err()).contains("/locks/b");
    assertThat(late.exitCode()).isEqualTo(ExitCode.CONFLICT);

    Files.createFile(done);
    assertThat(metastore("lock", "/locks/b", "--wait", "10s", "--", "true").exitCode()).isZero();
    holder.join();
  }

  @Test
  void aLockIsFreeAtOnceWhenItsHolderIsToldToStop() throws Exception {
    try (ChildProcess holder =
        new ChildProcess(
            "the holder",
            List.of(
                Servers.launcher().toString(),
                "metastore",
                "lock",
                "/locks/c",
                "--ttl",
                "60s",
                "--endpoints",
                server.address()),
            Servers.launched("64m").environment(),
            folder.resolve("said"),
            Duration.ZERO)) {
      holder.launch();
      holder.awaitReady(
          () -> holder.log().startsWith("holding /locks/c, token "), Duration.ofSeconds(60));
      assertThat(metastore("lock", "/locks/c", "--", "true").exitCode())
          .isEqualTo(ExitCode.CONFLICT);

      holder.terminate();

      assertThat(metastore("lock", "/locks/c", "--wait", "30s", "--", "true").exitCode()).isZero();
    }
  }

  @Test
  void aProgramIsToldToEndWhenItsLockIsLost() throws Exception {
    Path holding = folder.resolve("holding");
    Path told = folder.resolve("told");
    String script =
        "trap 'touch %s; exit 0' TERM; touch %s; while :; do sleep 0.05; done"
            .formatted(told, holding);
    try (ServerProcess other = Servers.server(folder.resolve("other"))) {
      other.start();
      Commands there = Commands.of(other);
      CompletableFuture<Commands.Result> holder =
          CompletableFuture.supplyAsync(
              () -> there.metastore("lock", "/a", "--ttl", "2s", "--", "sh", "-c", script));
      Awaitility.await().until(() -> Files.exists(holding));

      other.kill();

      Commands.Result result = holder.get(60, TimeUnit.SECONDS);
      assertThat(result.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(result.err()).contains("the session was lost while 'sh' ran");
      assertThat(told).exists();
    }
  }

  @Test
  void keysOfASessionEndWithIt() throws Exception {
    Path seen = folder.resolve("seen");
    String script =
        "\"%s\" metastore put /sessions/a here --session $STELE_SESSION >%s"
            .formatted(Servers.launcher(), seen);

    Commands.Result result =
        metastore(
            "session",
            "--ttl",
            "5s",
            "--",
            "env",
            "STELE_BUILD=never",
            "STELE_ENDPOINTS=" + server.address(),
            "sh",
            "-c",
            script);

    assertThat(result.exitCode()).isZero();
    long put = Long.parseLong(Files.readString(seen).strip());
    assertThat(metastore("get", "/sessions/a").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(metastore("get", "/sessions/a", "--revision", Long.toString(put)).answer())
        .isEqualTo("here");
  }

  @Test
  void rightsOnADirectory() {
    metastore("put", "/private/a", "1").answer();
    metastore("acl", "set", "/private", "alice=rw", "bob=r", "*=").answer();

    assertThat(metastore("acl", "get", "/private/a", "--principal", "bob").out())
        .contains("alice", "rw", "bob")
        .hasLineCount(4);
    assertThat(metastore("get", "/private/a").exitCode()).isEqualTo(ExitCode.DENIED);
    assertThat(metastore("get", "/private/a", "--principal", "bob").answer()).isEqualTo("1");
    assertThat(metastore("put", "/private/a", "2", "--principal", "bob").exitCode())
        .isEqualTo(ExitCode.DENIED);
    assertThat(metastore("put", "/private/a", "2", "--principal", "alice").exitCode()).isZero();
    assertThat(metastore("acl", "clear", "/private", "--principal", "alice").exitCode()).isZero();
    assertThat(metastore("get", "/private/a").answer()).isEqualTo("2");
  }

  @Test
  void historyIsForgottenByCompaction() {
    metastore("put", "/compacted/a", "1").answer();
    long old = revision("put", "/compacted/a", "2");
    long now = revision("put", "/compacted/a", "3");

    assertThat(metastore("compact", Long.toString(now)).exitCode()).isZero();

    Commands.Result gone = metastore("get", "/compacted/a", "--revision", Long.toString(old));
    assertThat(gone.exitCode()).isNotZero();
    assertThat(gone.err()).contains(Long.toString(old));
    assertThat(metastore("get", "/compacted/a").answer()).isEqualTo("3");
    Commands.Result watch =
        metastore("watch", "/compacted/a", "--from", Long.toString(old), "--count", "1");
    assertThat(watch.exitCode()).isNotZero();
    assertThat(watch.err()).contains("the oldest that can be watched from is " + now);
  }

  @Test
  void membersAndStatus() throws Exception {
    assertThat(metastore("status").out()).contains(server.address(), "leader");
    assertThat(metastore("status", "--output", "json").out())
        .contains("\"role\": \"leader\"", "\"ready\": true");
    assertThat(metastore("members").out()).contains(server.address()).hasLineCount(2);
    assertThat(metastore("members", "list").out()).isEqualTo(metastore("members").out());
    Commands.Result again = metastore("members", "bootstrap", server.address());
    assertThat(again.exitCode()).as("a second bootstrap is refused").isNotZero();
    assertThat(metastore("members", "remove", "nobody").exitCode()).isNotZero();
  }

  @Test
  void aBackupIsRestoredToANewServer() throws Exception {
    Path backup = folder.resolve("backup");
    metastore("put", "/backup/a", "kept").answer();
    assertThat(metastore("backup", backup.toString()).exitCode()).isZero();
    assertThat(metastore("backup", backup.toString()).exitCode())
        .as("a file that exists is not overwritten")
        .isEqualTo(ExitCode.USAGE);
    metastore("put", "/backup/a", "later").answer();

    try (ServerProcess other = Servers.server(folder.resolve("other"), "--wait")) {
      other.start();
      Commands there = Commands.of(other);
      Awaitility.await() // the time may be over before the first answer
          .untilAsserted(
              () ->
                  assertThat(there.metastore("get", "/backup/a", "--timeout", "500ms").exitCode())
                      .isEqualTo(ExitCode.UNAVAILABLE));

      Path broken = Files.writeString(folder.resolve("broken"), "no backup at all");
      assertThat(there.metastore("restore", broken.toString()).exitCode()).isNotZero();

      assertThat(there.metastore("restore", backup.toString()).exitCode()).isZero();
      assertThat(there.metastore("get", "/backup/a").answer()).isEqualTo("kept");
      assertThat(there.metastore("restore", backup.toString()).exitCode())
          .as("one that belongs to a group is not overwritten")
          .isNotZero();
      assertThat(there.metastore("put", "/backup/a", "new").exitCode()).isZero();
    }
  }

  @Test
  void everyCommandHasHelpWithExamples() {
    for (String command :
        "get put delete ls watch txn lock session compact acl members status backup restore"
            .split(" ", -1)) {
      assertThat(metastore(command, "--help").out())
          .as(command)
          .contains(
              "Usage: stele metastore " + command, "Examples:", "  stele metastore " + command);
    }
  }
}
