package io.stele.cli.cluster;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.process.ServerProcess;
import io.stele.base.table.Cluster;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.cli.LauncherName;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stele cluster up}: runs a cluster on this machine until it is told to stop. */
@Command(
    name = "up",
    description = {
      "Run a cluster on this machine, each node a process of its own, to try things out.",
      "",
      "Once all nodes serve it prints their addresses and writes them to cluster.json in its"
          + " directory. Started again on the same directory, it goes on with what is there. Ctrl-C"
          + " (or SIGTERM) stops all nodes."
    },
    sortOptions = false,
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele cluster up --nodes 3 --data /tmp/try",
      "  stele cluster up --tls",
      "  stele cluster up --nodes 5 --metastore-members 1 --files hdfs://name-node/stele"
    })
final class ClusterUpCommand implements Callable<Integer> {
  private static final int USUAL_MEMBERS = 3;
  private static final int MOST_NODES = 64;

  @Spec private CommandSpec spec;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many (default: ${DEFAULT-VALUE}).")
  private int nodes = 3;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "stele-cluster",
      description =
          "Where all of it is kept; made where it does not exist (default: ${DEFAULT-VALUE}).")
  private Path data = Path.of("stele-cluster");

  @Option(
      names = "--metastore-members",
      paramLabel = "M",
      description =
          "How many of them hold the metastore; of 3, one may fail (default: 3, or 1 if there are"
              + " fewer nodes).")
  private @Nullable Integer members;

  @Option(
      names = "--files",
      paramLabel = "URI",
      description = "Where the files of tables are (default: DIR/files).")
  private @Nullable String files;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "Of each node's JVM (default: ${DEFAULT-VALUE}).")
  private String heap = "512m";

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Any setting of `stele server --settings`, for all nodes; may be repeated.")
  private List<String> set = List.of();

  @Option(
      names = "--tls",
      description =
          "Speak TLS, with certificates of an authority in DIR/certs; made where there are none.")
  private boolean tls;

  @Option(names = "--restart", description = "Start nodes again that end by themselves.")
  private boolean restart;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    LocalCluster cluster =
        new LocalCluster(
            plan(),
            step -> {
              out.println("  " + step);
              out.flush();
            });
    AtomicBoolean stopping = new AtomicBoolean();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(cluster, stopping), "stop"));
    out.println("starting " + nodes + " nodes, with their data in " + data);
    out.flush();
    try {
      Cluster.Status status = cluster.start();
      describe(cluster);
      greet(out, cluster, status);
      return watch(out, cluster, stopping);
    } catch (Exception e) {
      if (stopping.getAndSet(true)) {
        return ExitCode.OK; // the hook ends the process
      }
      cluster.close();
      throw e;
    }
  }

  private LocalCluster.Plan plan() throws IOException {
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new InvalidRequestException(
          "--nodes is " + nodes + ": must be from 1 to " + MOST_NODES);
    }
    int holding = members != null ? members : nodes < USUAL_MEMBERS ? 1 : USUAL_MEMBERS;
    if (holding < 1 || holding > nodes) {
      throw new InvalidRequestException(
          "--metastore-members is " + holding + ": must be from 1 to the " + nodes + " nodes");
    }
    Path directory = Files.createDirectories(data).toRealPath();
    return new LocalCluster.Plan(
        directory,
        nodes,
        holding,
        files == null ? directory.resolve("files").toString() : files,
        heap,
        tls ? Optional.of(LocalCertificates.open(directory.resolve("certs"))) : Optional.empty(),
        set);
  }

  private Path description() {
    return data.resolve("cluster.json");
  }

  /** For programs; there as long as the cluster is. */
  private void describe(LocalCluster cluster) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("endpoints", String.join(",", cluster.addresses()));
    object.put(
        "nodes",
        cluster.nodes().stream()
            .map(
                node -> {
                  Map<String, Object> each = new LinkedHashMap<>();
                  each.put("name", name(node));
                  each.put("native", node.address());
                  each.put("datasets", datasets(node));
                  each.put("pid", node.pid());
                  each.put("data", node.data().toString());
                  each.put("log", node.logFile().toString());
                  return each;
                })
            .toList());
    Files.writeString(description(), Json.write(object) + "\n");
  }

  /** Of its directory. */
  private static String name(ServerProcess node) {
    return String.valueOf(node.data().getFileName());
  }

  /** Its address for lookups over HTTP; empty where it serves none. */
  private static String datasets(ServerProcess node) {
    return node.addresses().find("datasets").orElse("");
  }

  private void greet(PrintWriter out, LocalCluster cluster, Cluster.Status status) {
    TextTable table = new TextTable("NODE", "ADDRESS", "DATASETS", "PID", "LOG");
    for (ServerProcess node : cluster.nodes()) {
      table.row(
          name(node),
          node.address(),
          datasets(node),
          Long.toString(node.pid()),
          node.logFile().toString());
    }
    out.print(table);
    out.println();
    out.println("The master is " + status.master() + ". Try, from another terminal:");
    out.println("  export STELE_ENDPOINTS=" + String.join(",", cluster.addresses()));
    cluster.certificates().ifPresent(files -> out.println("  export " + files.exports()));
    for (String command :
        List.of(
            "cluster status",
            "table create users --family name --split g --split p",
            "put users 42 name:first Ada",
            "scan users",
            "dataset build scores FILE.csv --key NAME --root " + cluster.datasets(),
            "dataset get scores KEY",
            "doctor")) {
      out.println("  " + LauncherName.get() + " " + command);
    }
    out.println();
    out.println("Ctrl-C ends it.");
    out.flush();
  }

  /** Reports nodes that end, until none is left or it is stopped. */
  private int watch(PrintWriter out, LocalCluster cluster, AtomicBoolean stopping)
      throws InterruptedException, IOException {
    BlockingQueue<ServerProcess> ended = new LinkedBlockingQueue<>();
    for (ServerProcess each : cluster.nodes()) {
      var _ = each.exit().thenRun(() -> ended.add(each));
    }
    while (true) {
      ServerProcess node = ended.take();
      if (stopping.get()) {
        continue; // the hook ends the process
      }
      out.println("%s has ended with %d".formatted(node.name(), node.exit().join()));
      out.flush();
      if (restart) {
        var _ = node.start();
        var _ = node.exit().thenRun(() -> ended.add(node));
        describe(cluster);
        out.println("%s is back, as process %d".formatted(node.name(), node.pid()));
        out.flush();
      } else if (cluster.nodes().stream().noneMatch(ServerProcess::isAlive)) {
        out.println("no node is left");
        out.flush();
        return ExitCode.FAILURE;
      }
    }
  }

  /** By a signal: that is how it is meant to end, so it ends well. */
  private void stop(LocalCluster cluster, AtomicBoolean stopping) {
    boolean meant = !stopping.getAndSet(true);
    cluster.close();
    try {
      Files.deleteIfExists(description());
    } catch (IOException e) {
      // Whoever reads it finds that nobody answers.
    }
    if (meant) {
      spec.commandLine().getOut().flush();
      Runtime.getRuntime().halt(ExitCode.OK);
    }
  }
}
