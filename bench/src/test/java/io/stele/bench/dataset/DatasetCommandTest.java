package io.stele.bench.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.report.JsonReader;
import io.stele.bench.report.JsonRow;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code stele bench dataset}, on few records and without other processes. */
@Timeout(60)
class DatasetCommandTest {
  private record Run(int exitCode, String out, String err) {}

  @TempDir private Path temp;

  private Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = new CommandLine(new DatasetCommand());
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all =
        Stream.concat(
                Stream.of(
                    "--quick",
                    "--seconds=0.02",
                    "--dir=" + temp.resolve("data"),
                    "--json=" + json()),
                Stream.of(arguments))
            .toArray(String[]::new);
    int exitCode = commandLine.execute(all);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private Path json() {
    return temp.resolve("results.json");
  }

  private List<JsonRow> results() throws IOException {
    return JsonRow.rows(JsonReader.read(Files.readString(json())));
  }

  @Test
  void lookupsAndLoadsAreMeasuredBesideWhatLimitsThem() throws IOException {
    Run run = run("--records=2000", "--cases=local-1,local-all,load-text,load-sparkey,switch");

    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
    assertThat(results())
        .extracting(JsonRow::name)
        .containsExactly("local-1", "local-all", "load-text", "load-sparkey", "switch");
    assertThat(results()).allMatch(result -> result.number("stele") > 0);
    assertThat(results().subList(0, 4)).allMatch(result -> result.number("ratio") > 0);
    assertThat(run.out()).contains("2,000 records of 100 bytes");
    assertThat(temp.resolve("data")).as("what it made is deleted").doesNotExist();
  }

  @Test
  void casesAreListedAndWrongOnesNamed() {
    assertThat(run("--list").out()).contains("http-proxied-64", "load-sparkey");
    Run wrong = run("--cases=local-2");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("unknown case 'local-2'; did you mean 'local-1'?");
    assertThat(run("--records=0").err()).contains("--records is 0; it must be 1 to");
  }
}
