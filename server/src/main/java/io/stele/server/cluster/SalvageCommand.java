package io.stele.server.cluster;

import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.time.Clock;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.cli.OutputFormat;
import io.stele.cli.OutputOption;
import io.stele.tables.load.LogDamage;
import io.stele.tables.load.LogSalvage;
import io.stele.tables.load.LogSalvage.Damaged;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stele meta salvage}: damaged logs of dead servers, and how to go on without them. */
@Command(
    name = "salvage",
    description = {
      "List damaged logs of servers that died, and what is lost in them.",
      "",
      "Tablets that may have been changed by transactions that are lost take writes, but are not"
          + " read. --accept RUN has them served without these transactions; servers go on by"
          + " themselves within their upkeep, or when the tablets are loaded again. The damaged log"
          + " itself is not changed: copy it first if you want to look into it later.",
      "",
      "Ends with 1 if there is damage that was not accepted."
    },
    sortOptions = false,
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele meta salvage --logs /mnt/stele",
      "  stele meta salvage --logs hdfs://name-node/stele --accept s000000000017"
    })
final class SalvageCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutputOption output = new OutputOption();

  @Option(
      names = "--logs",
      required = true,
      paramLabel = "PLACE",
      description =
          "Where the logs are: as tables.logs, or tables.files where that is not set, or the"
              + " directory tables of a server alone.")
  private String logs = "";

  @Option(
      names = "--accept",
      paramLabel = "RUN",
      description = "Serve tablets without what is lost in the log of this run of a server.")
  private @Nullable String accept;

  @Override
  public Integer call() throws IOException {
    try (FileStore files = FileStores.open(logs)) {
      LogSalvage salvage = new LogSalvage(files);
      Optional<Damaged> accepted =
          Optional.ofNullable(accept)
              .map(run -> salvage.accept(run, "accepted by stele meta salvage, " + now()));
      List<Damaged> found = accepted.map(List::of).orElseGet(salvage::look);
      spec.commandLine()
          .getOut()
          .print(
              output.format() == OutputFormat.JSON
                  ? Json.write(found.stream().map(SalvageCommand::json).toList()) + "\n"
                  : text(found));
      spec.commandLine().getOut().flush();
      return found.stream().allMatch(Damaged::salvaged) ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  private static Instant now() {
    return Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(Clock.system().micros()));
  }

  private static String text(List<Damaged> found) {
    if (found.isEmpty()) {
      return "no log is damaged\n";
    }
    StringBuilder text = new StringBuilder();
    for (Damaged damaged : found) {
      text.append("log ").append(damaged.run());
      text.append(
          damaged.salvaged()
              ? ": accepted, tablets are served without what is lost\n"
              : ": not accepted, tablets that may have lost something are not read\n");
      for (LogDamage damage : damaged.damages()) {
        text.append("  ").append(damage).append('\n');
      }
      damaged
          .records()
          .forEach(
              (table, count) ->
                  text.append("  table %s: %d whole records%n".formatted(table, count)));
    }
    return text.toString();
  }

  private static Map<String, Object> json(Damaged damaged) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("run", damaged.run());
    object.put("accepted", damaged.salvaged());
    object.put("damage", damaged.damages().stream().map(SalvageCommand::json).toList());
    object.put("records", damaged.records());
    return object;
  }

  private static Map<String, Object> json(LogDamage damage) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("file", damage.file().toString());
    object.put("position", damage.position());
    object.put("problem", damage.problem());
    object.put("lost", damage.transactions());
    return object;
  }
}
