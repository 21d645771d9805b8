package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.ExitCode;
import io.stele.it.process.Servers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for tables and rows against a server that runs as a process. */
@Timeout(120)
@ResourceLock(Servers.SHARED)
class TableCliIT {
  private static Commands commands;

  @TempDir Path folder;

  @BeforeAll
  static void startServer() {
    commands = Commands.of(Servers.shared());
    ok("table", "create", "users", "--family", "name,photo");
  }

  private static String ok(String... arguments) {
    Commands.Result result = commands.stele(arguments);
    assertThat(result.err()).as(String.join(" ", arguments)).isEmpty();
    assertThat(result.exitCode()).as(String.join(" ", arguments)).isEqualTo(ExitCode.OK);
    return result.out();
  }

  @Test
  void rowsAreWrittenReadAndDeleted() {
    ok("put", "users", "r/1\\x00", "name:first", "Ada", "photo:", "hex:00ff", "--time", "@7");
    ok("put", "users", "r/2", "name:first", "Bob", "--time", "@8");
    assertThat(ok("get", "users", "r/1\\x00"))
        .isEqualTo(
            """
            COLUMN      TIME  VALUE
            name:first  @7    Ada
            photo:      @7    \\x00\\xff
            """);
    assertThat(ok("scan", "users", "row ~= 'r/' and column = 'name:first' and time >= @8"))
        .isEqualTo(
            """
            ROW  COLUMN      TIME  VALUE
            r/2  name:first  @8    Bob
            """);
    assertThat(ok("increment", "users", "r/3", "name:n", "--by", "-2")).isEqualTo("-2\n");
    assertThat(ok("append", "users", "r/2", "name:first", "by")).isEqualTo("Bobby\n");
    ok("delete", "users", "r/1\\x00", "photo:");
    assertThat(ok("scan", "users", "row ~= 'r/'", "--count")).isEqualTo("3\n");
    assertThat(ok("delete", "users", "--prefix", "r/")).isEqualTo("3\n");
    assertThat(commands.stele("get", "users", "r/2").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void tablesAreMadeChangedSplitAndDropped() {
    ok("table", "create", "t", "--group", "a=x,y", "--group", "b=*", "--split", "m");
    for (String row : new String[] {"a", "b", "c", "d", "n", "z"}) {
      ok("put", "t", row, "x:q", "v", "other:q", "v");
    }
    assertThat(ok("table", "split", "t", "b")).isEqualTo("b\n");
    ok("table", "flush", "t");
    assertThat(ok("table", "describe", "t").lines().filter(line -> line.contains("active")))
        .hasSize(3);
    assertThat(ok("table", "join", "t", "a")).isEqualTo("table t has 2 tablets now\n");
    ok("table", "alter", "t", "--add", "c=y", "--with", "c.compression=zstd", "--remove", "*");
    ok("table", "compact", "t");
    assertThat(ok("scan", "t", "--count")).isEqualTo("6\n");
    assertThat(ok("scan", "t", "column ~= 'other:'", "--count")).isEqualTo("0\n");
    assertThat(ok("meta", "ls").lines().filter(line -> line.startsWith("t "))).hasSize(2);
    assertThat(ok("meta", "verify")).isEqualTo("nothing is wrong\n");
    ok("table", "unload", "t");
    assertThat(commands.stele("get", "t", "a", "--timeout", "1s").exitCode()).isNotZero();
    ok("table", "serve", "t");
    assertThat(ok("get", "t", "a")).contains("x:q");
    ok("table", "truncate", "t", "--yes");
    assertThat(ok("scan", "t", "--count")).isEqualTo("0\n");
    ok("table", "drop", "t", "--yes");
    assertThat(ok("table", "list")).doesNotContain("\nt ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "tsv", "json"})
  void aFileIsLoadedAndExportedAndLoadedAgain(String format) throws Exception {
    StringBuilder rows = new StringBuilder("id,first,last\n");
    for (int i = 0; i < 3_000; i++) {
      rows.append("user%05d,first%d,\"last, %d\"\n".formatted(i, i, i));
    }
    String from = format + "1";
    String to = format + "2";
    ok("table", "create", from, "--family", "name", "--split", "user01000");
    ok("table", "create", to, "--family", "name");
    Path file = Files.writeString(folder.resolve("rows.csv"), rows);
    assertThat(ok("load", from, file.toString(), "--row", "id", "--family", "name"))
        .startsWith("3,000 rows (6,000 cells) loaded");
    ok("table", "flush", from);
    Path first = folder.resolve("first." + format);
    Path second = folder.resolve("second." + format);
    ok("export", from, first.toString());
    ok("load", to, first.toString());
    ok("export", to, second.toString());
    assertThat(second).hasSameTextualContentAs(first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          scan nobody :: 3 :: nobody
          put nobody 1 name:a v :: 3 :: nobody
          put users 1 nmae:a v :: 2 :: nmae
          increment users 1 nmae:a :: 2 :: nmae
          table describe nobody :: 3 :: nobody
          table drop nobody --yes :: 3 :: nobody
          table create users --family a :: 4 :: users
          table split nobody a :: 3 :: nobody
          table flush nobody :: 3 :: nobody
          load nobody pom.xml --format csv :: 3 :: nobody
          export nobody - --format csv :: 3 :: nobody
          """)
  void theServersErrorsHaveTheirExitCodesAndNameTheThing(String line, int code, String thing) {
    Commands.Result result = commands.stele(line.split(" "));
    assertThat(result.err()).contains(thing).doesNotContain("Exception");
    assertThat(result.exitCode()).as(result.err()).isEqualTo(code);
  }
}
