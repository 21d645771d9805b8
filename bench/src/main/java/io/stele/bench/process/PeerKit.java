package io.stele.bench.process;

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
 * A peer's jars, and our drivers compiled against them; made when they are first needed:
 *
 * <pre>
 *   bench/peers/PEER/pom.xml, src/       from this checkout
 *   bench/target/peers/PEER…/lib/        the jars, as Maven finds them
 *   bench/target/peers/PEER…/classes/    the drivers and what they share
 * </pre>
 *
 * @param home the directory that holds lib and classes
 * @param version of the peer
 */
public record PeerKit(Path home, String version) {
  private static final String SOURCES = "bench/peers";

  /** What all drivers share. */
  private static final String SHARED = "bench/src/main/java/io/stele/bench/driver";

  /**
   * What is known of a peer before its jars are there.
   *
   * @param name for people
   * @param directory of its sources
   * @param options for Maven, such as another version than that of the sources; what is made of
   *     them is in a directory of their names
   * @param release of Java that the drivers are compiled for
   * @param versionJar how the name of the jar begins that has the peer's version
   * @param megabytes about as many are fetched
   */
  public record Parts(
      String name,
      String directory,
      List<String> options,
      String release,
      String versionJar,
      int megabytes) {
    public Parts {
      for (String option : options) {
        if (!option.startsWith("-")) {
          throw new IllegalArgumentException(
              "option '" + option + "' for Maven, of " + name + ": must begin with '-'");
        }
      }
    }

    private String home() {
      return directory + String.join("", options).replaceAll("[^A-Za-z0-9.-]", "-");
    }
  }

  private static final String ERROR = "[ERROR]"; // as Maven begins such lines

  /** Why there is none, in words that say what to do. */
  public static final class MissingException extends Exception {
    private static final long serialVersionUID = 1L;

    public MissingException(String message) {
      super(message);
    }
  }

  /** The checkout that this class was built from. */
  static Optional<Path> checkout() {
    try {
      Path place =
          Path.of(PeerKit.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Stream.iterate(place, above -> above != null, Path::getParent)
          .filter(each -> Files.isDirectory(each.resolve(SOURCES)))
          .findFirst();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** Finds it in the checkout that this class was built from, and makes it if it is not there. */
  public static PeerKit prepare(Parts parts, String maven, boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    Path found =
        checkout()
            .orElseThrow(
                () ->
                    new MissingException(
                        "%s/%s is not there: run ./stele of a checkout of the sources"
                            .formatted(SOURCES, parts.directory())));
    return prepare(parts, found, maven, offline, progress);
  }

  /**
   * Likewise, in a checkout.
   *
   * @param maven the program
   * @param offline whether Maven may only take what this machine has
   */
  static PeerKit prepare(
      Parts parts, Path checkout, String maven, boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    Path sources = checkout.resolve(SOURCES).resolve(parts.directory());
    Path home = checkout.resolve("bench/target/peers").resolve(parts.home());
    Path lib = home.resolve("lib");
    Optional<String> found = version(lib, parts);
    if (found.isEmpty() || isNewer(sources.resolve("pom.xml"), lib)) {
      fetch(parts, maven, sources.resolve("pom.xml"), lib, offline, progress);
      found = version(lib, parts);
    }
    String version =
        found.orElseThrow(
            () ->
                new MissingException("Maven copied no " + parts.versionJar() + "*.jar to " + lib));
    compile(parts.release(), List.of(checkout.resolve(SHARED), sources.resolve("src")), home);
    return new PeerKit(home, version);
  }

  private static boolean isNewer(Path one, Path other) throws IOException {
    return Files.getLastModifiedTime(one).compareTo(Files.getLastModifiedTime(other)) > 0;
  }

  private static Optional<String> version(Path lib, Parts parts) throws IOException {
    if (!Files.isDirectory(lib)) {
      return Optional.empty();
    }
    try (Stream<Path> jars = Files.list(lib)) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> isVersioned(name, parts.versionJar()))
          .map(name -> name.substring(parts.versionJar().length(), name.length() - 4))
          .findFirst();
    }
  }

  /** Of jars that begin alike it is the one with a number next. */
  private static boolean isVersioned(String name, String prefix) {
    return name.startsWith(prefix)
        && name.endsWith(".jar")
        && Character.isDigit(name.charAt(prefix.length()));
  }

  /** Offline first: what is there already needs no network. */
  private static void fetch(
      Parts parts, String maven, Path pom, Path lib, boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    progress.line(parts.name() + ": asking Maven for its jars");
    Files.createDirectories(lib);
    Optional<String> problem = copy(parts, maven, pom, lib, true);
    if (problem.isPresent() && !offline) {
      progress.line(
          "%s: fetching its jars, about %d MB, once".formatted(parts.name(), parts.megabytes()));
      problem = copy(parts, maven, pom, lib, false);
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
  private static Optional<String> copy(
      Parts parts, String program, Path pom, Path lib, boolean offline)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program, "-B", "-q"));
    command.addAll(parts.options());
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

  private static void compile(String release, List<Path> sources, Path home)
      throws MissingException, IOException {
    ToolProvider javac =
        ToolProvider.findFirst("javac")
            .orElseThrow(
                () -> new MissingException("this Java has no compiler for its driver: use a JDK"));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--release",
                release,
                "-nowarn",
                "-proc:none",
                "-cp",
                jars(home.resolve("lib")),
                "-d",
                home.resolve("classes").toString()));
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

  /** For a JVM. */
  public String classPath() {
    return String.join(
        System.getProperty("path.separator"),
        home.resolve("classes").toString(),
        home.resolve("lib") + "/*");
  }

  /** For a JVM, behind a directory of settings. */
  public String classPath(Path settings) {
    return settings + System.getProperty("path.separator") + classPath();
  }
}
