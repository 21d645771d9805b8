package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;

/** How etcd's clients reach a server that has a part in a metastore. */
public record EtcdSettings(
    @About("Whether etcd's clients are served.") boolean enabled,
    @About(
            "The port for etcd's clients; 0 picks a free one. The usual one, 2379, is left to"
                + " whoever has it already.")
        int port) {

  /** Where etcd's clients look without being told. */
  public static final int USUAL_PORT = 2379;

  public static final EtcdSettings DEFAULTS = new EtcdSettings(true, USUAL_PORT);

  private static final int MAX_PORT = 65_535;

  public EtcdSettings {
    if (port < 0 || port > MAX_PORT) {
      throw new InvalidRequestException(
          "etcd.port is " + port + ": must be from 1 to " + MAX_PORT + ", or 0 for a free one");
    }
  }
}
