package io.stele.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which every command that works on a store is told on which; a mixin. */
public final class ConnectionOptions {
  @Option(
      names = "--endpoints",
      paramLabel = "HOST:PORT",
      order = 100,
      description =
          "The servers, with commas between (default: $STELE_ENDPOINTS, else 127.0.0.1:7835).")
  private @Nullable String endpoints;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      order = 101,
      description = "Work on a data directory, within this process, instead of asking servers.")
  private @Nullable Path data;

  @Option(
      names = "--principal",
      paramLabel = "NAME",
      order = 102,
      description =
          "On whose behalf to ask, for rights on directories. Servers with TLS know it by the"
              + " certificate.")
  private @Nullable String principal;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      order = 103,
      converter = DurationConverter.class,
      description = "How long to try (default: 10s).")
  private @Nullable Duration timeout;

  @Option(
      names = "--authority",
      paramLabel = "FILE",
      order = 104,
      description =
          "Speak TLS with servers whose certificates this authority has signed (PEM; default:"
              + " $STELE_AUTHORITY).")
  private @Nullable Path authority;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      order = 105,
      description =
          "Speak TLS, and prove by this certificate who you are (PEM; default:"
              + " $STELE_CERTIFICATE).")
  private @Nullable Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      order = 106,
      description = "The key of the certificate (PEM; default: $STELE_KEY).")
  private @Nullable Path key;

  public Connector.Request request(List<String> otherwise) {
    return new Connector.Request(
        Optional.ofNullable(endpoints),
        Optional.ofNullable(data),
        Optional.ofNullable(principal),
        Optional.ofNullable(timeout),
        new TlsOptions(
            Optional.ofNullable(authority),
            Optional.ofNullable(certificate),
            Optional.ofNullable(key)),
        otherwise);
  }
}
