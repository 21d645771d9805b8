package io.stele.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {

  private final StringWriter err = new StringWriter();

  private CommandLine bench() {
    return new CommandLine(new BenchCommand()).setErr(new PrintWriter(err));
  }

  @Test
  void everyBenchmarkIsASubcommand() {
    assertThat(bench().getCommandName()).isEqualTo("bench");
    assertThat(bench().getSubcommands())
        .containsOnlyKeys(
            "engine", "metastore", "table", "bigtable", "recovery", "scale", "replica", "dataset");
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
