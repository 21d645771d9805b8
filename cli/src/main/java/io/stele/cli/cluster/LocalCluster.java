package io.stele.cli.cluster;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.base.table.Cluster;
import io.stele.client.Stele;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MemberReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A cluster of processes on this machine. The first nodes hold the metastore between them; all
 * serve tablets, replicated tables and datasets, and stand ready to be master.
 *
 * <pre>
 *   DIR/n1, DIR/n2, …      what each node keeps, replicas among it, and its log.txt
 *   DIR/files              fragments and logs of all, unless told otherwise
 *   DIR/datasets           where all look for versions of datasets
 *   DIR/certs              certificates, with TLS
 * </pre>
 */
final class LocalCluster implements AutoCloseable {
  private static final String ROLES = "tables,master,replicas,datasets";
  private static final String REPLICA_SERVERS = "/stele/replicas/servers/";
  private static final Duration READY_PATIENCE = Duration.ofMinutes(3);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(40);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * What it is to be.
   *
   * @param members how many nodes, of the first, hold the metastore
   * @param files where tables are; a directory or a URI
   * @param heap of each node, as the JVM wants it
   * @param certificates for TLS; it does without where there are none
   * @param settings more settings of all nodes
   */
  record Plan(
      Path data,
      int nodes,
      int members,
      String files,
      String heap,
      Optional<LocalCertificates> certificates,
      List<String> settings) {
    Plan {
      settings = List.copyOf(settings);
    }

    Path datasets() {
      return data.resolve("datasets");
    }
  }

  private final Plan plan;
  private final Consumer<String> progress;
  private final List<ServerProcess> nodes = new ArrayList<>();

  /**
   * A cluster that is not started yet.
   *
   * @param progress hears of every step of the start, in a line each
   */
  LocalCluster(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  List<ServerProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Of all nodes, in their order. */
  List<String> addresses() {
    return nodes.stream().map(ServerProcess::address).toList();
  }

  /** With which its nodes prove who they are. */
  Optional<LocalCertificates> certificates() {
    return plan.certificates();
  }

  /** Where all of them look for versions of datasets. */
  Path datasets() {
    return plan.datasets();
  }

  /** Starts all nodes; returns when every one of them serves and every tablet is served. */
  Cluster.Status start() throws InterruptedException {
    List<String> alone = plan.members() == 1 ? List.of() : List.of("--wait");
    launch(1, plan.members(), "metastore," + ROLES, alone);
    List<String> members = addresses();
    formGroup(members);
    launch(
        plan.members() + 1, plan.nodes(), ROLES, List.of("--metastore", String.join(",", members)));
    return awaitReady();
  }

  private Stele connect(List<String> servers) {
    Stele.Builder builder = Stele.builder().endpoints(servers);
    plan.certificates().ifPresent(certificates -> builder.tls(certificates.client()));
    return builder.connect();
  }

  /** Starts some nodes at once, and waits until all of them serve. */
  private void launch(int first, int last, String roles, List<String> more) {
    List<ServerProcess> launched = new ArrayList<>();
    for (int n = first; n <= last; n++) {
      launched.add(node("n" + n, roles, more));
    }
    nodes.addAll(launched);
    launched.forEach(ServerProcess::launch);
    for (ServerProcess node : launched) {
      node.awaitReady();
      progress.accept(node.name() + " listens at " + node.address());
    }
  }

  private ServerProcess node(String name, String roles, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of("server", "--roles", roles));
    arguments.addAll(more);
    Stream.of(
            plan.certificates().map(known -> known.settings(name)).orElse(List.of()),
            List.of(
                "tables.shared=true",
                "tables.files=" + plan.files(),
                "datasets.cluster=local",
                "datasets.source=" + plan.datasets(),
                "datasets.time-to-converge=2s"), // all start together
            plan.settings())
        .flatMap(List::stream)
        .forEach(setting -> arguments.addAll(List.of("--set", setting)));
    Path data = plan.data().resolve(name);
    return new ServerProcess(
        "node " + name,
        SteleProgram.ofThisProcess(List.of("-Xmx" + plan.heap())),
        data,
        data.resolve("log.txt"),
        arguments,
        STOP_PATIENCE);
  }

  /** Makes the first nodes one group, unless they are from an earlier start. */
  private void formGroup(List<String> members) throws InterruptedException {
    if (members.size() == 1) {
      return; // it has formed one by itself
    }
    try (Stele stele = connect(members)) {
      List<MemberReport> reports = stele.metastore().admin().status();
      long deadline = System.nanoTime() + READY_PATIENCE.toNanos();
      while (!reports.stream().allMatch(MemberReport.Reached.class::isInstance)
          && System.nanoTime() - deadline < 0) {
        Thread.sleep(PAUSE);
        reports = stele.metastore().admin().status();
      }
      boolean formed =
          reports.stream()
              .anyMatch(
                  report ->
                      report instanceof MemberReport.Reached(_, var status)
                          && !status.group().isEmpty());
      if (!formed) {
        stele.metastore().admin().bootstrap(members);
      }
    }
  }

  /** Waits as long as something changes from time to time: a busy machine is only slow. */
  private Cluster.Status awaitReady() throws InterruptedException {
    long deadline = System.nanoTime() + READY_PATIENCE.toNanos();
    String problem = "";
    String told = "";
    try (Stele stele = connect(addresses())) {
      while (System.nanoTime() - deadline < 0) {
        nodes.forEach(ServerProcess::checkAlive);
        try {
          Cluster.Status status = stele.cluster().status();
          long keeping = stele.metastore().count(Keys.prefix(REPLICA_SERVERS));
          if (isReady(status) && keeping >= plan.nodes()) {
            return status;
          }
          problem =
              "%d of %d servers take part, %d with replicas, and %d tablets are not served"
                  .formatted(
                      status.servers().size(), plan.nodes(), keeping, status.unserved().size());
          if (!problem.equals(told)) {
            progress.accept(problem);
            told = problem;
            deadline = System.nanoTime() + READY_PATIENCE.toNanos();
          }
        } catch (SteleException e) {
          problem = String.valueOf(e.getMessage()); // which differs each time: no sign of progress
        }
        Thread.sleep(PAUSE);
      }
    }
    throw new UnavailableException(
        "nothing has changed for " + READY_PATIENCE.toSeconds() + " s: " + problem);
  }

  private boolean isReady(Cluster.Status status) {
    List<String> serving =
        status.servers().stream()
            .filter(server -> server.problem().isEmpty())
            .map(Cluster.ServerStatus::address)
            .toList();
    return serving.containsAll(addresses()) && status.tablets() > 0 && status.unserved().isEmpty();
  }

  /** Stops all nodes; returns when they have ended. */
  @Override
  public void close() {
    nodes.forEach(ServerProcess::terminate);
    nodes.forEach(node -> node.stop(STOP_PATIENCE));
  }
}
