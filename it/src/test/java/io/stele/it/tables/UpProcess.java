package io.stele.it.tables;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code stele up} as a process of its own. Closing it kills the process if it still runs. */
final class UpProcess implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("stele.root")).toAbsolutePath();
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Pattern NATIVE = Pattern.compile("\"native\": \"([^\"]+)\"");

  private final Process process;
  private final Path addresses;
  private final Path log;

  private UpProcess(Process process, Path addresses, Path log) {
    this.process = process;
    this.addresses = addresses;
    this.log = log;
  }

  /** Starts one on free ports and waits until it is ready. */
  static UpProcess start(Path data) throws IOException {
    Path addresses = data.resolve("addresses.json");
    Files.deleteIfExists(addresses); // of one that was killed
    Path log = Files.createTempFile("stele-up", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    ROOT.resolve("stele").toString(),
                    "up",
                    "--data",
                    data.toString(),
                    "--ports",
                    "auto"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("STELE_"));
    builder.environment().put("STELE_BUILD", "never");
    builder.environment().put("STELE_JAVA_OPTS", "-Xmx384m");
    UpProcess up = new UpProcess(builder.start(), addresses, log);
    try {
      await("addresses.json of a server that is ready")
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Files.exists(addresses) || !up.process.isAlive());
    } catch (RuntimeException e) {
      String said = Files.readString(log);
      up.close();
      throw new AssertionError("it is not ready; it said: " + said, e);
    }
    if (!up.process.isAlive()) {
      String said = Files.readString(log);
      up.close();
      throw new AssertionError("it ended at once; it said: " + said);
    }
    return up;
  }

  String address() throws IOException {
    String text = Files.readString(addresses);
    Matcher matcher = NATIVE.matcher(text);
    if (!matcher.find()) {
      throw new AssertionError("no native address in " + text);
    }
    return matcher.group(1);
  }

  /** Ends it as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("it outlives kill -9");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
