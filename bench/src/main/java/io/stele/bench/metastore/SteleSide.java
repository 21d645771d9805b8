package io.stele.bench.metastore;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.SteleProgram;
import io.stele.client.Stele;
import io.stele.client.metastore.MemberReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stele's own servers: this JVM's Java and class path, as processes, with the flags that the
 * launcher gives to servers.
 */
final class SteleSide implements Side {
  private static final String NAME = SteleProgram.NAME;
  private static final KeySet FIRST_KEY = new KeySet("/ready", 1, 16);

  /** Of the machine's memory, for the heaps of all members together. */
  private static final int HEAP_PERCENT = 40;

  private final Api api;

  SteleSide() {
    this(Api.NATIVE);
  }

  SteleSide(Api api) {
    this.api = api;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return SteleProgram.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(NAME, version() + ", a process a member; " + api.about());
    facts.put(
        NAME + " flags",
        "%s; heaps of all members together at most %d %% of the memory"
            .formatted(String.join(" ", SteleProgram.FLAGS), HEAP_PERCENT));
    return facts;
  }

  @Override
  public Cluster start(Path directory, int members) throws Exception {
    List<Integer> ports = FreePorts.find(2 * members);
    List<Member> processes = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      processes.add(member(directory, i, members, ports.get(i), ports.get(members + i)));
    }
    Cluster cluster = new Cluster(directory, processes, connector());
    try {
      cluster.start();
      if (members > 1) {
        SteleProgram.bootstrap(processes);
      }
      cluster.await("Stele's start", driver -> driver.put(FIRST_KEY, 0, 0));
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  /** The native address speaks etcd's API as well. */
  private Cluster.Connector connector() {
    return switch (api) {
      case NATIVE -> SteleSide::connectToLeader;
      case ETCD -> EtcdDriver::connectToLeader;
    };
  }

  private static Member member(Path directory, int number, int members, int port, int raftPort)
      throws IOException {
    String name = "member" + number;
    Path home = Files.createDirectory(directory.resolve(name));
    List<String> flags = new ArrayList<>(SteleProgram.FLAGS);
    flags.add("-XX:MaxRAMPercentage=" + HEAP_PERCENT / members);
    List<String> command =
        SteleProgram.stele(flags, "server", "--roles=metastore", "--name=" + name);
    command.add("--data=" + home.resolve("data"));
    command.add("--port=" + port);
    command.add("--raft-port=" + raftPort);
    command.add("--etcd=off"); // its port may be somebody's
    if (members > 1) {
      command.add("--wait");
    }
    return new Member("Stele's " + name, "127.0.0.1:" + port, command, home.resolve("server.log"));
  }

  /**
   * The client asks whom it is given first, and that member would only pass on what it is asked.
   */
  private static Driver connectToLeader(List<Member> members) {
    // The client would try again, with pauses that are too long for the time of a start.
    if (!members.stream().map(Member::address).allMatch(SteleProgram::listens)) {
      throw new UnavailableException("not all of Stele's members listen yet");
    }
    List<String> addresses = new ArrayList<>(members.stream().map(Member::address).toList());
    if (members.size() > 1) {
      String leader = leader(addresses);
      addresses.remove(leader);
      addresses.addFirst(leader);
    }
    return SteleDriver.connect(addresses);
  }

  private static String leader(List<String> addresses) {
    try (Stele stele = Stele.builder().endpoints(addresses).connect()) {
      Optional<String> leader =
          stele.metastore().admin().status().stream()
              .filter(MemberReport.Reached.class::isInstance)
              .map(MemberReport.Reached.class::cast)
              .filter(report -> report.status().ready())
              .map(MemberReport.Reached::address)
              .findFirst();
      return leader.orElseThrow(
          () -> new UnavailableException("none of Stele's members leads: " + addresses));
    } catch (SteleException e) {
      throw new UnavailableException("Stele's members do not tell their state", e);
    }
  }
}
