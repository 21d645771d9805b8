package io.stele.bench.cluster;

import io.stele.base.process.ChildProcess;
import io.stele.bench.Running;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Workspace;
import io.stele.bench.process.DriverProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The processes of one side's cluster, and the driver that asks them. */
final class Cluster implements Running.Started {
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  /** A tablet server, and the address by which the cluster knows it. */
  record Server(ChildProcess process, String address) {}

  /** Where a cluster keeps what: both below its directory. */
  record Places(Path logs, Path files) {}

  private final String name;
  private final List<ChildProcess> members;
  private final List<ChildProcess> masters;
  private final List<Server> servers;
  private final Places places;
  private final DriverProcess driver;

  Cluster(
      String name,
      List<? extends ChildProcess> members,
      List<? extends ChildProcess> masters,
      List<Server> servers,
      Places places,
      DriverProcess driver) {
    this.name = name;
    this.members = List.copyOf(members);
    this.masters = List.copyOf(masters);
    this.servers = List.copyOf(servers);
    this.places = places;
    this.driver = driver;
  }

  @Override
  public String name() {
    return name;
  }

  private Stream<ChildProcess> processes() {
    return Stream.of(servers.stream().map(Server::process), masters.stream(), members.stream())
        .flatMap(each -> each);
  }

  @Override
  public List<ProcessHandle> servers() {
    return processes().filter(ChildProcess::isAlive).map(ChildProcess::handle).toList();
  }

  @Override
  public List<ProcessHandle> clients() {
    return List.of(driver.handle());
  }

  /**
   * Starts masters and some of the servers, and waits until a table can be created.
   *
   * @param running the first so many
   */
  Cluster begin(int running) throws Exception {
    masters.getFirst().launch(); // alone, so that it is the one that leads
    servers.subList(0, running).forEach(server -> server.process().launch());
    var _ = ask("live " + running);
    var _ = ask("make ready");
    var _ = ask("drop ready");
    masters.subList(1, masters.size()).forEach(ChildProcess::launch);
    return this;
  }

  /** Asks for something that takes as long as it takes. */
  Sample ask(String request) throws InterruptedException {
    members.forEach(ChildProcess::checkAlive);
    return driver.ask(request, PATIENCE);
  }

  Server server(int number) {
    return servers.get(number);
  }

  int serverCount() {
    return servers.size();
  }

  /** The first leads as long as it lives. */
  ChildProcess master(int number) {
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
    processes().forEach(ChildProcess::kill);
  }
}
