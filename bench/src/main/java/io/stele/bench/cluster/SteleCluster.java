package io.stele.bench.cluster;

import io.stele.bench.cluster.RunningCluster.Places;
import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.SteleProgram;
import io.stele.bench.table.DriverProcess;
import java.io.IOException;
import java.nio.file.Files;
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
final class SteleCluster implements ClusterSide {
  /** The default, which is not set. */
  static final Duration SESSION = Duration.ofSeconds(5);

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
    return SteleProgram.NAME;
  }

  @Override
  public String title() {
    return SteleProgram.NAME + " " + SteleProgram.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        "%s, session %d s: metastore, master and tablet servers as processes on one directory, each"
                .formatted(SteleProgram.version(), SESSION.toSeconds())
            + " commit synced, automatic balance off");
    facts.put(
        name() + " flags",
        "%s %s, metastore and master with %s; its client's: %s"
            .formatted(
                String.join(" ", SERVER_HEAP),
                String.join(" ", flags(List.of())),
                String.join(" ", SMALL_HEAP),
                String.join(" ", CLIENT_HEAP)));
    return facts;
  }

  private static List<String> flags(List<String> heap) {
    List<String> flags = new ArrayList<>(heap);
    flags.addAll(SteleProgram.FLAGS);
    flags.addAll(SteleProgram.archiveFlags());
    return flags;
  }

  @Override
  public RunningCluster start(Path directory, Plan plan) throws Exception {
    Nodes nodes = new Nodes(directory, FreePorts.find(plan.masters() + plan.servers()));
    List<Member> members = members(directory, plan.members());
    String metastore = addresses(members);
    List<Member> servers = nodes.make("tables", plan.servers(), metastore, SERVER_HEAP);
    List<Member> masters = nodes.make("master", plan.masters(), metastore, SMALL_HEAP);
    List<String> client = new ArrayList<>(CLIENT_HEAP);
    client.addAll(SteleProgram.FLAGS);
    DriverProcess driver =
        DriverProcess.start(
            "Stele's client",
            SteleProgram.command(
                client,
                SteleClusterStore.class.getName(),
                // That which is killed comes last.
                addresses(Stream.concat(servers.reversed().stream(), masters.stream()).toList()),
                metastore,
                servers.get(Math.min(1, servers.size() - 1)).address()),
            directory.resolve("client.log"));
    Path files = directory.resolve("files");
    Places places = new Places(files.resolve("log"), files.resolve("fragments"));
    RunningCluster cluster = new RunningCluster(name(), members, masters, servers, places, driver);
    try {
      for (Member member : members) {
        member.start();
      }
      if (members.size() > 1) {
        SteleProgram.bootstrap(members);
      } else {
        SteleProgram.awaitListening(members);
      }
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  private static String addresses(List<Member> members) {
    return String.join(",", members.stream().map(Member::address).toList());
  }

  private static List<Member> members(Path directory, int count) throws IOException {
    List<Integer> ports = FreePorts.find(2 * count);
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> options =
          new ArrayList<>(List.of("--roles=metastore", "--raft-port=" + ports.get(count + i)));
      if (count > 1) {
        options.add("--wait");
      }
      members.add(node(directory, "metastore" + i, ports.get(i), SMALL_HEAP, options));
    }
    return members;
  }

  private static Member node(
      Path directory, String name, int port, List<String> heap, List<String> options)
      throws IOException {
    Path home = Files.createDirectory(directory.resolve(name));
    List<String> command =
        SteleProgram.stele(flags(heap), "server", "--name=" + name, "--port=" + port);
    command.add("--data=" + home.resolve("data"));
    command.addAll(options);
    return new Member("Stele's " + name, "127.0.0.1:" + port, command, home.resolve("server.log"));
  }

  /** Makes the nodes that share files, at one port after the other. */
  private record Nodes(Path directory, List<Integer> ports) {
    Nodes {
      ports = new ArrayList<>(ports);
    }

    List<Member> make(String role, int count, String metastore, List<String> heap)
        throws IOException {
      List<Member> made = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        List<String> options = new ArrayList<>(SETTINGS);
        options.add("--roles=" + role);
        options.add("--metastore=" + metastore);
        options.add("--set=tables.files=" + directory.resolve("files"));
        made.add(node(directory, role + i, ports.removeFirst(), heap, options));
      }
      return made;
    }
  }
}
