package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.Settings;
import io.stele.base.settings.SettingsReader;
import io.stele.cli.ExitCode;
import io.stele.server.log.LogOutput;
import io.stele.server.log.LogSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stele server}: runs a server until it is told to stop. */
@Command(
    name = "server",
    description = {
      "Run a server until it is told to stop (Ctrl-C, or SIGTERM).",
      "",
      "Without more it serves at fixed ports of this machine, as the only member of its group. Once"
          + " it is ready it prints its addresses and writes them to the file addresses.json in its"
          + " directory.",
      "",
      "The signal HUP has it look for new versions of datasets.",
      "",
      "Settings are taken from options, then from variables such as STELE_SERVER_PORT, then from"
          + " the file that --config names; --settings lists them."
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele server --data /var/lib/stele",
      "  stele server --data a --ports auto",
      "",
      "  Three members, of which any one is then told to bootstrap the group:",
      "  stele server --data /var/lib/stele --wait --listen 10.0.0.1",
      "  stele metastore members bootstrap 10.0.0.1:7835 10.0.0.2:7835 10.0.0.3:7835"
    })
final class ServerCommand implements Callable<Integer> {

  /** Names the file of settings where --config does not; set by the launcher of a release. */
  static final String CONFIG_VARIABLE = "STELE_CONFIG";

  @Spec private CommandSpec spec;

  @Option(
      names = "--roles",
      paramLabel = "ROLE",
      description =
          "The parts to run, with commas between (default: all:"
              + " metastore,tables,master,replicas,datasets).")
  private @Nullable String roles;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Where it keeps everything; made where it does not exist (default: stele-data).")
  private @Nullable String data;

  @Option(
      names = "--listen",
      paramLabel = "HOST",
      description = "The address to listen on (default: 127.0.0.1, this machine only).")
  private @Nullable String listen;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Of the native interface (default: " + ServerSettings.DEFAULT_PORT + "; 0 for any).")
  private @Nullable Integer port;

  @Option(
      names = "--raft-port",
      paramLabel = "PORT",
      description =
          "By which members replicate (default: "
              + ServerSettings.DEFAULT_RAFT_PORT
              + "; 0 for any).")
  private @Nullable Integer raftPort;

  @Option(
      names = "--etcd",
      paramLabel = "PORT|off",
      description =
          "For etcd's clients (default: "
              + EtcdSettings.USUAL_PORT
              + " if that is free; 0 for any), or off for none.")
  private @Nullable String etcd;

  @Option(
      names = "--bigtable",
      paramLabel = "PORT|off",
      description =
          "For Bigtable's clients (default: "
              + BigtableSettings.USUAL_PORT
              + " if that is free; 0 for any), or off for none.")
  private @Nullable String bigtable;

  @Option(
      names = "--ports",
      paramLabel = "auto",
      description = "Take free ports at the first start, and the same ones again later.")
  private @Nullable String ports;

  @Option(
      names = "--name",
      paramLabel = "ID",
      description = "Its name among the members, for ever (default: made up).")
  private @Nullable String name;

  @Option(
      names = "--advertise",
      paramLabel = "HOST",
      description = "The host by which others reach it (default: that of --listen).")
  private @Nullable String advertise;

  @Option(
      names = "--seeds",
      paramLabel = "HOST:PORT",
      description = "Other servers, with commas between; implies --wait.")
  private @Nullable String seeds;

  @Option(
      names = "--metastore",
      paramLabel = "HOST:PORT",
      description = "The metastore's members, with commas between, for a server without that role.")
  private @Nullable String metastore;

  @Option(
      names = "--wait",
      description =
          "Form no group of its own: wait to be made a member, or to be restored from a backup.")
  private boolean await;

  @Option(
      names = "--multicast",
      description = "Find other servers and be found by multicast; implies --wait.")
  private boolean multicast;

  @Option(
      names = "--force-new-cluster",
      description =
          "Of a group whose other members are lost for good: become a group of its own, with what"
              + " this member has.")
  private boolean forceNewCluster;

  @Option(
      names = "--insecure",
      description =
          "Listen beyond this machine without TLS: everybody who reaches a port can read and"
              + " change everything.")
  private boolean insecure;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A file of settings (default: $" + CONFIG_VARIABLE + ", else none).")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Any setting, as in a file; may be repeated.")
  private List<String> set = List.of();

  @Option(names = "--check", description = "Start, say whether that works, and stop.")
  private boolean check;

  @Option(
      names = "--rehearse",
      paramLabel = "DIR",
      hidden = true,
      description = "Do in an empty directory what servers do first, and end; for the launcher.")
  private @Nullable Path rehearsal;

  @Option(
      names = "--settings",
      description = "Print all settings with their defaults, as a file, and end.")
  private boolean listSettings;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (listSettings) {
      out.print(ServerSchema.SCHEMA.sample());
      out.flush();
      return ExitCode.OK;
    }
    if (rehearsal != null) {
      new Rehearsal(rehearsal).run();
      return ExitCode.OK;
    }
    Settings settings = settings(System.getenv());
    LogOutput.setUp(settings.bind(LogSettings.class, ServerSchema.OUTPUT));
    Server server = Server.start(settings, EventLog.events());
    // A signal ends the process with its own exit code once the hook is done.
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
    server.refreshAtHangUp();
    server.addresses().byInterface().forEach((what, where) -> out.println(what + " " + where));
    out.println(server.formed() ? "ready" : "ready to be made a member");
    out.flush();
    if (check) {
      server.close();
      return ExitCode.OK;
    }
    try {
      server.ended().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    return ExitCode.OK;
  }

  Settings settings(Map<String, String> environment) throws IOException {
    SettingsReader reader = ServerSchema.SCHEMA.reader().environment(environment).flags(flags());
    String inherited = environment.getOrDefault(CONFIG_VARIABLE, "");
    Path file = config != null || inherited.isEmpty() ? config : Path.of(inherited);
    if (file != null) {
      try {
        reader.file(file);
      } catch (NoSuchFileException e) {
        String origin = config != null ? "--config " : CONFIG_VARIABLE + "=";
        throw new InvalidRequestException(origin + file + ": there is no such file", e);
      }
    }
    return reader.merge();
  }

  private List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (ports != null) {
      takeAnyPorts(ports, flags);
    }
    flags.addAll(set); // after them: a port that is named is taken
    add(flags, "roles", roles);
    add(flags, "data", data);
    add(flags, "listen", listen);
    add(flags, "port", port);
    add(flags, "raft-port", raftPort);
    addPort("etcd", etcd, flags);
    addPort("bigtable", bigtable, flags);
    add(flags, "name", name);
    add(flags, "advertise", advertise);
    add(flags, "seeds", seeds);
    add(flags, "metastore", metastore);
    add(flags, "await", await ? "true" : null);
    add(flags, "multicast", multicast ? "true" : null);
    add(flags, "insecure", insecure ? "true" : null);
    add(flags, "force-new-cluster", forceNewCluster ? "true" : null);
    return flags;
  }

  private void takeAnyPorts(String how, List<String> flags) {
    if (!how.equals("auto")) {
      throw new ParameterException(
          spec.commandLine(),
          "--ports is '" + how + "': must be 'auto'; one port is given by --port or --raft-port");
    }
    add(flags, "port", 0);
    add(flags, "raft-port", 0);
    if (etcd == null) {
      flags.add("etcd.port=0");
    }
    if (bigtable == null) {
      flags.add("bigtable.port=0");
    }
  }

  private static void addPort(String section, @Nullable String port, List<String> flags) {
    if (port != null) {
      flags.add(section + (port.equals("off") ? ".enabled=false" : ".port=" + port));
    }
  }

  private static void add(List<String> flags, String key, @Nullable Object value) {
    if (value != null) {
      flags.add("server." + key + "=" + value);
    }
  }
}
