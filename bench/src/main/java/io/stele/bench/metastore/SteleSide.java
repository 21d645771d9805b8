package io.stele.bench.metastore;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.process.ServerProcess;
import io.stele.bench.process.SteleServers;
import io.stele.client.Stele;
import io.stele.client.metastore.MemberReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stele's own servers.
 *
 * @param asEtcd whether they are asked in etcd's API, by the same calls that etcd is asked by
 */
record SteleSide(boolean asEtcd) implements MetastoreSide {
  /** Of the machine's memory, for the heaps of all members together. */
  private static final int HEAP_PERCENT = 40;

  @Override
  public String name() {
    return SteleServers.NAME;
  }

  @Override
  public String version() {
    return SteleServers.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        version()
            + (asEtcd
                ? ", a process a member; asked in etcd's API, by the calls that etcd is asked by,"
                    + " of the leader"
                : ", a process a member; asked by its Java client, of the leader first"));
    facts.put(
        name() + " flags",
        "%s; heaps of all members together at most %d %% of the memory"
            .formatted(String.join(" ", SteleServers.flags(List.of())), HEAP_PERCENT));
    return facts;
  }

  @Override
  public Group start(Path directory, int members) throws Exception {
    List<ServerProcess> processes = new ArrayList<>();
    try {
      for (int i = 0; i < members; i++) {
        // Its usual port for etcd's clients may be somebody's; neither side has a bound on its
        // size.
        List<String> arguments =
            new ArrayList<>(
                List.of(
                    "server",
                    "--roles=metastore",
                    "--etcd=off",
                    "--set=metastore.limits.quota=0B"));
        if (members > 1) {
          arguments.add("--wait");
        }
        ServerProcess member =
            SteleServers.server(
                directory,
                "member" + i,
                List.of("-XX:MaxRAMPercentage=" + HEAP_PERCENT / members),
                arguments);
        processes.add(member);
        member.launch();
      }
      processes.forEach(ServerProcess::awaitReady);
      if (members > 1) {
        SteleServers.bootstrap(processes);
      }
    } catch (Exception e) {
      processes.forEach(ServerProcess::kill);
      throw e;
    }
    // The native address speaks etcd's API as well.
    return new Group(
            name(),
            directory,
            processes,
            processes.stream().map(ServerProcess::address).toList(),
            asEtcd ? EtcdConnection::connectToLeader : SteleSide::connectToLeader)
        .ready();
  }

  /** The client asks the first address first, and a follower would only pass requests on. */
  private static Connection connectToLeader(List<String> addresses) {
    List<String> leaderFirst = new ArrayList<>(addresses);
    if (addresses.size() > 1) {
      String leader = leader(addresses);
      leaderFirst.remove(leader);
      leaderFirst.addFirst(leader);
    }
    return SteleConnection.connect(leaderFirst);
  }

  private static String leader(List<String> addresses) {
    try (Stele stele = Stele.builder().endpoints(addresses).connect()) {
      return stele.metastore().admin().status().stream()
          .filter(MemberReport.Reached.class::isInstance)
          .map(MemberReport.Reached.class::cast)
          .filter(report -> report.status().ready())
          .map(MemberReport.Reached::address)
          .findFirst()
          .orElseThrow(
              () -> new UnavailableException("none of Stele's members leads: " + addresses));
    } catch (SteleException e) {
      throw new UnavailableException("Stele's members do not tell their state", e);
    }
  }
}
