package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.gateway.etcd.EtcdTls;
import java.nio.file.Path;
import java.util.Optional;

/** How etcd's clients reach a server that has a part in a metastore. */
public record EtcdSettings(
    @About("Whether etcd's clients are served.") boolean enabled,
    @About(
            "The port for etcd's clients; 0 picks a free one. The usual one, 2379, is left to"
                + " whoever has it already.")
        int port,
    @About("A file in PEM: the certificate by which etcd's clients know this server, for TLS.")
        Optional<String> certificate,
    @About("A file in PEM: the key of the certificate.") Optional<String> key,
    @About("A file in PEM: whose certificates etcd's clients must have; they need none without.")
        Optional<String> clientAuthority) {

  /** Where etcd's clients look without being told. */
  public static final int USUAL_PORT = 2379;

  public static final EtcdSettings DEFAULTS =
      new EtcdSettings(true, USUAL_PORT, Optional.empty(), Optional.empty(), Optional.empty());

  private static final int MAX_PORT = 65_535;

  public EtcdSettings {
    if (certificate.isPresent() != key.isPresent()) {
      throw new InvalidRequestException(
          "etcd.certificate is "
              + certificate.orElse("not set")
              + " and etcd.key is "
              + key.orElse("not set")
              + ": set both for TLS, or neither");
    }
    if (clientAuthority.isPresent() && certificate.isEmpty()) {
      throw new InvalidRequestException(
          "etcd.client-authority is "
              + clientAuthority.get()
              + " without TLS: set etcd.certificate and etcd.key too");
    }
    if (port < 0 || port > MAX_PORT) {
      throw new InvalidRequestException(
          "etcd.port is " + port + ": must be from 1 to " + MAX_PORT + ", or 0 for a free one");
    }
  }

  Optional<EtcdTls> tls() {
    return certificate.map(
        file ->
            new EtcdTls(Path.of(file), Path.of(key.orElseThrow()), clientAuthority.map(Path::of)));
  }
}
