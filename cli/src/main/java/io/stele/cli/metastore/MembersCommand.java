package io.stele.cli.metastore;

import io.stele.cli.Endpoints;
import io.stele.cli.ExitCode;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MetastoreClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele metastore members}: who keeps the metastore, and changes of that. */
@Command(
    name = "members",
    description = "List the members, or change who is one.",
    commandListHeading = "%nCommands:%n",
    footer = {
      "  stele metastore members",
      "  stele metastore members bootstrap 10.0.0.1:7835 10.0.0.2:7835 10.0.0.3:7835",
      "  stele metastore members add 10.0.0.4:7835",
      "  stele metastore members replace m01 10.0.0.5:7835"
    },
    subcommands = {
      MembersCommand.ListMembers.class,
      MembersCommand.Bootstrap.class,
      MembersCommand.Add.class,
      MembersCommand.Remove.class,
      MembersCommand.Replace.class,
      MembersCommand.Transfer.class
    })
final class MembersCommand extends ClientCommand {

  @Override
  int run(MetastoreClient client) {
    return list(this, client.admin().members());
  }

  private static int list(ClientCommand command, List<Member> members) {
    command.print(() -> MemberText.json(members), () -> MemberText.table(members));
    return ExitCode.OK;
  }

  @Command(
      name = "list",
      description = "List the members.",
      footer = "  stele metastore members list --output json")
  static final class ListMembers extends ClientCommand {
    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().members());
    }
  }

  @Command(
      name = "bootstrap",
      description = {
        "Form a group of servers that belong to none.",
        "",
        "They are servers that were started with --wait or --seeds. A group begins once: where one"
            + " of them belongs to a group already, nothing is changed."
      },
      footer = "  stele metastore members bootstrap 10.0.0.1:7835 10.0.0.2:7835 10.0.0.3:7835")
  static final class Bootstrap extends ClientCommand {
    @Parameters(
        paramLabel = "HOST:PORT",
        arity = "0..*",
        description = {
          "The native addresses of all of them; the first is asked if there is no --endpoints.",
          "Without any: the server that is asked, and all that it finds by its --seeds or"
              + " --multicast."
        })
    private List<String> addresses = List.of();

    @Override
    List<String> otherwise() {
      return addresses.isEmpty() ? super.otherwise() : List.of(addresses.getFirst());
    }

    @Override
    void check() {
      addresses.forEach(address -> Endpoints.check("bootstrap", address));
    }

    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().bootstrap(addresses));
    }
  }

  @Command(
      name = "add",
      description = "Make a server a member, once it has caught up. It was started with --wait.",
      footer = "  stele metastore members add 10.0.0.4:7835")
  static final class Add extends ClientCommand {
    @Parameters(paramLabel = "HOST:PORT", description = "Its native address.")
    private String address = "";

    @Override
    void check() {
      Endpoints.check("add", address);
    }

    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().add(address));
    }
  }

  @Command(
      name = "remove",
      description = "Have a member leave. Its directory cannot be used for another member.",
      footer = "  stele metastore members remove m01")
  static final class Remove extends ClientCommand {
    @Parameters(paramLabel = "ID", description = "Of the member, as `members` lists it.")
    private String member = "";

    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().remove(member));
    }
  }

  @Command(
      name = "replace",
      description = "Put a server in the place of a member that is dead, in one change.",
      footer = "  stele metastore members replace m01 10.0.0.5:7835")
  static final class Replace extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Of the member that goes.")
    private String member = "";

    @Parameters(
        index = "1",
        paramLabel = "HOST:PORT",
        description = "The native address of the server that comes.")
    private String address = "";

    @Override
    void check() {
      Endpoints.check("replace", address);
    }

    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().replace(member, address));
    }
  }

  @Command(
      name = "transfer",
      description = "Hand the lead to another member.",
      footer = "  stele metastore members transfer m02")
  static final class Transfer extends ClientCommand {
    @Parameters(paramLabel = "ID", description = "Of the member that is to lead.")
    private String member = "";

    @Override
    int run(MetastoreClient client) {
      return list(this, client.admin().transferLead(member));
    }
  }
}
