package io.stele.cli.metastore;

import io.stele.base.settings.ByteSize;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MemberStatus;
import io.stele.client.metastore.MetastoreClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code stele metastore status}. */
@Command(
    name = "status",
    description = {
      "Ask every member how it is.",
      "",
      "Asks the servers of --endpoints and the members that those name. Exit code 6 says that at"
          + " least one did not answer."
    },
    footer = {"  stele metastore status", "  stele metastore status --output json"})
final class StatusCommand extends ClientCommand {

  @Override
  int run(MetastoreClient client) {
    List<MemberReport> reports = client.admin().status();
    print(() -> reports.stream().map(StatusCommand::json).toList(), () -> table(reports));
    for (MemberReport report : reports) {
      if (report instanceof MemberReport.Failed(String address, var problem)) {
        err().println(address + " does not answer: " + problem.getMessage());
      }
    }
    err().flush();
    return reports.stream().allMatch(MemberReport.Reached.class::isInstance)
        ? ExitCode.OK
        : ExitCode.UNAVAILABLE;
  }

  private static Map<String, Object> json(MemberReport report) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("address", report.address());
    switch (report) {
      case MemberReport.Failed(_, var problem) -> object.put("error", problem.getMessage());
      case MemberReport.Reached(_, var status) -> addJson(object, status);
    }
    return object;
  }

  private static void addJson(Map<String, Object> object, MemberStatus status) {
    object.put("group", status.group());
    object.put("id", status.self().id());
    object.put("role", role(status));
    object.put("ready", status.ready());
    object.put("term", status.term());
    object.put("leader", status.leader().map(MemberText::json).orElse(null));
    object.put("members", MemberText.json(status.members()));
    object.put("applied", status.applied());
    object.put("revision", status.revision());
    object.put("compacted", status.compacted());
    object.put("sessions", status.sessions());
    object.put("locks", status.locks());
    object.put("watches", status.watches());
    object.put("transactions", status.transactions());
    object.put("diskBytes", status.diskBytes());
  }

  private static String table(List<MemberReport> reports) {
    TextTable table =
        new TextTable(
            "ADDRESS",
            "ID",
            "ROLE",
            "TERM",
            "APPLIED",
            "REVISION",
            "OLDEST",
            "SESSIONS",
            "LOCKS",
            "WATCHES",
            "DISK");
    for (MemberReport report : reports) {
      switch (report) {
        case MemberReport.Failed(String address, _) ->
            table.row(address, "-", "no answer", "-", "-", "-", "-", "-", "-", "-", "-");
        case MemberReport.Reached(String address, var status) ->
            table.row(
                address,
                status.self().id(),
                role(status),
                Long.toString(status.term()),
                Long.toString(status.applied()),
                Long.toString(status.revision()),
                Long.toString(status.compacted()),
                Long.toString(status.sessions()),
                Long.toString(status.locks()),
                Long.toString(status.watches()),
                new ByteSize(status.diskBytes()).toString());
      }
    }
    return table.toString();
  }

  private static String role(MemberStatus status) {
    return status.role().toLowerCase(Locale.ROOT);
  }
}
