package io.stele.cli.metastore;

import io.stele.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stele metastore}: metadata, locks and watches, a subcommand for each operation. */
@Command(
    name = "metastore",
    description = {
      "Read and change metadata, take locks, watch changes, and look after the members.",
      "",
      "Keys are absolute paths such as /services/web/1. The servers are those of --endpoints, else"
          + " those of the variable STELE_ENDPOINTS, else the one on this machine."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele metastore put /services/web/1 10.0.0.7:80",
      "  stele metastore ls /services",
      "  stele metastore watch --prefix /services/",
      "  stele metastore lock /jobs/nightly --wait 10s -- ./nightly.sh"
    },
    subcommands = {
      GetCommand.class,
      PutCommand.class,
      DeleteCommand.class,
      ListCommand.class,
      WatchCommand.class,
      TxnCommand.class,
      LockCommand.class,
      SessionCommand.class,
      CompactCommand.class,
      AclCommand.class,
      MembersCommand.class,
      StatusCommand.class,
      BackupCommand.class,
      RestoreCommand.class
    })
public final class MetastoreCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
