package io.stele.cli.doctor;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import io.stele.cli.doctor.Finding.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele doctor}: looks at everything and says what to do. */
@Command(
    name = "doctor",
    description = {
      "Look at everything: metastore, sessions, master, META, tablets, files, replicas, clocks,"
          + " disks. Says what is wrong and what to do about it.",
      "",
      "Changes nothing. Ends with 1 if there is a problem, with 0 if there are none, or only"
          + " warnings."
    },
    footer = {"  stele doctor", "  stele doctor --endpoints 10.0.0.1:7835 --output json"})
final class DoctorCommand extends ConnectedCommand {
  @Option(names = "--quiet", description = "Leave out what is as it should be.")
  private boolean quiet;

  @Override
  protected int run(Connection connection) {
    return report(new Examination(new ConnectedPatient(connection)).run());
  }

  private int report(List<Finding> findings) {
    List<Finding> shown =
        findings.stream().filter(each -> !quiet || each.level() != Level.OK).toList();
    print(() -> shown.stream().map(DoctorCommand::json).toList(), () -> text(findings, shown));
    return count(findings, Level.PROBLEM) == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static String text(List<Finding> findings, List<Finding> shown) {
    StringBuilder text = new StringBuilder();
    for (Finding each : shown) {
      text.append("%-8s %s: %s\n".formatted(each.level(), each.area(), each.found()));
      if (!each.advice().isEmpty()) {
        text.append("         -> ").append(each.advice()).append('\n');
      }
    }
    long problems = count(findings, Level.PROBLEM);
    long warnings = count(findings, Level.WARNING);
    return text.append(
            problems + warnings == 0
                ? "all is well\n"
                : Count.of(problems, "problem") + ", " + Count.of(warnings, "warning") + "\n")
        .toString();
  }

  private static long count(List<Finding> findings, Level level) {
    return findings.stream().filter(each -> each.level() == level).count();
  }

  private static Map<String, Object> json(Finding finding) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("level", finding.level().toString());
    object.put("area", finding.area());
    object.put("found", finding.found());
    object.put("advice", finding.advice());
    return object;
  }
}
