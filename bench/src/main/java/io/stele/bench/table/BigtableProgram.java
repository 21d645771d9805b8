package io.stele.bench.table;

import io.stele.bench.measure.Progress;
import io.stele.bench.process.DriverProcess;
import io.stele.bench.process.PeerKit;
import io.stele.bench.process.PeerKit.MissingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** Google's client of Bigtable, and its emulator, as programs. */
final class BigtableProgram {
  static final List<String> CLIENT_FLAGS =
      List.of(
          "-Xmx1g",
          "-XX:+UseParallelGC",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final String EMULATOR_JAR = "google-cloud-bigtable-emulator-core-";
  private static final PeerKit.Parts PARTS =
      new PeerKit.Parts("Bigtable", "bigtable", List.of(), "17", EMULATOR_JAR, 120);

  private final PeerKit kit;

  private BigtableProgram(PeerKit kit) {
    this.kit = kit;
  }

  /**
   * Finds it in the checkout that this class was built from.
   *
   * @throws MissingException with the reason why there is none
   */
  static BigtableProgram find(boolean offline, Progress progress)
      throws MissingException, IOException, InterruptedException {
    return new BigtableProgram(PeerKit.prepare(PARTS, "mvn", offline, progress));
  }

  String version() {
    return kit.version();
  }

  /** A driver that asks the server at an address. */
  DriverProcess drive(String address, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(CLIENT_FLAGS);
    command.addAll(List.of("-cp", kit.classPath(), "BigtableDriver", address));
    return DriverProcess.start("Bigtable's client", command, log);
  }

  /**
   * The emulator's program, taken out of its jar.
   *
   * @throws MissingException if the jar has none for this machine
   */
  Path emulator() throws MissingException, IOException {
    Path program = kit.home().resolve("cbtemulator-" + version());
    if (Files.isExecutable(program)) {
      return program;
    }
    String name = "gcloud/bigtable-" + machine() + "/platform/bigtable-emulator/cbtemulator";
    try (JarFile jar = new JarFile(jar().toFile())) {
      ZipEntry entry = jar.getEntry(name);
      if (entry == null) {
        throw new MissingException("its jar has no program for this machine: no " + name);
      }
      Path part = kit.home().resolve("cbtemulator.part");
      Files.copy(jar.getInputStream(entry), part, StandardCopyOption.REPLACE_EXISTING);
      if (!part.toFile().setExecutable(true)) {
        throw new MissingException(part + " cannot be made a program");
      }
      Files.move(part, program, StandardCopyOption.REPLACE_EXISTING);
      return program;
    }
  }

  private Path jar() throws MissingException, IOException {
    try (Stream<Path> jars = Files.list(kit.home().resolve("lib"))) {
      return jars.filter(jar -> jar.getFileName().toString().startsWith(EMULATOR_JAR))
          .findFirst()
          .orElseThrow(() -> new MissingException("Maven copied no " + EMULATOR_JAR + "*.jar"));
    }
  }

  /** As the jar names systems. */
  private static String machine() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    boolean arm = System.getProperty("os.arch").startsWith("aarch");
    return (system.startsWith("mac") ? "darwin" : system) + (arm ? "-arm" : "-x86_64");
  }
}
