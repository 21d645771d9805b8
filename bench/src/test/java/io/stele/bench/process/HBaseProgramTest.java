package io.stele.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.bench.measure.Progress;
import io.stele.bench.process.PeerKit.MissingException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finds HBase in a checkout of the test's own, by a Maven of the test's own. */
class HBaseProgramTest {
  private static final Path SHARED = Path.of("src/main/java/io/stele/bench/driver");

  @TempDir private Path checkout;

  private final Progress progress = new Progress(new PrintWriter(new StringWriter()));
  private Path sources;
  private Path calls;

  @BeforeEach
  void makeCheckout() throws IOException {
    sources = Files.createDirectories(checkout.resolve("bench/peers/hbase/src"));
    Files.writeString(sources.resolveSibling("pom.xml"), "<project/>");
    calls = checkout.resolve("calls");
    Path copies = Files.createDirectories(checkout.resolve("bench").resolve(SHARED));
    try (Stream<Path> files = Files.list(SHARED)) {
      for (Path file : files.toList()) {
        Files.copy(file, copies.resolve(file.getFileName()));
      }
    }
  }

  private HBaseProgram find(String mavenScript, boolean offline) throws Exception {
    Path maven = checkout.resolve("mvn");
    Files.writeString(maven, "#!/bin/sh\necho $* >>" + calls + "\n" + mavenScript);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
    return HBaseProgram.find(
        parts -> PeerKit.prepare(parts, checkout, maven.toString(), offline, progress), progress);
  }

  /** What a Maven does that has the jars: as many as are needed to compile the workloads. */
  private static String copyJars(String version) throws URISyntaxException {
    Path jspecify =
        Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return "for last; do :; done; cp %s ${last#-DoutputDirectory=}/hbase-server-%s.jar"
        .formatted(jspecify, version);
  }

  @Test
  void theCheckoutIsFoundFromTheClasses() {
    assertThat(PeerKit.checkout())
        .hasValueSatisfying(
            found -> assertThat(found.resolve("bench/peers/hbase/src")).isDirectory());
  }

  @Test
  void jarsThatCannotBeHadAreNamedAndNothingIsFetchedOffline() throws IOException {
    String failing = "printf '\\033[0m[ERROR] no hbase-server -> [Help 1]\\n[ERROR] \\n'; exit 1";
    assertThatThrownBy(() -> find(failing, true))
        .isInstanceOf(MissingException.class)
        .hasMessageStartingWith(
            "its jars are not on this machine and --offline forbids to fetch them")
        .hasMessageContaining("(no hbase-server -> [Help 1])")
        .hasMessageContaining("once 'mvn -f " + sources.resolveSibling("pom.xml"));
    assertThat(Files.readAllLines(calls)).hasSize(2).allMatch(call -> call.contains(" -o "));

    assertThatThrownBy(() -> find(failing, false))
        .hasMessageStartingWith("its jars are not on this machine (no");
    List<String> more = Files.readAllLines(calls).subList(2, 6);
    assertThat(more).as("offline first, then not").element(0).asString().contains(" -o ");
    assertThat(more.get(1)).doesNotContain(" -o ");
    assertThat(more.get(3)).as("the older version").contains("-Dhbase.version=2.6");
  }

  @Test
  void aMavenThatIsNotThereIsNamed() {
    assertThatThrownBy(
            () ->
                HBaseProgram.find(
                    parts ->
                        PeerKit.prepare(parts, checkout, "mvn-that-is-not-here", false, progress),
                    progress))
        .hasMessageContaining("no program 'mvn-that-is-not-here' is on the path");
  }

  @Test
  void aDriverThatDoesNotCompileIsNamed() throws Exception {
    Files.writeString(sources.resolve("HBaseDriver.java"), "class HBaseDriver extends Nothing {}");
    String copying = copyJars("9.9");
    assertThatThrownBy(() -> find(copying, true))
        .hasMessageStartingWith("its driver does not compile: ")
        .hasMessageContaining("HBaseDriver.java:1");
  }

  @Test
  void withItsJarsItIsThereAndTheWorkloadsCompileForItsJava() throws Exception {
    Files.writeString(
        sources.resolve("HBaseDriver.java"),
        "class HBaseDriver { io.stele.bench.driver.Driver driver; }");
    String copying = copyJars("9.9");

    HBaseProgram found = find(copying, true);

    assertThat(found.version()).isEqualTo("9.9");
    assertThat(found.about()).isEqualTo("9.9");
    Path classes = checkout.resolve("bench/target/peers/hbase/classes");
    assertThat(classes.resolve("HBaseDriver.class")).exists();
    assertThat(classes.resolve("io/stele/bench/driver/Driver.class")).exists();
    assertThat(find(copying, true).version()).isEqualTo("9.9");
    assertThat(Files.readAllLines(calls)).as("Maven is asked once").hasSize(1);
  }

  @Test
  void whereTheNewestCannotBeHadAnOlderOneRunsAndSaysSo() throws Exception {
    Files.writeString(sources.resolve("HBaseDriver.java"), "class HBaseDriver {}");
    HBaseProgram found =
        find(
            "case \"$*\" in *hbase.version*) %s;; *) echo '[ERROR] no hbase-common'; exit 1;; esac"
                .formatted(copyJars("2.6.4")),
            true);

    assertThat(found.version()).isEqualTo("2.6.4");
    assertThat(found.about())
        .startsWith("2.6.4 (a newer one cannot run: its jars are not on this machine")
        .contains("no hbase-common");
  }
}
