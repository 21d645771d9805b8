package io.stele.bench.cluster;

import io.stele.bench.measure.Member;
import io.stele.bench.measure.Workspace;
import io.stele.bench.table.DriverProcess;
import io.stele.bench.table.ycsb.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The processes of one side's cluster, and the driver that asks them. */
final class RunningCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  /** Where a cluster keeps what: both below its directory. */
  record Places(Path logs, Path files) {}

  private final String name;
  private final List<Member> members;
  private final List<Member> masters;
  private final List<Member> servers;
  private final Places places;
  private final DriverProcess driver;

  RunningCluster(
      String name,
      List<Member> members,
      List<Member> masters,
      List<Member> servers,
      Places places,
      DriverProcess driver) {
    this.name = name;
    this.members = List.copyOf(members);
    this.masters = List.copyOf(masters);
    this.servers = List.copyOf(servers);
    this.places = places;
    this.driver = driver;
  }

  String name() {
    return name;
  }

  /**
   * Starts masters and some of the servers, and waits until a table can be made.
   *
   * @param running the first so many
   */
  void begin(int running) throws Exception {
    masters.getFirst().start(); // alone, so that it is the one that leads
    for (Member server : servers.subList(0, running)) {
      server.start();
    }
    var _ = ask("live " + running);
    var _ = ask("make ready");
    var _ = ask("drop ready");
    for (Member master : masters.subList(1, masters.size())) {
      master.start();
    }
  }

  /** Asks for something that takes as long as it takes. */
  Answer ask(String request) throws InterruptedException {
    members.forEach(Member::checkAlive);
    return driver.ask(request, PATIENCE);
  }

  Member server(int number) {
    return servers.get(number);
  }

  /** The first leads as long as it lives. */
  Member master(int number) {
    return masters.get(number);
  }

  long logBytes() throws IOException {
    return bytes(places.logs());
  }

  /** Of what was flushed. */
  long fileBytes() throws IOException {
    return bytes(places.files());
  }

  private static long bytes(Path directory) throws IOException {
    return Files.isDirectory(directory) ? Workspace.bytes(directory) : 0;
  }

  /** Its data goes next, so nobody need tidy up. */
  @Override
  public void close() throws InterruptedException {
    driver.close();
    for (Member each : Stream.of(servers, masters, members).flatMap(List::stream).toList()) {
      each.killIfRunning();
    }
  }
}
