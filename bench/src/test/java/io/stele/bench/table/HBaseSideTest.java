package io.stele.bench.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Progress;
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
class HBaseSideTest {
  private static final List<Path> SHARED =
      List.of(
          Path.of("src/main/java/io/stele/bench/table/ycsb"),
          Path.of("src/main/java/io/stele/bench/cluster/probe"));

  @TempDir private Path checkout;

  private final Progress progress = new Progress(new PrintWriter(new StringWriter()));
  private Path sources;
  private Path calls;

  @BeforeEach
  void makeCheckout() throws IOException {
    sources = Files.createDirectories(checkout.resolve("bench/peers/hbase/src"));
    Files.writeString(sources.resolveSibling("pom.xml"), "<project/>");
    calls = checkout.resolve("calls");
    for (Path shared : SHARED) {
      Path copies = Files.createDirectories(checkout.resolve("bench").resolve(shared));
      try (Stream<Path> files = Files.list(shared)) {
        for (Path file : files.toList()) {
          Files.copy(file, copies.resolve(file.getFileName()));
        }
      }
    }
  }

  private Peer find(String mavenScript, boolean offline) throws IOException {
    Path maven = checkout.resolve("mvn");
    Files.writeString(maven, "#!/bin/sh\necho $* >>" + calls + "\n" + mavenScript);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
    return HBaseSide.find(checkout, maven.toString(), offline, progress);
  }

  /** What a Maven does that has the jars: as many as are needed to compile the workloads. */
  private String copyJars() throws URISyntaxException {
    Path jspecify =
        Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return "cp %s %s/bench/target/peers/hbase/lib/hbase-server-9.9.jar"
        .formatted(jspecify, checkout);
  }

  private static String reason(Peer peer) {
    assertThat(peer).isInstanceOf(Peer.Absent.class);
    assertThat(peer.name()).isEqualTo("HBase");
    return ((Peer.Absent) peer).reason();
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
    assertThat(reason(find(failing, true)))
        .startsWith("its jars are not on this machine and --offline forbids to fetch them")
        .contains("(no hbase-server -> [Help 1])")
        .contains("once 'mvn -f " + sources.resolveSibling("pom.xml"));
    assertThat(Files.readAllLines(calls)).hasSize(1).allMatch(call -> call.contains(" -o "));

    assertThat(reason(find(failing, false))).startsWith("its jars are not on this machine (no");
    List<String> more = Files.readAllLines(calls);
    assertThat(more).as("offline first, then not").hasSize(3);
    assertThat(more.get(1)).contains(" -o ");
    assertThat(more.get(2)).doesNotContain(" -o ");
  }

  @Test
  void aMavenThatIsNotThereIsNamed() {
    assertThat(reason(HBaseSide.find(checkout, "mvn-that-is-not-here", false, progress)))
        .contains("no program 'mvn-that-is-not-here' is on the path");
  }

  @Test
  void aDriverThatDoesNotCompileIsNamed() throws Exception {
    Files.writeString(sources.resolve("HBaseDriver.java"), "class HBaseDriver extends Nothing {}");
    assertThat(reason(find(copyJars(), true)))
        .startsWith("its driver does not compile: ")
        .contains("HBaseDriver.java:1");
  }

  @Test
  void withItsJarsItIsThereAndTheWorkloadsCompileForItsJava() throws Exception {
    Files.writeString(
        sources.resolve("HBaseDriver.java"),
        "class HBaseDriver { io.stele.bench.table.ycsb.Driver driver; }");

    Peer found = find(copyJars(), true);

    assertThat(found).as("%s", found).isInstanceOf(Peer.Present.class);
    Side side = ((Peer.Present) found).side();
    assertThat(side.version()).isEqualTo("9.9");
    assertThat(side.facts().toString()).contains("hbase.wal.hsync", "-Xmx4g");
    Path classes = checkout.resolve("bench/target/peers/hbase/classes");
    assertThat(classes.resolve("HBaseDriver.class")).exists();
    assertThat(classes.resolve("io/stele/bench/table/ycsb/Driver.class")).exists();
    assertThat(find(copyJars(), true)).isInstanceOf(Peer.Present.class);
    assertThat(Files.readAllLines(calls)).as("Maven is asked once").hasSize(1);
  }
}
