package io.stele.server.admin;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.util.List;
import java.util.Optional;

/** The admin port of a node. */
public record AdminSettings(
    @About("Whether there is an admin port: metrics, health, status, and what debugging needs.")
        boolean enabled,
    @About(
            "The address that the admin port listens on. Beyond this machine it speaks TLS where"
                + " tls.certificate is set, shows metrics, status and settings to all clients, and"
                + " takes no changes.")
        String listen,
    @About(
            "The port; 0 picks a free one. Where none is set: 7838 if server.port is 7835 and it is"
                + " free, else a free one.")
        Optional<Integer> port,
    @About(
            "Origins of web pages that may use the admin port, such as https://console.example.org;"
                + " * for all. Requests of other sites' pages are refused.")
        List<String> origins,
    @About(
            "Host names by which the admin port may be called; * for all. Addresses and localhost"
                + " are always allowed. Default: no other on loopback, all otherwise.")
        List<String> hosts) {

  public static final int USUAL_PORT = 7838;

  private static final int MAX_PORT = 65_535;

  public static final AdminSettings DEFAULTS =
      new AdminSettings(true, "127.0.0.1", Optional.empty(), List.of(), List.of());

  public AdminSettings {
    origins = List.copyOf(origins);
    hosts = List.copyOf(hosts);
    if (port.isPresent() && (port.get() < 0 || port.get() > MAX_PORT)) {
      throw new InvalidRequestException(
          "admin.port is %d: must be from 1 to %d, or 0 for a free one"
              .formatted(port.get(), MAX_PORT));
    }
    if (listen.isBlank()) {
      throw new InvalidRequestException(
          "admin.listen is empty: must be an address of this machine, such as 127.0.0.1");
    }
  }
}
