package io.stele.cli.dataset;

import io.stele.base.dataset.DatasetStatus;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.transfer.DatasetBuildCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele dataset}: a subcommand for each operation. */
@Command(
    name = "dataset",
    description = {
      "Look keys up in datasets, and look after their versions.",
      "",
      "A dataset is a map of keys to values that is made as a whole, version by version. Servers"
          + " find versions in datasets.source (./stele-data/datasets for `stele up`), load the"
          + " newest one and then answer from it."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele dataset build scores scores.csv --key name",
      "  stele dataset refresh",
      "  stele dataset get scores alice"
    },
    subcommands = {
      DatasetCommand.Ls.class,
      LookupCommand.Get.class,
      LookupCommand.MultiGet.class,
      DatasetCommand.Status.class,
      DatasetCommand.Refresh.class,
      DatasetCommand.Pin.class,
      DatasetCommand.Rollback.class,
      DatasetBuildCommand.class
    })
final class DatasetCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  @Command(
      name = "ls",
      aliases = "list",
      description = "List the datasets, and the version of each that is served.",
      footer = {"  stele dataset ls", "  stele dataset ls --output json"})
  static final class Ls extends ConnectedCommand {
    @Override
    protected int run(Connection connection) {
      List<DatasetStatus> datasets = connection.datasets().status();
      print(
          () -> datasets.stream().map(DatasetText::line).toList(),
          () -> DatasetText.list(datasets));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "status",
      description = {
        "Show the versions of all datasets, or of one, and what each node has of them.",
        "",
        "Ends with 1 if a dataset has no version that is served, or one that could not be loaded."
      },
      footer = {"  stele dataset status", "  stele dataset status scores --output json"})
  static final class Status extends ConnectedCommand {
    @Parameters(arity = "0..1", paramLabel = "DATASET", description = "The dataset (default: all).")
    private @Nullable String dataset;

    @Override
    protected int run(Connection connection) {
      List<DatasetStatus> datasets =
          dataset == null
              ? connection.datasets().status()
              : List.of(connection.datasets().status(dataset));
      print(
          () -> datasets.stream().map(DatasetText::json).toList(),
          () -> DatasetText.status(datasets));
      return datasets.stream().allMatch(DatasetText::isWell) ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  @Command(
      name = "refresh",
      description = {
        "Have a server look for datasets and versions now; those that failed are tried again.",
        "",
        "It ends when the server has looked, not when what it found is loaded: see `status`."
      },
      footer = "  stele dataset refresh")
  static final class Refresh extends ConnectedCommand {
    @Override
    protected int run(Connection connection) {
      connection.datasets().refresh();
      List<String> datasets = connection.datasets().list();
      print(
          () -> Map.of("datasets", datasets),
          () ->
              datasets.isEmpty() ? "no datasets\n" : "found " + String.join(", ", datasets) + "\n");
      return ExitCode.OK;
    }
  }

  @Command(
      name = "pin",
      description = {
        "Keep a dataset at a version, be it older or newer than the one that is served.",
        "",
        "With --off it follows its newest version again."
      },
      footer = {"  stele dataset pin scores 2026-11-15", "  stele dataset pin scores --off"})
  static final class Pin extends ConnectedCommand {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DATASET", description = "The dataset.")
    private String dataset = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "VERSION",
        description = "The version, as `status` lists it.")
    private @Nullable String version;

    @Option(names = "--off", description = "Follow the newest version again.")
    private boolean off;

    @Override
    protected void prepare() {
      if (off == (version != null)) {
        throw new ParameterException(
            spec.commandLine(), "name the version to keep the dataset at, or give --off");
      }
    }

    @Override
    protected int run(Connection connection) {
      String pinned = version == null ? "" : version;
      if (pinned.isEmpty()) {
        connection.datasets().unpin(dataset);
      } else {
        connection.datasets().pin(dataset, pinned);
      }
      print(
          () -> said(dataset, pinned),
          () ->
              pinned.isEmpty()
                  ? "dataset " + dataset + " follows its newest version\n"
                  : "dataset " + dataset + " is kept at version " + pinned + "\n");
      return ExitCode.OK;
    }
  }

  @Command(
      name = "rollback",
      description = {
        "Go back to the version before the one that is served, and stay there.",
        "",
        "`stele dataset pin DATASET --off` goes on to the newest again."
      },
      footer = "  stele dataset rollback scores")
  static final class Rollback extends ConnectedCommand {
    @Parameters(paramLabel = "DATASET", description = "The dataset.")
    private String dataset = "";

    @Override
    protected int run(Connection connection) {
      String version = connection.datasets().rollback(dataset);
      print(
          () -> said(dataset, version),
          () -> "dataset " + dataset + " goes back to version " + version + "\n");
      return ExitCode.OK;
    }
  }

  private static Map<String, Object> said(String dataset, String pinned) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("dataset", dataset);
    json.put("pinned", pinned);
    return json;
  }
}
