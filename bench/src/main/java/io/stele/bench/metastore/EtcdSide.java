package io.stele.bench.metastore;

import io.stele.base.error.UnavailableException;
import io.stele.base.process.ChildProcess;
import io.stele.bench.Peer;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * etcd with its defaults (each write is synced to disk before it is answered), but for the size
 * that its store may reach; it compacts nothing by itself.
 *
 * @param program by its name or path
 */
record EtcdSide(String program, String version) implements MetastoreSide {
  static final String NAME = "etcd";

  private static final String LOOPBACK = "127.0.0.1";
  private static final Pattern VERSION = Pattern.compile("etcd Version: (\\S+)");
  private static final int VERSION_SECONDS = 10;

  /** Far more than the largest case needs. */
  private static final long QUOTA_BYTES = 64L << 30;

  private static final List<String> COMMON =
      List.of(
          "--quota-backend-bytes=" + QUOTA_BYTES,
          "--auto-compaction-retention=0",
          "--logger=zap",
          "--log-level=warn",
          "--log-outputs=stderr");

  /** The etcd of this name on the path, or at this path. */
  static Peer<MetastoreSide> find(String program) {
    return Peer.find(NAME, () -> new EtcdSide(program, version(program)));
  }

  private static String version(String program) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(program, "--version").redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException(
          "no program '%s' is on the path; on Debian install etcd-server, or name one by --etcd"
              .formatted(program),
          e);
    }
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new UnavailableException("'%s --version' does not end".formatted(program));
    }
    Matcher version = VERSION.matcher(said);
    if (!version.find()) {
      throw new UnavailableException("'%s --version' names no version".formatted(program));
    }
    return version.group(1);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        NAME,
        "%s (%s), a process a member; all requests go to the member that leads"
            .formatted(version, program));
    facts.put(NAME + " flags", String.join(" ", COMMON) + ", all else by default");
    return facts;
  }

  @Override
  public Group start(Path directory, int members) throws Exception {
    List<Integer> ports = IntStream.range(0, 2 * members).mapToObj(_ -> FreePorts.next()).toList();
    String cluster =
        IntStream.range(0, members)
            .mapToObj(i -> "member%d=%s".formatted(i, url(ports.get(members + i))))
            .collect(Collectors.joining(","));
    List<ChildProcess> processes = new ArrayList<>();
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      String client = url(ports.get(i));
      String peer = url(ports.get(members + i));
      Path home = Files.createDirectory(directory.resolve("member" + i));
      List<String> command = new ArrayList<>();
      command.add(program);
      command.add("--name=member" + i);
      command.add("--data-dir=" + home.resolve("data"));
      command.add("--listen-client-urls=" + client);
      command.add("--advertise-client-urls=" + client);
      command.add("--listen-peer-urls=" + peer);
      command.add("--initial-advertise-peer-urls=" + peer);
      command.add("--initial-cluster=" + cluster);
      command.add("--initial-cluster-state=new");
      command.addAll(COMMON);
      processes.add(new ChildProcess("etcd's member" + i, command, home.resolve("etcd.log")));
      addresses.add(LOOPBACK + ":" + ports.get(i));
    }
    processes.forEach(ChildProcess::launch);
    return new Group(NAME, directory, processes, addresses, EtcdConnection::connectToLeader)
        .ready();
  }

  private static String url(int port) {
    return "http://" + LOOPBACK + ":" + port;
  }
}
