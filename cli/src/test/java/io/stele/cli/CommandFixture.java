package io.stele.cli;

import io.stele.base.dataset.Datasets;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.Table;
import io.stele.testkit.table.MemoryTables;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs commands on tables in memory, as the launcher would on a store. */
public final class CommandFixture {
  /** What a command printed and ended with. */
  public record Run(int exitCode, String out, String err) {}

  // A command line of one command is made in a fraction of the time that all of them take.
  private static final List<CommandProvider> ALL =
      ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get).toList();
  private static final Map<String, CommandProvider> BY_NAME =
      ALL.stream()
          .collect(
              Collectors.toMap(
                  provider -> CommandSpec.forAnnotatedObject(provider.command()).name(),
                  Function.identity()));

  public final MemoryTables tables = new MemoryTables();

  /** What commands asked to connect to, in order. */
  public final List<Connector.Request> requests = new ArrayList<>();

  private TableAdmin admin = tables;
  private Optional<Cluster> cluster = Optional.empty();
  private Optional<Replicas> replicas = Optional.empty();
  private Optional<Datasets> datasets = Optional.empty();
  private String input = "";
  private Optional<String> answer = Optional.empty();
  private int open;

  /** Other answers to what is asked of tables as a whole. */
  public CommandFixture admin(TableAdmin newAdmin) {
    admin = newAdmin;
    return this;
  }

  /** What answers for the servers as a whole. */
  public CommandFixture cluster(Cluster newCluster) {
    cluster = Optional.of(newCluster);
    return this;
  }

  /** What answers for replicated tables. */
  public CommandFixture replicas(Replicas newReplicas) {
    replicas = Optional.of(newReplicas);
    return this;
  }

  public CommandFixture datasets(Datasets newDatasets) {
    datasets = Optional.of(newDatasets);
    return this;
  }

  /** What stands in standard input. */
  public CommandFixture input(String text) {
    input = text;
    return this;
  }

  /** What the user answers when asked. */
  public CommandFixture answer(String text) {
    answer = Optional.of(text);
    return this;
  }

  /** How many connections are open. */
  public int open() {
    return open;
  }

  public CommandEnvironment environment() {
    InputStream bytes = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
    return new CommandEnvironment(this::connect, Optional.of(bytes), _ -> answer, false);
  }

  public Connection connect(Connector.Request request) {
    requests.add(request);
    open++;
    return new Connection() {
      @Override
      public Table table(String name) {
        return new Table(tables, name);
      }

      @Override
      public TableAdmin tables() {
        return admin;
      }

      @Override
      public MetastoreClient metastore() {
        throw new AssertionError("no metastore in this test");
      }

      @Override
      public Cluster cluster() {
        return cluster.orElseThrow(() -> new AssertionError("no cluster in this test"));
      }

      @Override
      public Replicas replicas() {
        return replicas.orElseThrow(() -> new AssertionError("no replicas in this test"));
      }

      @Override
      public Datasets datasets() {
        return datasets.orElseThrow(() -> new AssertionError("no datasets in this test"));
      }

      @Override
      public Nodes nodes() {
        throw new AssertionError("no nodes in this test");
      }

      @Override
      public void close() {
        open--;
      }
    };
  }

  public Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandProvider one = BY_NAME.get(arguments[0]);
    CommandLine commands =
        Main.commandLine(one == null ? ALL : List.of(one), environment())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exitCode = commands.execute(arguments);
    return new Run(exitCode, out.toString(), err.toString());
  }

  /** Runs a command that must succeed, and answers what it printed. */
  public String ok(String... arguments) {
    Run run = run(arguments);
    if (run.exitCode() != ExitCode.OK || !run.err().isEmpty()) {
      throw new AssertionError(
          String.join(" ", arguments) + " ended with " + run.exitCode() + ": " + run.err());
    }
    return run.out();
  }
}
