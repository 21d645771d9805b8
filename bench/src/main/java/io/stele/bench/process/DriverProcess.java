package io.stele.bench.process;

import io.stele.base.error.UnavailableException;
import io.stele.bench.driver.Sample;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a side, as a process that takes requests a line at a time (see {@link
 * io.stele.bench.driver.Driver}). It ends with this one: at the latest when it finds its input at
 * its end.
 */
public final class DriverProcess implements AutoCloseable {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
  private static final int QUOTED_LINES = 8;
  private static final String END = "";

  private final String name;
  private final Process process;
  private final Path log;
  private final Writer requests;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private DriverProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.requests = process.outputWriter();
    Thread.ofVirtual().name("bench-driver").start(this::read);
  }

  /** Starts one; its standard errors go to a file. */
  public static DriverProcess start(String name, List<String> command, Path log)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new DriverProcess(name, builder.start(), log);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // Its end, of which the one who waits hears by what follows.
    }
    answers.add(END);
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Asks and waits for the answer.
   *
   * @throws UnavailableException if it ended, or did not answer in time
   * @throws IllegalStateException if it answered that it went wrong
   */
  public Sample ask(String request, Duration patience) throws InterruptedException {
    try {
      requests.write(request + "\n");
      requests.flush();
    } catch (IOException e) {
      throw new UnavailableException(said(request, "has ended"), e);
    }
    @Nullable String answer = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (answer == null || answer.equals(END)) {
      throw new UnavailableException(
          said(request, answer == null ? "did not answer within " + patience : "has ended"));
    }
    try {
      return Sample.parse(answer);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "%s, asked to '%s': %s".formatted(name, request, e.getMessage()), e);
    }
  }

  private String said(String request, String what) {
    return "%s %s, asked to '%s'; the end of what it said:%n%s"
        .formatted(name, what, request, lastWords());
  }

  private String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size()).stream()
          .map("  "::concat)
          .collect(Collectors.joining(System.lineSeparator()));
    } catch (IOException e) {
      return "  (its log cannot be read: " + e.getMessage() + ")";
    }
  }

  @Override
  public void close() throws InterruptedException {
    try {
      requests.close();
    } catch (IOException e) {
      // It has ended already.
    }
    if (!process.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
