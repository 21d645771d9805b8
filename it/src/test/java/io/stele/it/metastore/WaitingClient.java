package io.stele.it.metastore;

import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.Session;
import io.stele.it.Programs;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A client in a process of its own that can be paused: it opens a session, and when it is told to
 * go on it waits for a lock and prints whether it believes to hold it.
 */
final class WaitingClient implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;

  private WaitingClient(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts it, and waits until its session is open. */
  static WaitingClient start(List<String> endpoints, String lock, long timeToLiveMillis)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WaitingClient.class.getName(),
                lock,
                Long.toString(timeToLiveMillis)));
    command.addAll(endpoints);
    WaitingClient client =
        new WaitingClient(
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    String said = client.outcome();
    if (!said.equals("open")) {
      client.close();
      throw new AssertionError("the client said: " + said);
    }
    return client;
  }

  /** Has it ask for the lock. */
  void goOn() throws IOException {
    BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8);
    in.write("go on\n");
    in.flush();
  }

  void pause() {
    Programs.run("kill", "-STOP", Long.toString(process.pid()));
  }

  void resume() {
    Programs.run("kill", "-CONT", Long.toString(process.pid()));
  }

  /** The next thing it says. */
  String outcome() throws IOException {
    String line = out.readLine();
    return line == null ? "(nothing)" : line;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** The process. */
  public static void main(String[] arguments) throws IOException {
    List<String> all = List.of(arguments);
    PrintStream say = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader told =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Stele stele = Stele.builder().endpoints(all.subList(2, all.size())).connect()) {
      Session session =
          stele.metastore().openSession(Duration.ofMillis(Long.parseLong(all.get(1))));
      say.println("open");
      if (told.readLine() == null) {
        return;
      }
      try {
        HeldLock lock = session.lock(all.getFirst()).acquire(Duration.ofMinutes(2));
        say.println(lock.isHeld() ? "held" : "not held, by its own clock");
      } catch (SteleException e) {
        say.println("not held: " + e.getMessage());
      }
    }
  }
}
