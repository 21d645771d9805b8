package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

class StandardOutputTest {
  private static final int MANY = 1_000_000;

  /** Prints lines without end, nearly. */
  @Command(name = "lines")
  private static final class Lines implements Callable<Integer> {
    @Spec private CommandSpec spec;
    private int printed;

    @Override
    public Integer call() {
      while (printed < MANY) {
        spec.commandLine().getOut().println("line");
        printed++;
      }
      return ExitCode.OK;
    }
  }

  /** A pipe whose reader takes some bytes and goes. */
  private static final class ShortPipe extends OutputStream {
    private int left = 10_000;

    @Override
    public void write(int b) throws IOException {
      if (left-- <= 0) {
        throw new IOException("Broken pipe");
      }
    }
  }

  @Test
  void aCommandWhoseReaderIsGoneEndsAtOnceAndSaysNothing() {
    Lines lines = new Lines();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Main.commandLine(List.of(() -> lines))
            .setOut(StandardOutput.writer(new ShortPipe(), StandardCharsets.UTF_8, false))
            .setErr(new PrintWriter(err));

    assertThat(Main.run(commandLine, "lines")).isEqualTo(ExitCode.OUTPUT_GONE);

    assertThat(lines.printed).isPositive().isLessThan(MANY);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aProgramGetsBlocksAndATerminalGetsLines() {
    ByteArrayOutputStream pipe = new ByteArrayOutputStream();
    PrintWriter toProgram = StandardOutput.writer(pipe, StandardCharsets.UTF_8, false);
    toProgram.println("line");
    assertThat(pipe.size()).isZero();
    toProgram.flush();
    assertThat(pipe.toString(StandardCharsets.UTF_8)).isEqualTo("line\n");

    ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    StandardOutput.writer(terminal, StandardCharsets.UTF_8, true).println("line");
    assertThat(terminal.toString(StandardCharsets.UTF_8)).isEqualTo("line\n");
  }
}
