package io.stele.bench.metastore;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * etcd as it is installed, with its defaults (each write is synced to disk before it is answered),
 * but for the size that its store may reach; it compacts nothing by itself.
 */
final class EtcdSide implements Side {
  static final String NAME = "etcd";
  private static final String LOOPBACK = "127.0.0.1";
  private static final Pattern VERSION = Pattern.compile("etcd Version: (\\S+)");
  private static final KeySet FIRST_KEY = new KeySet("/ready", 1, 16);

  /** Far more than the largest case needs. */
  private static final long QUOTA_BYTES = 64L << 30;

  private static final List<String> COMMON =
      List.of(
          "--quota-backend-bytes=" + QUOTA_BYTES,
          "--auto-compaction-retention=0",
          "--logger=zap",
          "--log-level=warn",
          "--log-outputs=stderr");

  private final String program;
  private final String version;

  private EtcdSide(String program, String version) {
    this.program = program;
    this.version = version;
  }

  /** The etcd that is found on the path. */
  static Peer find() {
    return find(NAME);
  }

  static Peer find(String program) {
    try {
      Process process =
          new ProcessBuilder(program, "--version")
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Peer.Absent(NAME, "'%s --version' does not end".formatted(program));
      }
      Matcher version = VERSION.matcher(said);
      return version.find()
          ? new Peer.Present(new EtcdSide(program, version.group(1)))
          : new Peer.Absent(NAME, "'%s --version' names no version".formatted(program));
    } catch (IOException e) {
      return new Peer.Absent(
          NAME, "no program '%s' is on the path; on Debian install etcd-server".formatted(program));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Peer.Absent(NAME, "interrupted while '%s' was asked".formatted(program));
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(NAME, version + ", a process a member; all requests go to the member that leads");
    facts.put(NAME + " flags", String.join(" ", COMMON) + ", all else by default");
    return facts;
  }

  @Override
  public Cluster start(Path directory, int members) throws Exception {
    List<Integer> ports = FreePorts.find(2 * members);
    String group =
        IntStream.range(0, members)
            .mapToObj(i -> "member%d=%s".formatted(i, url(ports.get(members + i))))
            .collect(Collectors.joining(","));
    List<Member> processes = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      processes.add(member(directory, i, group, ports.get(i), ports.get(members + i)));
    }
    Cluster cluster = new Cluster(directory, processes, EtcdDriver::connectToLeader);
    try {
      cluster.start();
      cluster.await("etcd's start", driver -> driver.put(FIRST_KEY, 0, 0));
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  private Member member(Path directory, int number, String group, int clientPort, int peerPort)
      throws IOException {
    String name = "member" + number;
    Path home = Files.createDirectory(directory.resolve(name));
    List<String> command = new ArrayList<>();
    command.add(program);
    command.add("--name=" + name);
    command.add("--data-dir=" + home.resolve("data"));
    command.add("--listen-client-urls=" + url(clientPort));
    command.add("--advertise-client-urls=" + url(clientPort));
    command.add("--listen-peer-urls=" + url(peerPort));
    command.add("--initial-advertise-peer-urls=" + url(peerPort));
    command.add("--initial-cluster=" + group);
    command.add("--initial-cluster-state=new");
    command.addAll(COMMON);
    return new Member(
        "etcd's " + name, LOOPBACK + ":" + clientPort, command, home.resolve("etcd.log"));
  }

  private static String url(int port) {
    return "http://" + LOOPBACK + ":" + port;
  }
}
