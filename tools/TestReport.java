import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Says what the tests of a build proved: it reads every report below the current directory.
 *
 * <p>{@code skips} lists the tests that were skipped, with their reasons, and fails where {@code
 * CI=true}; the build runs this at its end. {@code counts} prints seconds by module, the slowest
 * classes, the same list, and as its last line the sums. {@code long FILE} prints what the long
 * suites did and writes it to a file.
 */
final class TestReport {
  private static final int SLOWEST = 20;

  /** A class of tests. */
  private record Suite(String module, String name, double seconds, int tests, int failed) {}

  private record Skipped(String test, String reason) {}

  private final List<Suite> suites = new ArrayList<>();
  private final List<Skipped> skipped = new ArrayList<>();

  public static void main(String[] args) throws IOException, XMLStreamException {
    String what = args.length > 0 ? args[0] : "";
    TestReport report = new TestReport();
    report.readAll();
    switch (what) {
      case "skips" -> report.printSkips();
      case "counts" -> report.printCounts();
      case "long" -> printLongRun(Path.of(args[1]));
      default -> {
        System.err.println("'" + what + "' is none of skips, counts and long FILE");
        System.exit(2);
      }
    }
    if (!report.skipped.isEmpty() && "true".equals(System.getenv("CI"))) {
      System.err.println(report.skipped.size() + " tests were skipped: CI allows none");
      System.exit(1);
    }
  }

  // ---- reading

  private void readAll() throws IOException, XMLStreamException {
    List<Path> files = new ArrayList<>();
    for (Path module : folders(Path.of("."))) {
      for (String kind : List.of("surefire-reports", "failsafe-reports")) {
        Path reports = module.resolve("target").resolve(kind);
        if (Files.isDirectory(reports)) {
          try (Stream<Path> all = Files.list(reports)) {
            all.filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
                .sorted()
                .forEach(files::add);
          }
        }
      }
    }
    for (Path file : files) {
      read(file);
    }
  }

  private static List<Path> folders(Path root) throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  private void read(Path file) throws IOException, XMLStreamException {
    String module = file.getName(file.getNameCount() - 4).toString();
    String test = "";
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = XMLInputFactory.newInstance().createXMLStreamReader(in);
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "testsuite" ->
              suites.add(
                  new Suite(
                      module,
                      xml.getAttributeValue(null, "name"),
                      Double.parseDouble(xml.getAttributeValue(null, "time").replace(",", "")),
                      count(xml, "tests"),
                      count(xml, "failures") + count(xml, "errors")));
          case "testcase" ->
              test =
                  xml.getAttributeValue(null, "classname")
                      + "."
                      + xml.getAttributeValue(null, "name");
          case "skipped" -> {
            String reason = xml.getAttributeValue(null, "message");
            skipped.add(new Skipped(test, reason == null ? "no reason given" : reason));
          }
          default -> {
            // Output and failures, which Maven has printed.
          }
        }
      }
    }
  }

  private static int count(XMLStreamReader xml, String attribute) {
    String text = xml.getAttributeValue(null, attribute);
    return text == null ? 0 : Integer.parseInt(text);
  }

  // ---- printing

  private void printSkips() {
    for (Skipped each : skipped) {
      System.out.println("not run: " + each.test() + ": " + each.reason());
    }
  }

  private void printCounts() {
    Map<String, double[]> modules = new TreeMap<>(); // tests, seconds
    for (Suite suite : suites) {
      double[] sums = modules.computeIfAbsent(suite.module(), module -> new double[2]);
      sums[0] += suite.tests();
      sums[1] += suite.seconds();
    }
    System.out.println("module            tests   seconds, added up over its JVMs");
    modules.forEach(
        (module, sums) ->
            System.out.printf(Locale.ROOT, "%-16s %6.0f %9.1f%n", module, sums[0], sums[1]));
    System.out.println("the slowest classes");
    suites.stream()
        .sorted(Comparator.comparingDouble(Suite::seconds).reversed())
        .limit(SLOWEST)
        .forEach(
            suite ->
                System.out.printf(
                    Locale.ROOT,
                    "%9.1f s %4d tests  %s%n",
                    suite.seconds(),
                    suite.tests(),
                    suite.name()));
    printSkips();
    int tests = suites.stream().mapToInt(Suite::tests).sum();
    int failed = suites.stream().mapToInt(Suite::failed).sum();
    System.out.printf(
        "%d passed, %d failed, %d skipped%n",
        tests - failed - skipped.size(), failed, skipped.size());
  }

  /** What {@code io.stele.testkit.run.LongRun} left behind, as a table. */
  private static void printLongRun(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("The last run of mvn verify -Plong");
    lines.add("");
    lines.add("date        " + Instant.now().truncatedTo(ChronoUnit.SECONDS));
    lines.add(
        "machine     %d processors, %s %s, Java %s"
            .formatted(
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                System.getProperty("java.version")));
    lines.add("");
    String row = "%-44s %20s %8s %11s %7s %11s %16s";
    lines.add(
        row.formatted(
            "suite", "seed", "seconds", "operations", "faults", "violations", "longest gap, ms"));
    for (Path module : folders(Path.of("."))) {
      Path outcomes = module.resolve("target/long-run.tsv");
      if (Files.exists(outcomes)) {
        for (String outcome : Files.readAllLines(outcomes)) {
          lines.add(row.formatted((Object[]) outcome.split("\t", -1)));
        }
        Files.delete(outcomes); // the next run records its own
      }
    }
    lines.forEach(System.out::println);
    Files.write(file, lines);
  }
}
