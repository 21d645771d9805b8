package io.stele.bench.cluster;

import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.bench.cluster.Cluster.Places;
import io.stele.bench.cluster.Cluster.Server;
import io.stele.bench.process.DriverProcess;
import io.stele.bench.process.SteleServers;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Stele with its parts in processes of their own: members of the metastore, masters and tablet
 * servers, on one directory that all share.
 */
record SteleCluster() implements ClusterSide {
  private static final List<String> SMALL_HEAP = List.of("-Xms64m", "-Xmx1g");
  private static final List<String> SERVER_HEAP = List.of("-Xms64m", "-Xmx6g");
  private static final List<String> CLIENT_HEAP = List.of("-Xmx1g");

  /** Nothing is flushed unless it is asked for, and nothing moved. */
  private static final List<String> SETTINGS =
      List.of(
          "--set=tables.shared=true",
          "--set=tables.memory=5GiB",
          "--set=tables.mem-fragment=5GiB",
          "--set=tables.log=16GiB",
          "--set=master.balance=false");

  @Override
  public String name() {
    return SteleServers.NAME;
  }

  @Override
  public String version() {
    return SteleServers.version();
  }

  /** The default, which is not set. */
  @Override
  public Duration session() {
    return Duration.ofSeconds(5);
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        "%s, session %d s: metastore, master and tablet servers as processes on one directory, each"
                .formatted(version(), session().toSeconds())
            + " commit synced, automatic balance off");
    facts.put(
        name() + " flags",
        "%s, metastore and master with %s; its client's: %s"
            .formatted(
                String.join(" ", SteleServers.flags(SERVER_HEAP)),
                String.join(" ", SMALL_HEAP),
                String.join(" ", CLIENT_HEAP)));
    return facts;
  }

  @Override
  public Cluster start(Path directory, Plan plan) throws Exception {
    List<ServerProcess> members = new ArrayList<>();
    try {
      for (int i = 0; i < plan.members(); i++) {
        List<String> arguments = new ArrayList<>(List.of("server", "--roles=metastore"));
        if (plan.members() > 1) {
          arguments.add("--wait");
        }
        ServerProcess member =
            SteleServers.server(directory, "metastore" + i, SMALL_HEAP, arguments);
        members.add(member);
        member.launch();
      }
      members.forEach(ServerProcess::awaitReady);
      if (plan.members() > 1) {
        SteleServers.bootstrap(members);
      }
      return start(directory, plan, members);
    } catch (Exception e) {
      members.forEach(ServerProcess::kill);
      throw e;
    }
  }

  private Cluster start(Path directory, Plan plan, List<ServerProcess> members) throws IOException {
    String metastore = String.join(",", members.stream().map(ServerProcess::address).toList());
    List<Server> masters = nodes(directory, "master", plan.masters(), metastore, SMALL_HEAP);
    List<Server> servers = nodes(directory, "tables", plan.servers(), metastore, SERVER_HEAP);
    List<String> flags = new ArrayList<>(CLIENT_HEAP);
    flags.addAll(SteleProgram.SERVER_FLAGS);
    DriverProcess driver =
        DriverProcess.start(
            "Stele's client",
            SteleProgram.java(
                flags,
                SteleClusterStore.class.getName(),
                // The one that is killed comes last.
                String.join(
                    ",",
                    Stream.concat(servers.reversed().stream(), masters.stream())
                        .map(Server::address)
                        .toList()),
                metastore,
                servers.get(Math.min(1, servers.size() - 1)).address()),
            directory.resolve("client.log"));
    Path files = directory.resolve("files");
    return new Cluster(
        name(),
        members,
        masters.stream().map(Server::process).toList(),
        servers,
        new Places(files.resolve("log"), files.resolve("fragments")),
        driver);
  }

  /** Nodes that share files. The client knows their ports before they run. */
  private static List<Server> nodes(
      Path directory, String role, int count, String metastore, List<String> heap)
      throws IOException {
    List<Server> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int port = FreePorts.next();
      List<String> arguments = new ArrayList<>(List.of("server", "--roles=" + role));
      arguments.addAll(SETTINGS);
      arguments.add("--metastore=" + metastore);
      arguments.add("--set=tables.files=" + directory.resolve("files"));
      arguments.add("--port=" + port);
      made.add(
          new Server(
              SteleServers.server(directory, role + i, heap, arguments), "127.0.0.1:" + port));
    }
    return made;
  }
}
