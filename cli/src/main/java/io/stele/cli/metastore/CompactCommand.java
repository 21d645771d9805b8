package io.stele.cli.metastore;

import io.stele.cli.ExitCode;
import io.stele.client.metastore.MetastoreClient;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele metastore compact}. */
@Command(
    name = "compact",
    description = {
      "Forget how things were before a revision.",
      "",
      "Reads at earlier revisions and watches from them fail afterwards; what keys are now is not"
          + " touched. A server does this by itself with history older than its settings say."
    },
    footer = "  stele metastore compact 1700")
final class CompactCommand extends ClientCommand {

  @Parameters(paramLabel = "REVISION", description = "The oldest revision to keep.")
  private long revision;

  @Override
  int run(MetastoreClient client) {
    client.admin().compact(revision);
    print(() -> Map.of("oldest", revision), () -> "");
    return ExitCode.OK;
  }
}
