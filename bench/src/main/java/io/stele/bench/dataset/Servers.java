package io.stele.bench.dataset;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.bench.measure.Footprint;
import io.stele.bench.process.SteleServers;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes behind lookups over HTTP: one that answers a constant, one that gets it from there
 * for each request, a node that has all shards, and one that has none, and so asks the other. Node
 * to node they are of one cluster.
 */
final class Servers implements AutoCloseable {
  private static final List<String> HEAP = List.of("-Xms256m", "-Xmx1g");
  private static final Duration START_PATIENCE = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Path directory;
  private final List<ChildProcess> running = new ArrayList<>();
  private final List<String> addresses = new ArrayList<>(); // of datasets, in the same order

  private Servers(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts them; returns when all answer.
   *
   * @param source what the nodes serve
   */
  static Servers start(Path directory, Path source) throws Exception {
    Servers servers = new Servers(directory);
    try {
      servers.begin(source);
      return servers;
    } catch (Exception e) {
      servers.close();
      throw e;
    }
  }

  private void begin(Path source) throws Exception {
    constant("constant");
    awaitAnswer(0);
    constant("constant-proxied", constant());
    awaitAnswer(1);
    ServerProcess holder =
        node("holder", source, "--roles=metastore,datasets", "--set=datasets.time-to-converge=0s");
    var _ =
        node(
            "proxy",
            source,
            "--roles=datasets",
            "--metastore=" + holder.address(),
            "--set=datasets.time-to-converge=24h"); // it never gets to have shards
  }

  private void constant(String name, String... behind) throws IOException {
    int port = FreePorts.next();
    List<String> program =
        new ArrayList<>(List.of(ConstantServer.class.getName(), Integer.toString(port)));
    program.addAll(List.of(behind));
    ChildProcess started =
        new ChildProcess(
            name,
            SteleProgram.java(flags(), program.toArray(String[]::new)),
            directory.resolve(name + ".log"));
    started.launch();
    running.add(started);
    addresses.add("127.0.0.1:" + port);
  }

  /** Starts a node; returns when it answers. */
  private ServerProcess node(String name, Path source, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("server", "--name=" + name));
    arguments.add("--set=datasets.source=" + source);
    arguments.add("--set=datasets.cluster=bench");
    arguments.add("--set=datasets.replication=1");
    arguments.add("--set=datasets.proxy-timeout=5s");
    arguments.addAll(List.of(options));
    ServerProcess node = SteleServers.server(directory, name, HEAP, arguments);
    running.add(node);
    addresses.add(node.start().of("datasets"));
    awaitAnswer(running.size() - 1);
    return node;
  }

  static List<String> flags() {
    return SteleServers.flags(HEAP);
  }

  /** Waits until a server answers a key, and checks the answer. */
  private void awaitAnswer(int number) throws Exception {
    String key = new String(BenchRecords.key(0), StandardCharsets.US_ASCII);
    URI uri =
        URI.create("http://" + addresses.get(number) + "/" + BenchRecords.DATASET + "/" + key);
    long deadline = System.nanoTime() + START_PATIENCE.toNanos();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (true) {
        try {
          HttpResponse<byte[]> answer =
              http.send(
                  HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
          if (answer.statusCode() == 200) {
            BenchRecords.check(0, answer.body());
            return;
          }
        } catch (IOException e) {
          running.get(number).checkAlive(); // it does not listen yet
        }
        if (System.nanoTime() - deadline > 0) {
          throw new IOException(
              "%s does not answer within %s; it said last:%n%s"
                  .formatted(uri, START_PATIENCE, running.get(number).lastLines()));
        }
        Thread.sleep(PAUSE);
      }
    }
  }

  String constant() {
    return addresses.get(0);
  }

  String proxiedConstant() {
    return addresses.get(1);
  }

  String holder() {
    return addresses.get(2);
  }

  String proxy() {
    return addresses.get(3);
  }

  /** The process that answers at an address, and those that it asks. */
  Footprint footprint(String address) {
    List<ChildProcess> behind =
        switch (addresses.indexOf(address)) {
          case 0 -> running.subList(0, 1);
          case 1 -> running.subList(0, 2);
          case 2 -> running.subList(2, 3);
          default -> running.subList(2, 4);
        };
    return () -> behind.stream().map(ChildProcess::handle).toList();
  }

  @Override
  public void close() {
    running.forEach(ChildProcess::kill);
  }
}
