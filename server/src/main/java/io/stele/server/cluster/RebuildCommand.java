package io.stele.server.cluster;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.client.metastore.MetastoreClient;
import io.stele.tables.files.RootCopies;
import io.stele.tables.files.Trash;
import io.stele.tables.load.MetaRebuild;
import io.stele.tables.load.MetaRebuild.Found;
import io.stele.tables.master.LiveServer;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele meta rebuild}: an empty metastore becomes that of files that lost theirs. */
@Command(
    name = "rebuild",
    description = {
      "Rebuild META from the files and logs of a cluster that lost its metastore.",
      "",
      "Stop all servers of tables, start an empty metastore (stele server --roles metastore), and"
          + " name the files here. It then becomes the metastore of these files, and the servers"
          + " can be started with it. Nothing is deleted.",
      "",
      "Ends with 1 if something that META names is missing."
    },
    footer = {
      "  stele meta rebuild --files hdfs://name-node/stele --dry-run",
      "  stele meta rebuild --files /mnt/stele --logs /mnt/stele-logs"
    })
final class RebuildCommand extends ConnectedCommand {
  @Option(
      names = "--files",
      required = true,
      paramLabel = "PLACE",
      description =
          "Where the files of tables are: as tables.files, or the directory tables of a server"
              + " alone.")
  private String files = "";

  @Option(
      names = "--logs",
      paramLabel = "PLACE",
      description = "Where the logs are: as tables.logs (default: with the files).")
  private @Nullable String logs;

  @Option(names = "--dry-run", description = "Only say what would be done.")
  private boolean dryRun;

  @Override
  protected int run(Connection connection) throws IOException {
    MetastoreClient metastore = connection.metastore();
    List<LiveServer> live = new MetastoreMembership(metastore).live();
    if (!live.isEmpty()) {
      throw new InvalidRequestException(
          "tablet servers are running: " + live + "; META is rebuilt while none is");
    }
    try (FileStore fragments = FileStores.open(files);
        FileStore logFiles = logs == null ? fragments : FileStores.open(logs)) {
      Found found = run(metastore, fragments, logFiles);
      print(() -> json(found), () -> text(found));
      return found.problems().isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  private Found run(MetastoreClient metastore, FileStore fragments, FileStore logFiles) {
    MetaRebuild rebuild =
        new MetaRebuild(
            fragments,
            logFiles,
            new ClientRootStore(metastore),
            new RootCopies(fragments, RandomSource.system()),
            new Trash(fragments, logFiles, Clock.system(), Duration.ofDays(1)));
    return dryRun
        ? rebuild.look()
        : rebuild.rebuild(last -> metastore.put(ClusterKeys.RUNS, Long.toString(last)));
  }

  private String text(Found found) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s META of cluster %s: %d tables, %d tablets, %d logs to be replayed%n"
            .formatted(
                dryRun ? "would rebuild" : "rebuilt",
                found.cluster(),
                found.tables().size(),
                found.tablets(),
                found.logs().size()));
    list(text, "table", found.tables());
    list(
        text,
        dryRun ? "would move back from the trash" : "moved back from the trash",
        found.restored());
    list(text, "problem", found.problems());
    list(text, "not named by META, and left alone", found.unnamed());
    return text.toString();
  }

  private static void list(StringBuilder text, String what, List<String> lines) {
    lines.forEach(line -> text.append("  ").append(what).append(": ").append(line).append('\n'));
  }

  private Map<String, Object> json(Found found) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("cluster", found.cluster().toString());
    object.put("applied", !dryRun);
    object.put("tables", found.tables());
    object.put("tablets", found.tablets());
    object.put("logs", found.logs());
    object.put("restored", found.restored());
    object.put("problems", found.problems());
    object.put("unnamed", found.unnamed());
    return object;
  }
}
