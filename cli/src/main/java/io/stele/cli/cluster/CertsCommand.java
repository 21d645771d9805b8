package io.stele.cli.cluster;

import io.stele.base.time.Clock;
import io.stele.certs.CertificateDirectory;
import io.stele.certs.CertificateDirectory.Entry;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.cli.OutputFormat;
import io.stele.cli.OutputOption;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele cluster certs}: an authority for those who have none. */
@Command(
    name = "certs",
    description = {
      "Make an authority, and certificates of servers and clients for TLS.",
      "",
      "All works on files in one directory. Keep authority.key away from the servers: whoever has"
          + " it can certify anybody. Certificates of another authority serve as well."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele cluster certs init",
      "  stele cluster certs node db1 --host db1.example.org --host 10.0.0.1",
      "  stele cluster certs client ann",
      "  stele cluster certs renew --within 30"
    },
    subcommands = {
      CertsCommand.Init.class,
      CertsCommand.Node.class,
      CertsCommand.Client.class,
      CertsCommand.Renew.class,
      CertsCommand.ListAll.class
    })
final class CertsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  /** What all of them have. */
  @Command(sortOptions = false, optionListHeading = "%nOptions:%n", footerHeading = "%nExamples:%n")
  abstract static class OnDirectory implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        defaultValue = "certs",
        description = "Where authority and certificates are kept (default: ${DEFAULT-VALUE}).")
    private Path directory = Path.of("certs");

    @Mixin private OutputOption output = new OutputOption();

    abstract void run(CertificateDirectory certificates) throws IOException;

    @Override
    public final Integer call() throws IOException {
      run(new CertificateDirectory(directory, Clock.system()));
      return ExitCode.OK;
    }

    final Path directory() {
      return directory;
    }

    final void print(Object json, String text) {
      PrintWriter out = spec.commandLine().getOut();
      out.print(output.format() == OutputFormat.JSON ? Json.write(json) + "\n" : text);
      out.flush();
    }

    final void print(List<Entry> entries, String none) {
      TextTable table = new TextTable("CERTIFICATE OF", "VALID UNTIL", "FILE", "KEY");
      entries.forEach(
          entry ->
              table.row(
                  entry.what(),
                  entry.expires().toString(),
                  file(entry.files().certificate()),
                  file(entry.files().key())));
      print(
          entries.stream().map(OnDirectory::json).toList(),
          entries.isEmpty() ? none : table.toString());
    }

    private static Map<String, Object> json(Entry entry) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("of", entry.what());
      object.put("expires", entry.expires().toString());
      object.put("certificate", file(entry.files().certificate()));
      object.put("key", file(entry.files().key()));
      object.put("authority", file(entry.files().authority()));
      return object;
    }

    private static String file(Optional<Path> file) {
      return file.map(Path::toString).orElse("");
    }
  }

  @Command(
      name = "init",
      description = "Make an authority, in a directory that has none.",
      footer = "  stele cluster certs init --dir certs")
  static final class Init extends OnDirectory {
    @Option(
        names = "--name",
        paramLabel = "NAME",
        defaultValue = "Stele authority",
        description = "What people see of it (default: ${DEFAULT-VALUE}).")
    private String name = "Stele authority";

    @Override
    void run(CertificateDirectory certificates) throws IOException {
      X509Certificate made = certificates.init(name);
      Path file = directory().resolve("authority.pem");
      Path key = directory().resolve("authority.key");
      String expires = made.getNotAfter().toInstant().toString();
      print(
          Map.of("authority", file.toString(), "key", key.toString(), "expires", expires),
          """
          authority  %s  valid until %s; servers and clients need it
          key        %s  signs certificates; keep it away from servers
          """
              .formatted(file, expires, key));
    }
  }

  /** Makes one certificate. */
  abstract static class Certify extends OnDirectory {
    @Option(
        names = "--days",
        paramLabel = "N",
        defaultValue = "365",
        description = "For how many days it is valid (default: ${DEFAULT-VALUE}).")
    private int days = 365;

    final Duration validity() {
      return Duration.ofDays(days);
    }
  }

  @Command(
      name = "node",
      description = {
        "Certify a server, again if it was before.",
        "",
        "Others compare the hosts of its certificate with that by which they call it:"
            + " server.listen, or server.advertise."
      },
      footer = {
        "  stele cluster certs node db1.example.org",
        "  stele cluster certs node db1 --host db1.example.org --host 10.0.0.1"
      })
  static final class Node extends Certify {
    @Parameters(paramLabel = "NAME", description = "The server's name.")
    private String name = "";

    @Option(
        names = "--host",
        paramLabel = "HOST",
        description =
            "A name or address by which it is called; may be repeated (default: NAME). localhost,"
                + " 127.0.0.1 and ::1 are added.")
    private List<String> hosts = List.of();

    @Override
    void run(CertificateDirectory certificates) throws IOException {
      print(List.of(certificates.node(name, hosts, validity())), "");
    }
  }

  @Command(
      name = "client",
      description = "Certify a person or program, again if it was before.",
      footer = "  stele cluster certs client ann --days 90")
  static final class Client extends Certify {
    @Parameters(paramLabel = "USER", description = "Who it is, for rights.")
    private String user = "";

    @Override
    void run(CertificateDirectory certificates) throws IOException {
      print(List.of(certificates.client(user, validity())), "");
    }
  }

  @Command(
      name = "renew",
      description = {
        "Certify again, with new keys, those whose certificates end soon.",
        "",
        "Copy the files to where they are used: servers read them again without a restart."
      },
      footer = {"  stele cluster certs renew", "  stele cluster certs renew --within 400"})
  static final class Renew extends Certify {
    @Option(
        names = "--within",
        paramLabel = "DAYS",
        defaultValue = "30",
        description = "Those that end within so many days (default: ${DEFAULT-VALUE}).")
    private int within = 30;

    @Override
    void run(CertificateDirectory certificates) throws IOException {
      print(
          certificates.renew(Duration.ofDays(within), validity()),
          "no certificate ends within %d days\n".formatted(within));
    }
  }

  @Command(
      name = "ls",
      description = "List certificates, and until when they are valid.",
      footer = "  stele cluster certs ls")
  static final class ListAll extends OnDirectory {
    @Override
    void run(CertificateDirectory certificates) throws IOException {
      print(certificates.entries(), "no certificates in " + directory() + "\n");
    }
  }
}
