package io.stele.bench.process;

import io.stele.bench.measure.Progress;
import io.stele.bench.process.PeerKit.MissingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * HBase's own programs as processes, with its Java and its settings.
 *
 * <p>Its usual local file system neither syncs its log nor even writes it through; the raw one
 * does.
 */
public final class HBaseProgram {
  public static final String NAME = "HBase";
  public static final String MASTER = "org.apache.hadoop.hbase.master.HMaster";

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

  /** In which 3.0 is not, where it cannot run. */
  private static final String OLDER_VERSION = "2.6.4-hadoop3";

  private static final List<PeerKit.Parts> VERSIONS =
      List.of(parts(List.of()), parts(List.of("-Dhbase.version=" + OLDER_VERSION)));

  /** For Java 17, the newest that HBase itself is released for. */
  private static PeerKit.Parts parts(List<String> options) {
    return new PeerKit.Parts(NAME, "hbase", options, "17", "hbase-server-", 150);
  }

  private final PeerKit kit;
  private final Path java;
  private final String newerMissing; // why it is not a newer version; empty if it is the newest

  private HBaseProgram(PeerKit kit, Path java, String newerMissing) {
    this.kit = kit;
    this.java = java;
    this.newerMissing = newerMissing;
  }

  /**
   * Finds the newest version that can run, in the checkout that this class was built from.
   *
   * @throws MissingException with the reason why there is none
   */
  public static HBaseProgram find(boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    return find(parts -> PeerKit.prepare(parts, "mvn", offline, progress), progress);
  }

  /** How the jars of a version are come by. */
  interface Preparation {
    PeerKit prepare(PeerKit.Parts parts) throws MissingException, IOException, InterruptedException;
  }

  static HBaseProgram find(Preparation preparation, Progress progress)
      throws MissingException, IOException, InterruptedException {
    Path java = olderJava();
    String newerMissing = "";
    for (PeerKit.Parts parts : VERSIONS) {
      try {
        return new HBaseProgram(preparation.prepare(parts), java, newerMissing);
      } catch (MissingException e) {
        String reason = String.valueOf(e.getMessage());
        progress.line("%s: %s".formatted(NAME, reason));
        newerMissing = newerMissing.isEmpty() ? reason : newerMissing;
      }
    }
    throw new MissingException(newerMissing);
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

  public String version() {
    return kit.version();
  }

  /** Its version, and why it is not a newer one. */
  public String about() {
    return newerMissing.isEmpty()
        ? version()
        : "%s (a newer one cannot run: %s)".formatted(version(), newerMissing);
  }

  public Path java() {
    return java;
  }

  /** A command that runs a class with arguments, behind a directory of settings. */
  public List<String> command(List<String> flags, Path settings, String... program) {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(flags);
    command.addAll(OPENED);
    command.addAll(List.of("-cp", kit.classPath(settings)));
    command.addAll(List.of(program));
    return command;
  }

  /** Settings of all programs: data in a directory, synced, and all on this machine. */
  public static Map<String, String> settings(Path directory, String zooKeeperPort) {
    Map<String, String> site = new LinkedHashMap<>();
    site.put("hbase.rootdir", directory.resolve("root").toUri().toString());
    site.put("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    site.put("hbase.unsafe.stream.capability.enforce", "false");
    site.put("hbase.wal.hsync", "true");
    site.put("hbase.tmp.dir", directory.resolve("tmp").toString());
    site.put("hbase.zookeeper.quorum", "127.0.0.1");
    site.put("hbase.zookeeper.property.dataDir", directory.resolve("zookeeper").toString());
    site.put("hbase.zookeeper.property.clientPort", zooKeeperPort);
    site.put("hbase.master.hostname", "127.0.0.1");
    site.put("hbase.regionserver.hostname", "127.0.0.1");
    site.put("hbase.master.ipc.address", "127.0.0.1");
    site.put("hbase.regionserver.ipc.address", "127.0.0.1");
    site.put("hbase.master.info.port", "-1");
    site.put("hbase.regionserver.info.port", "-1");
    return site;
  }

  /** Writes settings where a program finds them: in a new directory of that name. */
  public static Path write(Map<String, String> site, Path directory) throws IOException {
    Files.createDirectory(directory);
    Files.writeString(directory.resolve("hbase-site.xml"), xml(site));
    Files.writeString(directory.resolve("log4j.properties"), LOGGING);
    return directory;
  }

  private static String xml(Map<String, String> site) {
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
