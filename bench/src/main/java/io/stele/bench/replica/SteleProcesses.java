package io.stele.bench.replica;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.SteleProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The processes behind one kind of table: one that keeps the sessions, the servers, and room for
 * one server more.
 */
final class SteleProcesses implements AutoCloseable {
  private static final List<String> SMALL_HEAP = List.of("-Xms64m", "-Xmx512m");
  private static final List<String> SERVER_HEAP = List.of("-Xms64m", "-Xmx2g");
  private static final long SIGNAL_PATIENCE_SECONDS = 10;

  private final Member home;
  private final List<Member> servers;
  private final Member spare;
  private final List<Member> running = new ArrayList<>();

  private SteleProcesses(Member home, List<Member> servers, Member spare) {
    this.home = home;
    this.servers = List.copyOf(servers);
    this.spare = spare;
  }

  /**
   * Starts them all but the spare one; returns when they listen.
   *
   * @param homeRoles of the process that keeps the sessions
   * @param role of servers
   * @param settings of servers
   */
  static SteleProcesses start(Path directory, String homeRoles, String role, List<String> settings)
      throws Exception {
    List<Integer> ports = FreePorts.find(TableServers.SERVERS + 3);
    Member home =
        member(
            directory,
            "home",
            ports.get(0),
            SMALL_HEAP,
            with(settings, "--roles=" + homeRoles, "--raft-port=" + ports.get(1)));
    List<Member> servers = new ArrayList<>();
    for (int i = 0; i <= TableServers.SERVERS; i++) {
      servers.add(
          member(
              directory,
              role + i,
              ports.get(2 + i),
              SERVER_HEAP,
              with(settings, "--roles=" + role, "--metastore=" + home.address())));
    }
    SteleProcesses processes = new SteleProcesses(home, servers, servers.removeLast());
    try {
      processes.begin();
      return processes;
    } catch (Exception e) {
      processes.close();
      throw e;
    }
  }

  private static List<String> with(List<String> settings, String... more) {
    List<String> options = new ArrayList<>(List.of(more));
    settings.forEach(setting -> options.add("--set=" + setting));
    return options;
  }

  private static Member member(
      Path directory, String name, int port, List<String> heap, List<String> options)
      throws IOException {
    Path home = Files.createDirectory(directory.resolve(name));
    List<String> command =
        SteleProgram.stele(flags(heap), "server", "--name=" + name, "--port=" + port);
    command.add("--data=" + home.resolve("data"));
    command.addAll(options);
    return new Member("Stele's " + name, "127.0.0.1:" + port, command, home.resolve("server.log"));
  }

  private static List<String> flags(List<String> heap) {
    List<String> flags = new ArrayList<>(heap);
    flags.addAll(SteleProgram.FLAGS);
    flags.addAll(SteleProgram.archiveFlags());
    return flags;
  }

  /** What stands above the results. */
  static String flags() {
    return "%s %s, what keeps the sessions with %s"
        .formatted(
            String.join(" ", SERVER_HEAP),
            String.join(" ", flags(List.of())),
            String.join(" ", SMALL_HEAP));
  }

  private void begin() throws Exception {
    start(home);
    SteleProgram.awaitListening(List.of(home));
    for (Member server : servers) {
      start(server);
    }
    SteleProgram.awaitListening(servers);
  }

  private void start(Member member) throws IOException {
    member.start();
    running.add(member);
  }

  List<String> addresses() {
    return servers.stream().map(Member::address).toList();
  }

  List<ProcessHandle> handles() {
    return running.stream().map(Member::handle).toList();
  }

  void checkAlive() {
    running.forEach(Member::checkAlive);
  }

  void startSpare() throws Exception {
    start(spare);
    SteleProgram.awaitListening(List.of(spare));
  }

  String last() {
    return servers.getLast().address();
  }

  void killLast() throws InterruptedException {
    running.remove(servers.getLast());
    servers.getLast().kill();
  }

  void pauseLast() throws Exception {
    signal("-STOP");
  }

  void resumeLast() throws Exception {
    signal("-CONT");
  }

  private void signal(String name) throws Exception {
    String pid = Long.toString(servers.getLast().handle().pid());
    Process kill = new ProcessBuilder("kill", name, pid).inheritIO().start();
    if (!kill.waitFor(SIGNAL_PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("'kill %s %s' failed".formatted(name, pid));
    }
  }

  @Override
  public void close() throws InterruptedException {
    for (Member member : List.copyOf(running)) {
      member.killIfRunning();
    }
    running.clear();
  }
}
