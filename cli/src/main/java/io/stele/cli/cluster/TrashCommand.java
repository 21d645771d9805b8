package io.stele.cli.cluster;

import io.stele.base.table.StoredFiles.Emptied;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.DurationConverter;
import io.stele.cli.ExitCode;
import io.stele.cli.table.TabletText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele cluster trash}: files that nothing needed when they were moved there. */
@Command(
    name = "trash",
    description = "Look at files that nothing needs any more, restore them, or delete them.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    subcommands = {
      TrashCommand.ListFiles.class,
      TrashCommand.Restore.class,
      TrashCommand.Empty.class
    })
final class TrashCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  @Command(
      name = "ls",
      description = "List the files in the trash, oldest first.",
      footer = "  stele cluster trash ls")
  static final class ListFiles extends ConnectedCommand {
    @Override
    protected int run(Connection connection) {
      List<TrashedFile> files = connection.cluster().trashedFiles();
      print(() -> files.stream().map(ClusterText::json).toList(), () -> ClusterText.trash(files));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "restore",
      description = {
        "Move files from the trash back to where they were.",
        "",
        "A file that META does not name is moved to the trash again later: restore META first."
      },
      footer = {
        "  stele cluster trash restore fragments",
        "  stele cluster trash restore fragments/s000000000017/0000000042.frag"
      })
  static final class Restore extends ConnectedCommand {
    @Parameters(
        paramLabel = "PATH",
        description = "A file as `ls` lists it, or a directory for all that were in it.")
    private String path = "";

    @Override
    protected int run(Connection connection) {
      List<String> restored = connection.cluster().restoreFiles(path);
      print(
          () -> Map.of("restored", restored),
          () ->
              restored.isEmpty()
                  ? "the trash has no file of %s that is missing there\n".formatted(path)
                  : "restored %s:\n%s\n"
                      .formatted(Count.of(restored.size(), "file"), String.join("\n", restored)));
      return restored.isEmpty() ? ExitCode.FAILURE : ExitCode.OK;
    }
  }

  @Command(
      name = "empty",
      description = "Delete files from the trash for good.",
      footer = {"  stele cluster trash empty --older 2h", "  stele cluster trash empty --older 0s"})
  static final class Empty extends ConnectedCommand {
    @Option(
        names = "--older",
        required = true,
        paramLabel = "DURATION",
        converter = DurationConverter.class,
        description = "Only those that have been there for so long; 0s for all.")
    private Duration older = Duration.ZERO;

    @Override
    protected int run(Connection connection) {
      Emptied gone = connection.cluster().emptyTrash(older);
      print(
          () -> Map.of("files", gone.files(), "bytes", gone.bytes()),
          () ->
              "deleted %s of %s\n"
                  .formatted(Count.of(gone.files(), "file"), TabletText.size(gone.bytes())));
      return ExitCode.OK;
    }
  }
}
