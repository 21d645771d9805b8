package io.stele.cli.metastore;

import io.stele.cli.DurationConverter;
import io.stele.cli.Json;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore session}. */
@Command(
    name = "session",
    description = {
      "Keep a session alive while a program runs, or until stopped.",
      "",
      "Keys put with a session (put --session) are deleted when it ends. The program finds its"
          + " number in STELE_SESSION. If the session is lost the program is told to end (SIGTERM;"
          + " SIGKILL after 5 s). Its exit code is passed on."
    },
    customSynopsis = {
      "stele metastore session [OPTIONS] -- PROGRAM [ARGUMENT…]",
      "       stele metastore session [OPTIONS]"
    },
    footer = {
      "  stele metastore session -- sh -c \\",
      "    'stele metastore put /up/web1 10.0.0.7:80 --session $STELE_SESSION && ./web'",
      "  stele metastore session --ttl 30s"
    })
final class SessionCommand extends ClientCommand {

  @Parameters(
      paramLabel = "PROGRAM",
      arity = "0..*",
      description = "What to run, after --; without it the session is kept until Ctrl-C.")
  private List<String> program = List.of();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "After this long without contact it is lost (default: ${DEFAULT-VALUE}).")
  private Duration timeToLive = Duration.ofSeconds(10);

  @Override
  int run(MetastoreClient client) throws Exception {
    try (Session session = client.openSession(timeToLive)) {
      SessionHold hold = new SessionHold(session);
      if (!program.isEmpty()) {
        return hold.during(program, Map.of("STELE_SESSION", Long.toString(session.id())));
      }
      out()
          .println(
              wantsJson()
                  ? Json.writeLine(Map.of("session", session.id()))
                  : "session " + session.id() + "; Ctrl-C ends it");
      out().flush();
      return hold.untilStopped();
    }
  }
}
