package io.stele.bench.table;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.Progress;
import io.stele.bench.table.HBaseKit.MissingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * HBase standalone: master, region server and ZooKeeper in one process, on the local file system.
 *
 * <p>Its usual local file system neither syncs its log nor even writes it through; the raw one
 * does.
 */
final class HBaseSide implements Side {
  private static final String NAME = "HBase";
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
  private static final String MASTER = "org.apache.hadoop.hbase.master.HMaster";

  private static final List<String> SERVER_FLAGS =
      List.of(
          "-Xms4g",
          "-Xmx4g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=100",
          "-XX:MaxDirectMemorySize=1g");
  private static final List<String> CLIENT_FLAGS = List.of("-Xmx1g", "-XX:+UseParallelGC");

  /** What it and its libraries reach into. */
  private static final List<String> OPENED =
      Stream.concat(
              Stream.of(
                      "java.lang",
                      "java.lang.reflect",
                      "java.nio",
                      "sun.nio.ch",
                      "java.util",
                      "java.util.concurrent",
                      "java.io",
                      "java.net",
                      "jdk.internal.ref")
                  .map("--add-opens=java.base/%s=ALL-UNNAMED"::formatted),
              Stream.of("jdk.internal.misc", "sun.net.dns", "sun.net.util")
                  .map("--add-exports=java.base/%s=ALL-UNNAMED"::formatted))
          .toList();

  private final HBaseKit kit;
  private final Path java;

  private HBaseSide(HBaseKit kit, Path java) {
    this.kit = kit;
    this.java = java;
  }

  static Peer find(boolean offline, Progress progress) {
    Optional<Path> checkout = HBaseKit.checkout();
    if (checkout.isEmpty()) {
      return new Peer.Absent(
          NAME, "bench/peers/hbase is not there: run ./stele of a checkout of the sources");
    }
    return find(checkout.get(), "mvn", offline, progress);
  }

  static Peer find(Path checkout, String maven, boolean offline, Progress progress) {
    try {
      return new Peer.Present(
          new HBaseSide(HBaseKit.prepare(checkout, maven, offline, progress), olderJava()));
    } catch (MissingException | IOException e) {
      return new Peer.Absent(NAME, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Peer.Absent(NAME, "the search for it was interrupted");
    }
  }

  /** A Java 17 beside the one that runs this: HBase is not released for newer ones. */
  private static Path olderJava() throws IOException {
    Path running = Path.of(System.getProperty("java.home"));
    Path homes = running.getParent();
    if (homes != null) {
      try (Stream<Path> siblings = Files.list(homes)) {
        Optional<Path> older =
            siblings
                .filter(home -> home.getFileName().toString().contains("17"))
                .map(home -> home.resolve("bin/java"))
                .filter(Files::isExecutable)
                .sorted()
                .findFirst();
        if (older.isPresent()) {
          return older.get();
        }
      }
    }
    return running.resolve("bin/java");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return kit.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        NAME,
        version()
            + " standalone as a process, hbase.wal.hsync on the raw local file system, 4 regions,"
            + " row Bloom filters; asked by its Java client in another");
    facts.put(
        NAME + " flags",
        "%s with %s; its client's: %s"
            .formatted(java, String.join(" ", SERVER_FLAGS), String.join(" ", CLIENT_FLAGS)));
    return facts;
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    List<Integer> ports = FreePorts.find(3);
    Path settings = Files.createDirectory(directory.resolve("settings"));
    Files.writeString(settings.resolve("hbase-site.xml"), site(directory, ports));
    Files.writeString(settings.resolve("log4j.properties"), LOGGING);
    Member server =
        new Member(
            "HBase's server",
            "127.0.0.1:" + ports.get(2),
            command(SERVER_FLAGS, settings, MASTER, "start"),
            directory.resolve("server.log"));
    server.start();
    try {
      DriverProcess driver =
          DriverProcess.start(
              "HBase's client",
              command(CLIENT_FLAGS, settings, "HBaseDriver", ports.getFirst().toString()),
              directory.resolve("client.log"));
      return new Contestant(NAME, server, member -> stop(member, directory, settings), driver);
    } catch (Exception e) {
      server.close();
      throw e;
    }
  }

  private List<String> command(List<String> flags, Path settings, String... program) {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(flags);
    command.addAll(OPENED);
    command.addAll(List.of("-cp", kit.classPath(settings)));
    command.addAll(List.of(program));
    return command;
  }

  /**
   * By its own command: at a signal its ZooKeeper ends first, and the rest of it counts as crashed.
   */
  private void stop(Member server, Path directory, Path settings) throws Exception {
    Process stop =
        new ProcessBuilder(command(List.of("-Xmx256m"), settings, MASTER, "stop"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("stop.log").toFile())
            .start();
    if (!stop.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      stop.destroyForcibly().waitFor();
    }
    if (!server.awaitEnd(STOP_PATIENCE)) {
      server.stop(); // it has flushed, and now and then does not end
    }
  }

  private static String site(Path directory, List<Integer> ports) {
    Map<String, String> site = new LinkedHashMap<>();
    site.put("hbase.rootdir", directory.resolve("root").toUri().toString());
    site.put("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    site.put("hbase.cluster.distributed", "false");
    site.put("hbase.unsafe.stream.capability.enforce", "false");
    site.put("hbase.wal.hsync", "true");
    site.put("hbase.tmp.dir", directory.resolve("tmp").toString());
    site.put("hbase.zookeeper.quorum", "127.0.0.1");
    site.put("hbase.zookeeper.property.dataDir", directory.resolve("zookeeper").toString());
    site.put("hbase.zookeeper.property.clientPort", ports.get(0).toString());
    site.put("hbase.master.hostname", "127.0.0.1");
    site.put("hbase.regionserver.hostname", "127.0.0.1");
    site.put("hbase.master.ipc.address", "127.0.0.1");
    site.put("hbase.regionserver.ipc.address", "127.0.0.1");
    site.put("hbase.master.port", ports.get(1).toString());
    site.put("hbase.regionserver.port", ports.get(2).toString());
    site.put("hbase.localcluster.assign.random.ports", "false");
    site.put("hbase.localcluster.port.ephemeral", "false");
    site.put("hbase.master.info.port", "-1");
    site.put("hbase.regionserver.info.port", "-1");
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    site.forEach(
        (key, value) ->
            text.append("  <property><name>")
                .append(key)
                .append("</name><value>")
                .append(escaped(value))
                .append("</value></property>\n"));
    return text.append("</configuration>\n").toString();
  }

  private static String escaped(String value) {
    return value.replace("&", "&amp;").replace("<", "&lt;");
  }

  /** To the standard errors: the driver's answers are on the standard output. */
  private static final String LOGGING =
      """
      log4j.rootLogger=WARN,errors
      log4j.appender.errors=org.apache.log4j.ConsoleAppender
      log4j.appender.errors.target=System.err
      log4j.appender.errors.layout=org.apache.log4j.PatternLayout
      log4j.appender.errors.layout.ConversionPattern=%d{ISO8601} %p %c{1} %m%n
      """;
}
