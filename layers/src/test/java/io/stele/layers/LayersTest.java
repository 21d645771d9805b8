package io.stele.layers;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The layers of Stele, as rules over its compiled classes. A rule fails too when it finds no class
 * to check, so a module or package cannot drop out of it unseen.
 */
class LayersTest {

  private static final String[] JDK = {
    "java..", "jdk..", "javax.naming..", "javax.net..", "javax.security.."
  };

  /** What compilers check, and nobody needs when the program runs. */
  private static final String[] ANNOTATIONS = {
    "org.jspecify.annotations..", "com.google.errorprone.annotations.."
  };

  /** A test for each rule that is a field of this class. */
  @TestFactory
  Stream<DynamicTest> rules() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // Generated, as large as all the rest, and nothing of ours to judge.
            .withImportOption(place -> !place.contains("/io/stele/protocol/v1/"))
            .importPackages("io.stele");
    return Arrays.stream(LayersTest.class.getDeclaredFields())
        .filter(field -> field.getType().equals(ArchRule.class))
        .map(
            field ->
                DynamicTest.dynamicTest(
                    field.getName(), () -> ((ArchRule) field.get(null)).check(classes)));
  }

  static final ArchRule baseStandsOnTheJdkAlone =
      classes()
          .that(are(in("base")))
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(allowed("io.stele.base..")))
          .because("whatever base depends on, every user of any part of Stele depends on");

  static final ArchRule engineStandsOnBaseCodecsAndCache =
      classes()
          .that(are(in("engine")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed(
                      "io.stele.base..",
                      "io.stele.engine..",
                      "com.github.benmanes.caffeine..",
                      "com.github.luben.zstd..",
                      "net.jpountz..",
                      "org.xerial.snappy..")))
          .because("the engine is a library of its own, which an application embeds");

  static final ArchRule cliStandsBesideTheEngine =
      classes()
          .that(are(in("cli")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed(
                      "io.stele.base..",
                      "io.stele.certs..",
                      "io.stele.client..",
                      "io.stele.cli..",
                      "picocli..",
                      "org.jline..")))
          .because("the command line speaks to a store as any client does; modules add to it");

  static final ArchRule certsStandOnBase =
      classes()
          .that(are(in("certs")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed("io.stele.base..", "io.stele.certs..", "org.bouncycastle..")))
          .because("it makes files, and knows nothing of those who use them");

  static final ArchRule onlyCertsSeeBouncyCastle =
      noClasses()
          .that(are(outside("certs")))
          .should()
          .dependOnClassesThat(resideInAPackage("org.bouncycastle.."))
          .because("servers and clients secure connections by the JDK alone");

  static final ArchRule onlyTheShellSeesTheLineEditor =
      noClasses()
          .that(are(outside("cli.shell")))
          .should()
          .dependOnClassesThat(resideInAPackage("org.jline.."))
          .because("commands run as well without a terminal, and start faster");

  static final ArchRule metastoreStandsOnTheEngineAndRatis =
      classes()
          .that(are(in("metastore")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed(
                      "io.stele.base..",
                      "io.stele.engine..",
                      "io.stele.metastore..",
                      "org.apache.ratis..")))
          .because("a service knows neither the protocols in front of it nor the other services");

  static final ArchRule tablesStandOnTheEngine =
      classes()
          .that(are(in("tables")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed("io.stele.base..", "io.stele.engine..", "io.stele.tables..")))
          .because("a service knows neither the protocols in front of it nor the other services");

  static final ArchRule replicasStandOnTheEngine =
      classes()
          .that(are(in("replicas")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed("io.stele.base..", "io.stele.engine..", "io.stele.replicas..")))
          .because("a service knows neither the protocols in front of it nor the other services");

  static final ArchRule datasetsStandOnBaseAndSparkey =
      classes()
          .that(are(in("datasets")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed("io.stele.base..", "io.stele.datasets..", "com.spotify.sparkey..")))
          .because("a service knows neither the protocols in front of it nor the other services");

  static final ArchRule onlyShardsSeeSparkey =
      noClasses()
          .that(are(outside("datasets.shard", "bench")))
          .should()
          .dependOnClassesThat(resideInAPackage("com.spotify.sparkey.."))
          .because("what shards are stored in is behind one class, so that it can be replaced");

  static final ArchRule onlyTheReplicatedLogSeesRatis =
      noClasses()
          .that(are(outside("metastore.raft")))
          .should()
          .dependOnClassesThat(resideInAPackage("org.apache.ratis.."))
          .because("the log is behind one narrow interface, so that it can be replaced");

  static final ArchRule clientStandsOnTheProtocol =
      classes()
          .that(are(in("client")))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  allowed(
                      "io.stele.base..",
                      "io.stele.protocol..",
                      "io.stele.client..",
                      "io.grpc..",
                      "io.netty..",
                      "com.google.protobuf..",
                      "com.google.common..")))
          .because("applications take the client into their class path, and no server with it");

  static final ArchRule protocolTypesStopAtTheGatewayAndTheClient =
      noClasses()
          .that(are(outside("protocol", "gateway", "client", "bench")))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.grpc..", "io.netty..", "com.google.protobuf..", "io.stele.protocol.."))
          .because(
              "what is sent over a wire changes with the wire, not with what it is about; the"
                  + " benchmark speaks to a peer in the peer's own protocol");

  static final ArchRule gatewaysStandOnTheServices =
      noClasses()
          .that(are(in("gateway")))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.stele.client..", "io.stele.server..", "io.stele.cli.."))
          .because("a gateway puts a protocol in front of a service and is wired by the server");

  static final ArchRule nothingStandsOnTheServer =
      noClasses()
          .that(are(outside("server")))
          .should()
          .dependOnClassesThat(resideInAPackage("io.stele.server.."))
          .because("the server is the only place that wires");

  static final ArchRule onlyHadoopSeesHadoop =
      noClasses()
          .that(are(outside("hadoop")))
          .should()
          .dependOnClassesThat(resideInAnyPackage("org.apache.hadoop..", "io.stele.hadoop.."))
          .because("Hadoop's class path must not reach those who store their files elsewhere");

  static final ArchRule nothingStandsOnBench =
      noClasses()
          .that(are(outside("bench")))
          .should()
          .dependOnClassesThat(resideInAnyPackage("io.stele.bench..", "org.rocksdb.."))
          .because("peers are measured against, never built upon");

  static final ArchRule nothingShipsItsTests =
      noClasses()
          .that(are(outside("testkit", "bench")))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.stele.testkit..", "org.junit..", "org.assertj..", "org.awaitility.."))
          .because("fakes and contract suites are for tests and benchmarks, which ship to nobody");

  static final ArchRule packagesHaveNoCycles =
      slices()
          .matching("io.stele.(*).(*)..")
          .should()
          .beFreeOfCycles()
          .because("a package that can be read on its own can be changed on its own");

  static final ArchRule timeComesFromOutside =
      noClasses()
          .that(are(outside("base.time", "cli", "bench", "testkit")))
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .because("a test drives the clock; a Clock is handed in where time matters");

  static final ArchRule chanceComesFromOutside =
      noClasses()
          .that(are(outside("base.time", "bench", "testkit")))
          .should()
          .callConstructor(Random.class)
          .orShould()
          .callMethod(Math.class, "random")
          .orShould()
          .callMethod(UUID.class, "randomUUID")
          .orShould()
          .callMethod(ThreadLocalRandom.class, "current")
          .because("a failed run must be playable again from its seed");

  static final ArchRule storesReachFilesThroughTheFileStore =
      noClasses()
          .that(are(inAnyOf("engine", "metastore")))
          .and()
          .haveSimpleNameNotStartingWith("Ratis") // which keeps files of its own
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "open files by themselves",
                  type ->
                      type.isEquivalentTo(File.class)
                          || type.isEquivalentTo(Files.class)
                          || type.isEquivalentTo(FileChannel.class)
                          || type.isEquivalentTo(FileInputStream.class)
                          || type.isEquivalentTo(FileOutputStream.class)
                          || type.isEquivalentTo(RandomAccessFile.class)))
          .because("the same engine runs on local disks, Hadoop file systems and a faulty fake");

  static final ArchRule nobodyLogsBehindTheEvents =
      noClasses()
          .that(are(outside("cli", "bench", "testkit")))
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err")
          .because("log lines, metrics and the console all subscribe to the same events");

  static final ArchRule onlyTheServerSetsUpTheLog =
      noClasses()
          .that(are(outside("server", "bench", "testkit")))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("org.slf4j..", "ch.qos.logback..", "java.util.logging.."))
          .because("the rest tells what happens by events; the server writes them to its log");

  static final ArchRule onlyMetricsSeeTheirLibraries =
      noClasses()
          .that(are(outside("server.metrics")))
          .should()
          .dependOnClassesThat(resideInAnyPackage("io.micrometer..", "io.prometheus.."))
          .because(
              "what counts while it works counts by base.metric; the libraries show the numbers");

  static final ArchRule packagesAreNullMarked =
      classes()
          .that(are(outside("protocol")))
          .should(resideInANullMarkedPackage())
          .because("NullAway checks only what is marked; the protocol's classes are generated");

  static final ArchRule workloadsStandOnTheJdkAlone =
      classes()
          .that(are(in("bench.driver")))
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(allowed("io.stele.bench.driver..")))
          .because("they are compiled again for the class path of a peer's client");

  private static DescribedPredicate<JavaClass> in(String module) {
    return resideInAPackage("io.stele." + module + "..");
  }

  private static DescribedPredicate<JavaClass> inAnyOf(String... modules) {
    return resideInAnyPackage(
        Arrays.stream(modules).map("io.stele.%s.."::formatted).toArray(String[]::new));
  }

  private static DescribedPredicate<JavaClass> outside(String... modules) {
    return DescribedPredicate.not(inAnyOf(modules));
  }

  private static String[] allowed(String... packages) {
    return Stream.of(JDK, ANNOTATIONS, packages).flatMap(Arrays::stream).toArray(String[]::new);
  }

  private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
    return new ArchCondition<>("reside in a package that is @NullMarked") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        JavaPackage home = type.getPackage();
        boolean marked =
            home.tryGetPackageInfo()
                .map(info -> info.isAnnotatedWith(NullMarked.class))
                .orElse(false);
        events.add(
            new SimpleConditionEvent(
                type, marked, type.getName() + " is in " + home.getName() + ", not @NullMarked"));
      }
    };
  }
}
