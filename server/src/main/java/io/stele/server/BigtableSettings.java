package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;

/** How Bigtable's clients reach a server that has tables. */
public record BigtableSettings(
    @About("Whether Bigtable's clients are served.") boolean enabled,
    @About(
            "The port for Bigtable's clients; 0 picks a free one. The usual one, 8086, is left to"
                + " whoever has it already.")
        int port) {

  /** That of the emulators. */
  public static final int USUAL_PORT = 8086;

  public static final BigtableSettings DEFAULTS = new BigtableSettings(true, USUAL_PORT);

  private static final int MAX_PORT = 65_535;

  public BigtableSettings {
    if (port < 0 || port > MAX_PORT) {
      throw new InvalidRequestException(
          "bigtable.port is " + port + ": must be from 1 to " + MAX_PORT + ", or 0 for a free one");
    }
  }
}
