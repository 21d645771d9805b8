package io.stele.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.TableSchema;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.Connection;
import io.stele.cli.Connector;
import io.stele.cli.ExitCode;
import io.stele.cli.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ShellCommandTest {
  private final CommandFixture stele = new CommandFixture();

  @BeforeEach
  void aTable() {
    stele.tables.create("users", TableSchema.ofFamilies("name"), List.of());
  }

  @AfterEach
  void everyConnectionIsClosed() {
    assertThat(stele.open()).isZero();
  }

  private Run script(String text, String... options) {
    String[] words = new String[options.length + 1];
    words[0] = "shell";
    System.arraycopy(options, 0, words, 1, options.length);
    return stele.input(text).run(words);
  }

  @Test
  void aScriptRunsOverOneConnection() {
    Run run =
        script(
            """
            # a script
            table create pages --family text
            put users 42 name:first 'Ada L.' \\
              --time @5
            use users
            put 7 name:first "two
            lines" --time @6
            scan
            use
            get users 42 --output json
            """);
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .startsWith(
            """
            table pages made, with 1 tablet
            ROW  COLUMN      TIME  VALUE
            42   name:first  @5    Ada L.
            7    name:first  @6    two\\nlines
            {
              "row": "42",
            """);
    assertThat(stele.requests).hasSize(1);
  }

  @Test
  void aCommandRemembersNothingOfItsLastRun() {
    Run run =
        script(
            """
            put users a1 name:n v
            put users b1 name:n v
            put users b2 name:n v
            delete users --prefix a
            put users a2 name:n v
            delete users b1
            scan users --count
            scan users "row = 'b2'" --count
            scan users --count
            version
            """);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).startsWith("1\n2\n1\n2\nNAME");
  }

  @Test
  void theFirstFailureEndsAScriptWithItsCode() {
    Run run = script("get users 1\nput users 1 name:a v\n");
    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err())
        .isEqualTo(
            """
            stele get: table users has no row 1
            stele shell: line 1 ended with 3; what follows it was not run
            """);
    assertThat(stele.ok("scan", "users", "--count")).isEqualTo("0\n");
  }

  @Test
  void aScriptKeepsGoingIfToldTo() {
    Run run = script("get users 1\n\nputt\nput users 1 name:a v\n", "--keep-going");
    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err())
        .isEqualTo(
            """
            stele get: table users has no row 1
            stele shell: line 1 ended with 3
            stele: unknown command 'putt'; did you mean 'put'?
            `stele --help` lists what it takes.
            stele shell: line 3 ended with 2
            """);
    assertThat(stele.ok("scan", "users", "--count")).isEqualTo("1\n");
  }

  @Test
  void mistakesOfTheShellsOwnCommands() {
    Run run = script("use none\nuse a b\nexit now\nput users - 'x\n", "--keep-going");
    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err())
        .isEqualTo(
            """
            use: table "none": there is none of this name
            stele shell: line 1 ended with 3
            use: 3 words, expected: use TABLE, or use alone to use none
            stele shell: line 2 ended with 2
            exit: words behind it, expected: exit
            stele shell: line 3 ended with 2
            stele shell: line 4: it ends in the middle of a command
            """);
  }

  @Test
  void theScriptIsNobodysValueAndAnswersNoQuestion() {
    assertThat(script("put users 1 name:a -").err())
        .startsWith(
            "stele put: value '-': standard input is read as commands here; text:- is a value of"
                + " one dash\n");
    assertThat(script("load users - --format csv").err())
        .startsWith("stele load: file '-': standard input is read as commands here; name a file\n");
    assertThat(script("table drop users").err()).contains("Nobody is here to ask: give --yes.");
    assertThat(script("metastore put /a -").err())
        .startsWith("stele metastore put: value '-': standard input is read as commands here");
  }

  @Test
  void exitEndsItAndJsonMayBeTheDefault() {
    Run run = script("scan users --count\nexit\nnonsense", "--output", "json");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).isEqualTo("{\n  \"rows\": 0\n}\n");
  }

  @Test
  void helpListsTheCommandsOfTheShell() {
    String help = script("help").out();
    assertThat(help)
        .contains("\n  put        Write values", "\n  metastore  Read", "use TABLE", "exit")
        .doesNotContain("shell      ", "\n  help  ");
    assertThat(script("help table create").out()).contains("Usage: stele table create");
  }

  // ---- connections

  private static Connector.Request request(String timeout) {
    return new Connector.Request(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        timeout.isEmpty() ? Optional.empty() : Optional.of(Duration.parse(timeout)),
        TlsOptions.NONE,
        List.of("local:1"));
  }

  @Test
  void aCommandMayNameAnotherStore() {
    assertThat(script("scan users --endpoints other:1 --count").err()).isEmpty();
    assertThat(stele.requests)
        .extracting(Connector.Request::endpoints)
        .containsExactly(Optional.empty(), Optional.of("other:1"));
  }

  @Test
  void aTimeoutOfACommandKeepsTheShellsServers() {
    assertThat(script("scan users --timeout 3s --count", "--endpoints", "a:1").err()).isEmpty();
    assertThat(stele.requests.getLast().endpoints()).contains("a:1");
    assertThat(stele.requests.getLast().timeout()).contains(Duration.ofSeconds(3));

    Connector.Request ofDirectory =
        new Connector.Request(
            Optional.empty(),
            Optional.of(Path.of("d")),
            Optional.empty(),
            Optional.empty(),
            TlsOptions.NONE,
            List.of());
    try (Connection shared = stele.connect(ofDirectory)) {
      SharedConnector connector = new SharedConnector(shared, ofDirectory, stele::connect);
      assertThatThrownBy(() -> connector.open(request("PT3S")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessage(
              "--timeout, --principal and the options of TLS are for servers, and this shell works"
                  + " on a directory");
      connector.open(request("")).close();
      assertThat(stele.open()).isEqualTo(1);
    }
  }
}
