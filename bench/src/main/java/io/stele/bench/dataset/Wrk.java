package io.stele.bench.dataset;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.stele.bench.driver.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The program {@code wrk}: one thread that keeps some connections busy with requests for random
 * keys.
 *
 * @param program where it is
 */
record Wrk(Path program) {
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern TOTAL = Pattern.compile("(\\d+) requests in ([0-9.]+)(us|ms|s|m|h)");
  private static final Pattern PERCENTILE =
      Pattern.compile("(?m)^\\s+(50|99)%\\s+([0-9.]+)(us|ms|s|m|h)$");
  private static final Pattern FAILED =
      Pattern.compile("(Non-2xx or 3xx responses: \\d+|Socket errors: .*)");
  private static final long PATIENCE_SECONDS = 60;

  /** Where it is installed, if it is. */
  static Optional<Wrk> find() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      Path program = Path.of(folder, "wrk");
      if (!folder.isEmpty() && Files.isExecutable(program)) {
        return Optional.of(new Wrk(program));
      }
    }
    return Optional.empty();
  }

  /**
   * Measures.
   *
   * @param directory for its script
   */
  Sample run(Path directory, String address, int connections, int records, Duration length)
      throws IOException, InterruptedException {
    Path script = directory.resolve("keys.lua");
    Files.writeString(script, script(records));
    long seconds = Math.max(1, Math.round(length.toNanos() / 1e9));
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--threads=1",
                "--connections=" + connections,
                "--duration=" + seconds + "s",
                "--timeout=10s",
                "--latency",
                "--script=" + script,
                "http://" + address + "/")
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, SECONDS) || process.exitValue() != 0) {
        throw new IOException("wrk failed: " + said.strip());
      }
      return read(said);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String script(int records) {
    return """
    init = function(args)
      math.randomseed(os.time())
    end
    request = function()
      return wrk.format("GET", string.format("/%s/%s", math.random(0, %d)))
    end
    """
        .formatted(BenchRecords.DATASET, BenchRecords.KEY_FORMAT, records - 1);
  }

  /** Takes the figures out of what it prints. */
  static Sample read(String said) throws IOException {
    Matcher failed = FAILED.matcher(said);
    if (failed.find()) {
      throw new IOException("not all requests were answered: " + failed.group(1));
    }
    Matcher rate = RATE.matcher(said);
    Matcher total = TOTAL.matcher(said);
    double p50 = 0;
    double p99 = 0;
    Matcher percentiles = PERCENTILE.matcher(said);
    while (percentiles.find()) {
      double micros = micros(percentiles.group(2), percentiles.group(3));
      if (percentiles.group(1).equals("50")) {
        p50 = micros;
      } else {
        p99 = micros;
      }
    }
    if (!rate.find() || !total.find() || p50 == 0 || p99 == 0) {
      throw new IOException("wrk said something else than expected: " + said.strip());
    }
    long requests = Long.parseLong(total.group(1));
    return new Sample(requests, requests / Double.parseDouble(rate.group(1)), p50, p99);
  }

  private static double micros(String number, String unit) {
    double value = Double.parseDouble(number);
    return switch (unit) {
      case "us" -> value;
      case "ms" -> value * 1e3;
      case "s" -> value * 1e6;
      case "m" -> value * 60e6;
      default -> value * 3_600e6;
    };
  }
}
