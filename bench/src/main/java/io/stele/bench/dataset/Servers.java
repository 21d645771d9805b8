package io.stele.bench.dataset;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.SteleProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes behind lookups over HTTP: one that answers a constant, a node that has all shards,
 * and one that has none, and so asks the other. Node to node they are of one cluster.
 */
final class Servers implements AutoCloseable {
  static final List<String> HEAP = List.of("-Xms256m", "-Xmx1g");

  private static final Duration START_PATIENCE = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Path directory;
  private final List<Member> running = new ArrayList<>();
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
    boolean started = false;
    try {
      servers.begin(source);
      started = true;
      return servers;
    } finally {
      if (!started) {
        servers.close();
      }
    }
  }

  private void begin(Path source) throws Exception {
    List<Integer> ports = FreePorts.find(6);
    int constant = ports.get(0);
    add(
        new Member(
            "the constant",
            "127.0.0.1:" + constant,
            SteleProgram.command(
                flags(), ConstantServer.class.getName(), Integer.toString(constant)),
            directory.resolve("constant.log")),
        constant);
    List<String> cluster =
        List.of(
            "--set=datasets.source=" + source,
            "--set=datasets.cluster=bench",
            "--set=datasets.replication=1",
            "--set=datasets.proxy-timeout=5s");
    String metastore = "127.0.0.1:" + ports.get(1);
    add(
        node(
            "holder",
            ports.get(1),
            ports.get(3),
            cluster,
            "--roles=metastore,datasets",
            "--raft-port=" + ports.get(2),
            "--set=datasets.time-to-converge=0s"),
        ports.get(3));
    awaitAnswer(1);
    add(
        node(
            "proxy",
            ports.get(4),
            ports.get(5),
            cluster,
            "--roles=datasets",
            "--metastore=" + metastore,
            "--set=datasets.time-to-converge=24h"), // it never gets to have shards
        ports.get(5));
    awaitAnswer(2);
    awaitAnswer(0);
  }

  private Member node(String name, int port, int http, List<String> settings, String... options) {
    List<String> command =
        SteleProgram.stele(flags(), "server", "--name=" + name, "--port=" + port);
    command.add("--data=" + directory.resolve(name));
    command.add("--set=datasets.port=" + http);
    command.addAll(settings);
    command.addAll(List.of(options));
    return new Member(
        "Stele's " + name, "127.0.0.1:" + port, command, directory.resolve(name + ".log"));
  }

  static List<String> flags() {
    List<String> flags = new ArrayList<>(HEAP);
    flags.addAll(SteleProgram.FLAGS);
    return flags;
  }

  private void add(Member member, int http) throws IOException {
    Files.createDirectories(directory);
    member.start();
    running.add(member);
    addresses.add("127.0.0.1:" + http);
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
                  .formatted(uri, START_PATIENCE, running.get(number).lastWords()));
        }
        Thread.sleep(PAUSE);
      }
    }
  }

  String constant() {
    return addresses.get(0);
  }

  String holder() {
    return addresses.get(1);
  }

  String proxy() {
    return addresses.get(2);
  }

  List<ProcessHandle> handles() {
    return running.stream().map(Member::handle).toList();
  }

  @Override
  public void close() throws InterruptedException {
    for (Member member : running) {
      member.killIfRunning();
    }
    running.clear();
  }
}
