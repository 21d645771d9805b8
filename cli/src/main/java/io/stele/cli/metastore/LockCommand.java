package io.stele.cli.metastore;

import io.stele.cli.DurationConverter;
import io.stele.cli.Json;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.LockRequest;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore lock}. */
@Command(
    name = "lock",
    description = {
      "Run a program while holding a lock, or hold the lock until stopped.",
      "",
      "The program finds the lock's fencing token, which grows with every grant, in"
          + " STELE_LOCK_TOKEN, and its session in STELE_SESSION; a transaction can demand that the"
          + " lock is still held ('if held KEY TOKEN'). If the session is lost the program is told"
          + " to end (SIGTERM; SIGKILL after 5 s). Its exit code is passed on. Exit code 4 says"
          + " that somebody else holds the lock."
    },
    customSynopsis = {
      "stele metastore lock [OPTIONS] KEY -- PROGRAM [ARGUMENT…]",
      "       stele metastore lock [OPTIONS] KEY"
    },
    footer = {
      "  stele metastore lock /jobs/nightly --wait 10s -- ./nightly.sh",
      "  stele metastore lock /data --shared -- sh -c 'echo reading under $STELE_LOCK_TOKEN'",
      "  stele metastore lock /maintenance"
    })
final class LockCommand extends ClientCommand {

  @Parameters(index = "0", paramLabel = "KEY", description = "An absolute path.")
  private String key = "";

  @Parameters(
      index = "1..*",
      paramLabel = "PROGRAM",
      description = "What to run, after --; without it the lock is held until Ctrl-C.")
  private List<String> program = List.of();

  @Option(names = "--shared", description = "Others may hold it shared at the same time.")
  private boolean shared;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "0s",
      converter = DurationConverter.class,
      description = "How long to wait in line for it (default: not at all).")
  private Duration wait = Duration.ZERO;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "After this long without contact the lock is lost (default: ${DEFAULT-VALUE}).")
  private Duration timeToLive = Duration.ofSeconds(10);

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description =
          "How long a lock that was lost stays closed to others (default: ${DEFAULT-VALUE}).")
  private Duration delay = Duration.ofSeconds(1);

  @Override
  void check() {
    KeyArgument.check(key);
  }

  @Override
  int run(MetastoreClient client) throws Exception {
    try (Session session = client.openSession(timeToLive)) {
      SessionHold hold = new SessionHold(session);
      LockRequest request = session.lock(key).delay(delay);
      try (HeldLock lock = (shared ? request.shared() : request.exclusive()).acquire(wait)) {
        if (program.isEmpty()) {
          announce(lock);
          return hold.untilStopped();
        }
        return hold.during(
            program,
            Map.of(
                "STELE_LOCK_TOKEN", Long.toString(lock.token()),
                "STELE_SESSION", Long.toString(session.id())));
      }
    }
  }

  private void announce(HeldLock lock) {
    if (wantsJson()) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("key", key);
      object.put("token", lock.token());
      object.put("session", lock.session().id());
      out().println(Json.writeLine(object));
    } else {
      out().println("holding " + key + ", token " + lock.token() + "; Ctrl-C releases it");
    }
    out().flush();
  }
}
