package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.client.metastore.AclEntry;
import io.stele.client.metastore.MetastoreClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele metastore acl}: who may read and write what. */
@Command(
    name = "acl",
    description = {
      "Show or set who may read and write below a directory.",
      "",
      "The nearest directory with rules decides: the entry of the principal, else that of *, else"
          + " nobody. Without any rules all is open."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele metastore acl get /private",
      "  stele metastore acl set /private alice=rw bob=r '*='",
      "  stele metastore acl clear /private --principal alice"
    },
    subcommands = {AclCommand.Get.class, AclCommand.Set.class, AclCommand.Clear.class})
final class AclCommand implements Callable<Integer> {

  private static final Pattern ENTRY = Pattern.compile("([^=]+)=(|r|w|rw)");

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  static AclEntry parse(String text) {
    Matcher matcher = ENTRY.matcher(text);
    if (!matcher.matches()) {
      throw new InvalidRequestException(
          "rule '" + text + "': must be PRINCIPAL=RIGHTS with the rights r, w, rw or none");
    }
    String rights = matcher.group(2);
    return new AclEntry(matcher.group(1), rights.contains("r"), rights.contains("w"));
  }

  private static String rights(AclEntry entry) {
    return (entry.read() ? "r" : "") + (entry.write() ? "w" : "");
  }

  @Command(
      name = "get",
      description = "Show the rules that count for a key or directory.",
      footer = "  stele metastore acl get /private/plans")
  static final class Get extends ClientCommand {
    @Parameters(paramLabel = "PATH", description = "An absolute path.")
    private String path = "";

    @Override
    void check() {
      KeyArgument.check(path);
    }

    @Override
    int run(MetastoreClient client) {
      List<AclEntry> entries = client.admin().acl(path);
      print(() -> entries.stream().map(Get::json).toList(), () -> table(entries));
      return ExitCode.OK;
    }

    private static Map<String, Object> json(AclEntry entry) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("principal", entry.principal());
      object.put("read", entry.read());
      object.put("write", entry.write());
      return object;
    }

    private static String table(List<AclEntry> entries) {
      TextTable table = new TextTable("PRINCIPAL", "RIGHTS");
      entries.forEach(entry -> table.row(entry.principal(), rights(entry)));
      return table.toString();
    }
  }

  @Command(
      name = "set",
      description = "Set the rules of a directory, in the place of those it had.",
      footer = "  stele metastore acl set /private alice=rw bob=r '*='")
  static final class Set extends ClientCommand {
    @Parameters(index = "0", paramLabel = "DIR", description = "An absolute path.")
    private String directory = "";

    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "PRINCIPAL=RIGHTS",
        description = "The rights are r, w, rw or none; * is everybody else.")
    private List<String> rules = List.of();

    @Override
    void check() {
      KeyArgument.check(directory);
      rules.forEach(AclCommand::parse);
    }

    @Override
    int run(MetastoreClient client) {
      client.admin().setAcl(directory, rules.stream().map(AclCommand::parse).toList());
      return ExitCode.OK;
    }
  }

  @Command(
      name = "clear",
      description = "Drop the rules of a directory: those above it count again.",
      footer = "  stele metastore acl clear /private")
  static final class Clear extends ClientCommand {
    @Parameters(paramLabel = "DIR", description = "An absolute path.")
    private String directory = "";

    @Override
    void check() {
      KeyArgument.check(directory);
    }

    @Override
    int run(MetastoreClient client) {
      client.admin().setAcl(directory, List.of());
      return ExitCode.OK;
    }
  }
}
