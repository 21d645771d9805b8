package io.stele.it.metastore;

import io.stele.base.error.SteleException;
import io.stele.base.process.ChildProcess;
import io.stele.base.process.SteleProgram;
import io.stele.client.Stele;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.Session;
import io.stele.it.process.Servers;
import io.stele.it.process.SteleCluster;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client in a process of its own that can be paused: it opens a session, waits for a lock and
 * prints whether it believes to hold it.
 */
final class WaitingClient extends ChildProcess {
  private static final String OUTCOME = "outcome: ";

  /** Not started yet. */
  WaitingClient(SteleCluster cluster, String lock, Duration timeToLive) {
    super(
        "a client that waits for " + lock,
        SteleProgram.java(
            Servers.options("64m"),
            Stream.concat(
                    Stream.of(
                        WaitingClient.class.getName(), lock, Long.toString(timeToLive.toMillis())),
                    cluster.endpoints().stream())
                .toArray(String[]::new)),
        cluster.logs().resolve("waiting-client.log"));
  }

  /** What it came to believe. */
  String outcome() {
    awaitReady(() -> log().contains(OUTCOME), SteleCluster.RECOVERY);
    return log().substring(log().indexOf(OUTCOME) + OUTCOME.length());
  }

  /** The process, which goes on until it is killed. */
  public static void main(String[] arguments) throws InterruptedException {
    List<String> all = List.of(arguments);
    PrintStream say = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (Stele stele = Stele.builder().endpoints(all.subList(2, all.size())).connect()) {
      Session session =
          stele.metastore().openSession(Duration.ofMillis(Long.parseLong(all.get(1))));
      try {
        HeldLock lock = session.lock(all.getFirst()).acquire(Duration.ofMinutes(2));
        say.println(OUTCOME + (lock.isHeld() ? "held" : "not held, by its own clock"));
      } catch (SteleException e) {
        say.println(OUTCOME + "not held: " + e.getMessage());
      }
      Thread.currentThread().join();
    }
  }
}
