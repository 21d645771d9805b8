package io.stele.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.cli.CommandEnvironment;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandProvider;
import io.stele.cli.Connection;
import io.stele.cli.Connector;
import io.stele.cli.Main;
import io.stele.cli.TlsOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(30)
class TerminalLoopTest {
  private final CommandFixture stele = new CommandFixture();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @BeforeEach
  void tables() {
    stele.tables.create(
        "users",
        TableSchema.of(GroupSchema.of("a", "name", "note"), GroupSchema.of("b", "photo")),
        List.of());
    stele.tables.create("pages", TableSchema.ofFamilies("text"), List.of());
  }

  private ShellSession session() {
    Connector.Request request =
        new Connector.Request(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            TlsOptions.NONE,
            List.of());
    Connection connection = stele.connect(request);
    CommandEnvironment environment =
        new CommandEnvironment(
            new SharedConnector(connection, request, stele::connect),
            Optional.empty(),
            CommandEnvironment.Prompt.NOBODY,
            true);
    CommandLine commands = Main.commandLine(ServiceLoader.load(CommandProvider.class), environment);
    commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new ShellSession(commands, _ -> commands, connection);
  }

  private String type(String text) throws Exception {
    ByteArrayOutputStream screen = new ByteArrayOutputStream();
    try (Terminal terminal =
        new DumbTerminal(
            "test",
            "dumb",
            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
            screen,
            StandardCharsets.UTF_8)) {
      new TerminalLoop(session(), terminal, folder.resolve("deep/history")).run();
    }
    return screen.toString(StandardCharsets.UTF_8);
  }

  @Test
  void errorsDoNotEndItAndTheHistoryIsKept() throws Exception {
    String screen =
        type(
            """
            get users 1
            use users
            put 1 name:a 'two
            lines'
            get 1
            exit
            never
            """);
    assertThat(err.toString()).isEqualTo("stele get: table users has no row 1\n");
    assertThat(out.toString()).contains("two\\nlines");
    assertThat(screen).contains("stele> ", "stele:users> ");
    assertThat(Files.readString(folder.resolve("deep/history")))
        .contains("get users 1", "put 1 name:a", "exit")
        .doesNotContain("never");
  }

  @Test
  void theEndOfTheInputEndsIt() throws Exception {
    type("scan users --count\n");
    assertThat(out.toString()).isEqualTo("0\n");
  }

  @Test
  void commandsOptionsTablesAndFamiliesAreCompleted() {
    ShellSession session = session();
    ShellCompleter completer = new ShellCompleter(session);
    assertThat(completer.words(List.of(), "e")).containsExactly("exit", "export");
    assertThat(completer.words(List.of("table"), "d")).containsExactly("describe", "drop");
    assertThat(completer.words(List.of("metastore"), "tx")).containsExactly("txn");
    assertThat(completer.words(List.of("scan", "users"), "--l"))
        .containsExactly("--latest", "--limit");
    assertThat(completer.words(List.of("scan"), "")).containsExactly("pages", "users");
    assertThat(completer.words(List.of("use"), "u")).containsExactly("users");
    assertThat(completer.words(List.of("table", "drop"), "p")).containsExactly("pages");
    assertThat(completer.words(List.of("meta", "ls"), "p")).containsExactly("pages");
    assertThat(completer.words(List.of("put", "users", "1"), "n"))
        .containsExactly("name:", "note:");
    assertThat(completer.words(List.of("put", "users", "1", "name:a"), "")).isEmpty();
    assertThat(completer.words(List.of("put", "users", "1", "name:a", "v"), "p"))
        .containsExactly("photo:");
    assertThat(completer.words(List.of("get", "--history", "2", "users", "1"), "p"))
        .containsExactly("photo:");
    assertThat(completer.words(List.of("get", "--history"), "")).isEmpty();
    assertThat(completer.words(List.of("get", "none", "1"), "")).isEmpty();
    assertThat(completer.words(List.of("nonsense"), "")).isEmpty();

    session.run(List.of("use", "pages"));
    assertThat(completer.words(List.of("get", "1"), "")).containsExactly("text:");
    assertThat(completer.words(List.of("get"), "")).isEmpty();
  }
}
