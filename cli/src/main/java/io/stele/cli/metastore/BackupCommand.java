package io.stele.cli.metastore;

import io.stele.cli.ExitCode;
import io.stele.cli.NewFile;
import io.stele.client.metastore.MetastoreClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele metastore backup}. */
@Command(
    name = "backup",
    description = {
      "Write everything, as it is at one moment, to a file.",
      "",
      "The file is there once it is whole and on disk, and never before."
    },
    footer = "  stele metastore backup /backups/metastore-$(date +%%F)")
final class BackupCommand extends ClientCommand {

  @Parameters(paramLabel = "FILE", description = "Must not exist.")
  private Path file = Path.of("");

  @Override
  void check() {
    NewFile.check(file);
  }

  @Override
  int run(MetastoreClient client) throws IOException {
    long bytes = NewFile.write(file, out -> client.admin().backup(out));
    print(
        () -> {
          Map<String, Object> answer = new LinkedHashMap<>();
          answer.put("file", file.toString());
          answer.put("bytes", bytes);
          return answer;
        },
        () -> file + ": " + bytes + " bytes\n");
    return ExitCode.OK;
  }
}
