package io.stele.bench.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Progress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HBaseSideTest {
  @TempDir private Path temp;

  private final Progress progress = new Progress(new PrintWriter(new StringWriter()));

  @Test
  void theCheckoutIsFoundFromTheClasses() {
    assertThat(HBaseKit.checkout())
        .hasValueSatisfying(
            checkout -> assertThat(checkout.resolve("bench/peers/hbase/src")).isDirectory());
  }

  @Test
  void jarsThatCannotBeHadAreNamed() throws Exception {
    Path sources = Files.createDirectories(temp.resolve("bench/peers/hbase"));
    Files.writeString(
        sources.resolve("pom.xml"),
        """
        <project>
          <modelVersion>4.0.0</modelVersion>
          <groupId>none</groupId><artifactId>none</artifactId><version>1</version>
          <dependencies><dependency>
            <groupId>none</groupId><artifactId>nowhere</artifactId><version>1</version>
          </dependency></dependencies>
        </project>
        """);

    assertThat(HBaseSide.find(temp, true, progress))
        .isInstanceOfSatisfying(
            Peer.Absent.class,
            absent -> {
              assertThat(absent.name()).isEqualTo("HBase");
              assertThat(absent.reason())
                  .startsWith(
                      "its jars are not on this machine and --offline forbids to fetch them")
                  .contains("once 'mvn -f " + sources.resolve("pom.xml"));
            });
  }

  @Test
  void aDriverThatDoesNotCompileIsNamed() throws Exception {
    Path driver = Files.createDirectories(temp.resolve("bench/peers/hbase/src"));
    Files.writeString(temp.resolve("bench/peers/hbase/pom.xml"), "<project/>");
    Files.writeString(driver.resolve("HBaseDriver.java"), "class HBaseDriver extends Nothing {}");
    Files.createDirectories(temp.resolve("bench/src/main/java/io/stele/bench/table/ycsb"));
    Path lib = Files.createDirectories(temp.resolve("bench/target/peers/hbase/lib"));
    Files.createFile(lib.resolve("hbase-server-9.9.jar"));

    assertThat(HBaseSide.find(temp, true, progress))
        .isInstanceOfSatisfying(
            Peer.Absent.class,
            absent ->
                assertThat(absent.reason())
                    .startsWith("its driver does not compile: ")
                    .contains("HBaseDriver.java:1"));
  }

  @Test
  void withItsJarsItIsThereAndTheWorkloadsCompileForItsJava() throws Exception {
    Path driver = Files.createDirectories(temp.resolve("bench/peers/hbase/src"));
    Files.writeString(temp.resolve("bench/peers/hbase/pom.xml"), "<project/>");
    Files.writeString(
        driver.resolve("HBaseDriver.java"),
        "class HBaseDriver { io.stele.bench.table.ycsb.Driver driver; }");
    Path workloads = Path.of("src/main/java/io/stele/bench/table/ycsb");
    Path copies = Files.createDirectories(temp.resolve("bench").resolve(workloads));
    try (Stream<Path> files = Files.list(workloads)) {
      for (Path file : files.toList()) {
        Files.copy(file, copies.resolve(file.getFileName()));
      }
    }
    Path lib = Files.createDirectories(temp.resolve("bench/target/peers/hbase/lib"));
    Files.createFile(lib.resolve("hbase-server-9.9.jar"));
    Files.copy(
        Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI()),
        lib.resolve("jspecify.jar"));

    Peer found = HBaseSide.find(temp, true, progress);

    assertThat(found).as("%s", found).isInstanceOf(Peer.Present.class);
    Side side = ((Peer.Present) found).side();
    assertThat(side.version()).isEqualTo("9.9");
    assertThat(side.facts().toString()).contains("hbase.wal.hsync", "-Xmx4g");
    Path classes = temp.resolve("bench/target/peers/hbase/classes");
    assertThat(classes.resolve("HBaseDriver.class")).exists();
    assertThat(classes.resolve("io/stele/bench/table/ycsb/Driver.class")).exists();
  }
}
