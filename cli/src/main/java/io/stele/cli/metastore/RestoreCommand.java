package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.cli.ExitCode;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MetastoreClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele metastore restore}. */
@Command(
    name = "restore",
    description = {
      "Fill a server that belongs to no group from a backup: it becomes the only member of a new"
          + " group.",
      "",
      "The server is one that was started with --wait on an empty directory. Others are added"
          + " afterwards."
    },
    footer = {
      "  stele server --data new --wait &",
      "  stele metastore restore /backups/metastore-2026-11-16"
    })
final class RestoreCommand extends ClientCommand {

  @Parameters(paramLabel = "FILE", description = "What `backup` wrote.")
  private Path file = Path.of("");

  @Override
  void check() {
    if (!Files.isRegularFile(file)) {
      throw new InvalidRequestException("there is no file '" + file + "'");
    }
  }

  @Override
  int run(MetastoreClient client) throws IOException {
    List<Member> members;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      members = client.admin().restore(in);
    }
    print(() -> MemberText.json(members), () -> MemberText.table(members));
    return ExitCode.OK;
  }
}
