package io.stele.server;

import io.stele.base.settings.Settings;
import io.stele.cli.CommandEnvironment;
import io.stele.cli.ExitCode;
import io.stele.cli.LauncherName;
import io.stele.server.log.LogOutput;
import io.stele.server.log.LogSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stele up}: everything in one process, for a first look and for one machine. */
@Command(
    name = "up",
    description = {
      "Run all of Stele in this process, on this machine only, until Ctrl-C.",
      "",
      "Once it is ready it prints its addresses, and what to try, and writes the addresses to the"
          + " file addresses.json in its directory. Ctrl-C writes all that is in memory to files"
          + " and ends it.",
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {"  stele up", "  stele up --data /tmp/try --ports auto"})
final class UpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "stele-data",
      description =
          "Where it keeps everything; made where it does not exist (default: ${DEFAULT-VALUE}).")
  private Path data = Path.of("stele-data");

  @Option(
      names = "--ports",
      paramLabel = "auto",
      description =
          "Take free ports at the first start, and the same ones again later (default: "
              + ServerSettings.DEFAULT_PORT
              + ").")
  private @Nullable String ports;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Any setting of `stele server --settings`; may be repeated.")
  private List<String> set = List.of();

  @Option(names = "--check", hidden = true, description = "Start, and stop.")
  private boolean check;

  @Override
  public Integer call() throws Exception {
    Settings settings = settings(System.getenv());
    LogOutput.setUp(settings.bind(LogSettings.class, ServerSchema.OUTPUT));
    Server server = Server.start(settings, EventLog.events());
    AtomicBoolean waiting = new AtomicBoolean(true);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, waiting), "stop"));
    if (!CommandEnvironment.of(spec).interactive()) {
      server.refreshAtHangUp(); // on a terminal that is closed, it ends
    }
    greet(server, spec.commandLine().getOut());
    if (check) {
      waiting.set(false);
      server.close();
      return ExitCode.OK;
    }
    try {
      server.ended().get();
    } catch (ExecutionException e) {
      waiting.set(false); // it ends by itself, and not well
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    return ExitCode.OK;
  }

  /** By a signal: that is how it is meant to end, so it ends well. */
  private void stop(Server server, AtomicBoolean waiting) {
    boolean meant = waiting.get();
    server.close();
    if (meant) {
      spec.commandLine().getOut().flush();
      Runtime.getRuntime().halt(ExitCode.OK);
    }
  }

  private void greet(Server server, PrintWriter out) {
    String address = server.addresses().nativeAddress();
    String endpoints =
        ports == null ? "" : " --endpoints " + address; // the default needs not be said
    out.println("Stele is up, with its data in " + data);
    server
        .addresses()
        .byInterface()
        .forEach(
            (what, where) -> {
              if (!what.equals("raft")) { // a member alone does not listen there
                out.println("  " + what + " " + where);
              }
            });
    out.println();
    String program = LauncherName.get();
    out.println("Try, from another terminal:");
    for (String command :
        List.of(
            "table create users --family name",
            "put users 42 name:first Ada",
            "get users 42",
            "scan users",
            "dataset build scores FILE.csv --key NAME --root " + data.resolve("datasets"),
            "dataset get scores KEY",
            "shell")) {
      boolean asks = !command.startsWith("dataset build"); // that writes files only
      out.println("  " + program + " " + command + (asks ? endpoints : ""));
    }
    String etcd = server.addresses().etcdAddress();
    if (!etcd.isEmpty() && !server.secured()) {
      out.println(
          "  ETCDCTL_API=3 ETCDCTL_ENDPOINTS=http://" + etcd + " etcdctl put greeting hello");
    }
    String bigtable = server.addresses().bigtableAddress();
    if (!bigtable.isEmpty() && !server.secured()) {
      out.println("  export BIGTABLE_EMULATOR_HOST=" + bigtable + "   # for Bigtable's clients");
    }
    out.println();
    out.println("Ctrl-C ends it.");
    out.flush();
  }

  Settings settings(Map<String, String> environment) throws IOException {
    List<String> flags = new ArrayList<>();
    if (ports != null) {
      if (!ports.equals("auto")) {
        throw new ParameterException(
            spec.commandLine(), "--ports is '" + ports + "': must be 'auto'");
      }
      flags.add("server.port=0");
      flags.add("server.raft-port=0"); // datasets.port and rows-port follow server.port
      flags.add("etcd.port=0");
      flags.add("bigtable.port=0");
    }
    flags.addAll(set); // after them: a port that is named is taken
    flags.add("server.data=" + data);
    return ServerSchema.SCHEMA.reader().environment(environment).flags(flags).merge();
  }
}
