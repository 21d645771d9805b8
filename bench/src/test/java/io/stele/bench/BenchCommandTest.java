package io.stele.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.CommandProvider;
import io.stele.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {

  private final StringWriter err = new StringWriter();

  private CommandLine bench() {
    CommandProvider provider =
        ServiceLoader.load(CommandProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(BenchCommandProvider.class::isInstance)
            .findFirst()
            .orElseThrow();
    return new CommandLine(provider.command()).setErr(new PrintWriter(err));
  }

  @Test
  void theCommandLineFindsIt() {
    assertThat(bench().getCommandName()).isEqualTo("bench");
    assertThat(bench().getSubcommands()).containsKeys("engine", "metastore", "table", "replica");
  }

  @Test
  void withoutANameItSaysWhatThereIs() {
    assertThat(bench().execute()).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("engine", "Measure the storage engine beside RocksDB")
        .contains("metastore", "Measure the metastore beside etcd")
        .contains("table", "Measure tablet tables beside HBase")
        .contains("replica", "Measure replicated tables, beside a tablet table and RocksDB");
  }
}
