package io.stele.bench.table;

import io.stele.bench.measure.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * HBase's jars, and our drivers compiled against them; made when they are first needed:
 *
 * <pre>
 *   bench/peers/hbase/pom.xml, src/       from this checkout
 *   bench/target/peers/hbase/lib/         the jars, as Maven finds them
 *   bench/target/peers/hbase/classes/     the drivers and what they share, for Java 17
 * </pre>
 *
 * @param home the directory that holds lib and classes
 * @param version of HBase
 */
public record HBaseKit(Path home, String version) {
  private static final String SOURCES = "bench/peers/hbase";
  private static final List<String> SHARED =
      List.of(
          "bench/src/main/java/io/stele/bench/table/ycsb",
          "bench/src/main/java/io/stele/bench/cluster/probe");
  private static final String RELEASE = "17"; // the newest that HBase itself is released for
  private static final String ERROR = "[ERROR]"; // as Maven begins such lines
  private static final String SERVER_JAR = "hbase-server-";

  /** Why there is none, in words that say what to do. */
  public static final class MissingException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingException(String message) {
      super(message);
    }
  }

  /** The checkout that this class was built from. */
  static Optional<Path> checkout() {
    try {
      Path place =
          Path.of(HBaseKit.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Stream.iterate(place, above -> above != null, Path::getParent)
          .filter(each -> Files.exists(each.resolve(SOURCES).resolve("pom.xml")))
          .findFirst();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /**
   * Finds it, and makes it if it is not there.
   *
   * @param maven the program
   * @param offline whether Maven may only take what this machine has
   */
  static HBaseKit prepare(Path checkout, String maven, boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    Path sources = checkout.resolve(SOURCES);
    Path home = checkout.resolve("bench/target/peers/hbase");
    Path lib = home.resolve("lib");
    Optional<String> found = version(lib);
    if (found.isEmpty() || isNewer(sources.resolve("pom.xml"), lib)) {
      fetch(maven, sources.resolve("pom.xml"), lib, offline, progress);
      found = version(lib);
    }
    String version =
        found.orElseThrow(
            () -> new MissingException("Maven copied no " + SERVER_JAR + "*.jar to " + lib));
    compile(sources.resolve("src"), SHARED.stream().map(checkout::resolve).toList(), home);
    return new HBaseKit(home, version);
  }

  private static boolean isNewer(Path one, Path other) throws IOException {
    return Files.getLastModifiedTime(one).compareTo(Files.getLastModifiedTime(other)) > 0;
  }

  private static Optional<String> version(Path lib) throws IOException {
    if (!Files.isDirectory(lib)) {
      return Optional.empty();
    }
    try (Stream<Path> jars = Files.list(lib)) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.startsWith(SERVER_JAR) && name.endsWith(".jar"))
          .map(name -> name.substring(SERVER_JAR.length(), name.length() - ".jar".length()))
          .findFirst();
    }
  }

  /** Offline first: what is there already needs no network. */
  private static void fetch(String maven, Path pom, Path lib, boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    progress.line("HBase: asking Maven for its jars");
    Files.createDirectories(lib);
    Optional<String> problem = copy(maven, pom, lib, true);
    if (problem.isPresent() && !offline) {
      progress.line("HBase: fetching its jars, about 150 MB, once");
      problem = copy(maven, pom, lib, false);
    }
    if (problem.isPresent()) {
      throw new MissingException(
          "its jars are not on this machine%s (%s); once 'mvn -f %s dependency:resolve' works, it is"
                  .formatted(
                      offline ? " and --offline forbids to fetch them" : "", problem.get(), pom)
              + " measured too");
    }
  }

  /** Returns what went wrong; nothing if nothing did. */
  private static Optional<String> copy(String program, Path pom, Path lib, boolean offline)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program, "-B", "-q"));
    if (offline) {
      command.add("-o");
    }
    command.addAll(
        List.of(
            "-f",
            pom.toString(),
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            "-DoutputDirectory=" + lib));
    Process maven;
    try {
      maven = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return Optional.of("no program '%s' is on the path".formatted(program));
    }
    maven.getOutputStream().close();
    List<String> said;
    try (var lines = maven.inputReader()) {
      said = lines.lines().toList();
    }
    if (maven.waitFor() == 0) {
      return Optional.empty();
    }
    return said.stream()
        .filter(line -> line.contains(ERROR)) // behind codes for colours, at times
        .map(line -> shortened(line.substring(line.indexOf(ERROR) + ERROR.length()).strip()))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .or(() -> Optional.of("Maven failed and did not say why"));
  }

  private static String shortened(String text) {
    int most = 200;
    return text.length() <= most ? text : text.substring(0, most) + "…";
  }

  private static void compile(Path drivers, List<Path> shared, Path home)
      throws MissingException, IOException {
    ToolProvider javac =
        ToolProvider.findFirst("javac")
            .orElseThrow(
                () -> new MissingException("this Java has no compiler for its driver: use a JDK"));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--release",
                RELEASE,
                "-nowarn",
                "-proc:none",
                "-cp",
                jars(home.resolve("lib")),
                "-d",
                home.resolve("classes").toString()));
    List<Path> sources = new ArrayList<>(shared);
    sources.add(drivers);
    for (Path directory : sources) {
      try (Stream<Path> files = Files.list(directory)) {
        files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
      }
    }
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    if (javac.run(writer, writer, arguments.toArray(String[]::new)) != 0) {
      writer.flush();
      throw new MissingException(
          "its driver does not compile: "
              + said.toString().lines().findFirst().orElse("javac did not say why"));
    }
  }

  /** The compiler takes no asterisk, as the launcher of a JVM does. */
  private static String jars(Path lib) throws IOException {
    try (Stream<Path> files = Files.list(lib)) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(".jar"))
          .collect(Collectors.joining(System.getProperty("path.separator")));
    }
  }

  /** For a JVM, behind a directory of settings. */
  String classPath(Path settings) {
    return String.join(
        System.getProperty("path.separator"),
        settings.toString(),
        home.resolve("classes").toString(),
        home.resolve("lib") + "/*");
  }
}
