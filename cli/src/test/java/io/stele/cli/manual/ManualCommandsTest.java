package io.stele.cli.manual;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.CommandFixture;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManualCommandsTest {
  @TempDir Path folder;

  private final CommandFixture stele = new CommandFixture();

  private String bash(String script) throws IOException, InterruptedException {
    Process bash =
        new ProcessBuilder("bash", "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    bash.getOutputStream().close();
    String said = new String(bash.getInputStream().readAllBytes()).strip();
    assertThat(bash.waitFor()).as(said).isZero();
    return said;
  }

  @EnabledOnOs({OS.LINUX, OS.MAC})
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          stele metas                  | metastore
          stele table tru              | truncate
          stele cluster trash rest     | restore
          stele get --his              | --history
          stele get users 42 --output j | json
          """)
  void bashCompletesCommandsOptionsAndValues(String typed, String expected) throws Exception {
    Files.writeString(folder.resolve("stele.bash"), stele.ok("completion", "bash"));

    assertThat(
            bash(
                """
                compopt() { :; } # which only a shell that completes has
                . ./stele.bash
                COMP_WORDS=(%s)
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _complete_stele
                echo "${COMPREPLY[@]}"
                """
                    .formatted(typed)))
        .isEqualTo(expected);
  }

  @Test
  void zshLoadsTheSameByItsOwnFirstLine() {
    assertThat(stele.ok("completion", "zsh"))
        .isEqualTo("#compdef stele\n" + stele.ok("completion", "bash"));
  }

  @Test
  void fishKnowsCommandsOptionsAndValuesWithWhatTheyAre() {
    assertThat(stele.ok("completion", "fish").lines())
        .contains(
            "complete -c stele -n '__stele_after' -a metastore -d 'Read and change metadata, take"
                + " locks, watch changes, and look after the members.'",
            "complete -c stele -n '__stele_after table' -a truncate -d 'Delete all rows of a table"
                + " at once; it asks first.'",
            "complete -c stele -n '__stele_after -p get' -l raw -d 'Write the value of the one"
                + " column as it is.'",
            "complete -c stele -n '__stele_after -p get' -l output -x -a 'table json' -d 'How to"
                + " print the result: table, json (default: table).'");
  }

  @Test
  void anUnknownShellIsRefusedWithThoseThatThereAre() {
    CommandFixture.Run run = stele.run("completion", "csh");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("'csh'", "bash", "zsh", "fish");
  }

  @Test
  void theManualPageHasEveryCommandWithItsOptions() {
    String page = stele.ok("manual");

    assertThat(page)
        .startsWith(".TH \"STELE\" \"1\"")
        .contains(
            ".SH \"NAME\"\nstele \\- A durable, distributed table store in one program.\n",
            ".SS \"stele table create [OPTION...] NAME\"\n",
            ".SS \"stele cluster trash restore [OPTION...] PATH\"\n",
            ".TP\n\\fB\\-\\-history N\\fR\n",
            ".TP\n\\fB7\\fR\nIt may or may not have been done")
        .doesNotContain("${", "%n");
    assertThat(page.lines()).noneMatch(line -> line.matches("['.][^A-Za-z].*"));
  }
}
