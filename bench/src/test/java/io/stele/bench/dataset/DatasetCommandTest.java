package io.stele.bench.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.CommandRun;
import io.stele.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele bench dataset}, on few records and without other processes. */
@Timeout(60)
class DatasetCommandTest {
  @TempDir private Path temp;

  private CommandRun run(String... more) {
    return CommandRun.of(
        new DatasetCommand(),
        temp,
        Stream.concat(Stream.of("--quick", "--seconds=0.02"), Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void lookupsAndLoadsAreMeasuredBesideWhatLimitsThem() throws IOException {
    CommandRun run =
        run("--records=2000", "--cases=local-1,local-all,load-text,load-sparkey,switch");

    assertThat(run.exitCode()).as(run.said()).isEqualTo(ExitCode.OK);
    assertThat(run.names())
        .containsExactly("local-1", "local-all", "load-text", "load-sparkey", "switch");
    assertThat(run.results()).allMatch(result -> result.number("stele") > 0);
    assertThat(run.results().subList(0, 4)).allMatch(result -> result.number("ratio") > 0);
    assertThat(run.out()).contains("2,000 records of 100 bytes");
    assertThat(temp.resolve("data")).as("what it made is deleted").doesNotExist();
  }

  @Test
  void casesAreListedAndWrongOnesNamed() {
    assertThat(run("--list").out()).contains("http-proxied-64", "load-sparkey");
    CommandRun wrong = run("--cases=local-2");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("unknown case 'local-2'; did you mean 'local-1'?");
    assertThat(run("--records=0").err()).contains("--records is 0; it must be 1 to");
  }
}
