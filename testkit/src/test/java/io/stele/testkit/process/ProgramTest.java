package io.stele.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramTest {
  @TempDir private Path folder;

  @Test
  void outputErrorsAndExitCodeAreKeptApart() throws Exception {
    Program shell =
        new Program(List.of("sh", "-c"), folder, variables -> variables.put("STELE_TEST", "x"));

    Program.Result result = shell.runWith("read me", "cat; echo $STELE_TEST >&2; pwd; exit 3");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.out()).isEqualTo("read me" + folder.toRealPath() + "\n");
    assertThat(result.err()).isEqualTo("x\n");
  }

  @Test
  void aProgramThatMustSucceedIsQuotedWhenItDoesNot() {
    assertThat(Program.succeed("echo", "a")).isEqualTo("a");
    assertThatThrownBy(() -> Program.succeed("sh", "-c", "echo no way >&2; exit 2"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("exit code 2: no way");
  }

  @Test
  void aMissingProgramIsAFailure() {
    assertThat(Program.of("/no/such/program").run().exitCode()).isEqualTo(-1);
  }
}
