package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.Clock;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.gateway.etcd.EtcdOptions;
import io.stele.gateway.security.PortSecurity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How etcd's clients reach a server that has a part in a metastore. */
public record EtcdSettings(
    @About("Whether etcd's clients are served.") boolean enabled,
    @About(
            "The port for etcd's clients; 0 picks a free one. The usual one, 2379, is left to"
                + " whoever has it already.")
        int port,
    @About(
            "A file in PEM: the certificate by which etcd's clients know this server, where it is"
                + " not that of tls.certificate.")
        Optional<String> certificate,
    @About("A file in PEM: the key of the certificate.") Optional<String> key,
    @About("A file in PEM: whose certificates etcd's clients must have; they need none without.")
        Optional<String> clientAuthority,
    @About(
            "How often a watch that asked for it hears how far it is while nothing happens, as"
                + " etcd's --experimental-watch-progress-notify-interval.")
        Duration watchProgressInterval,
    @About("The largest put or transaction; a larger one is refused. At most 2 MiB.")
        ByteSize maxRequestBytes,
    @About("The most comparisons, and operations in each case, of a transaction.") int maxTxnOps,
    @About(
            "Origins of web pages that may use the JSON API, such as https://console.example.org;"
                + " * for all. Requests of other pages are refused.")
        List<String> origins,
    @About(
            "Host names by which JSON clients may call this server, as etcd's --host-whitelist; *"
                + " for all. Addresses and localhost are always allowed. Default: no other on"
                + " loopback, which keeps out web pages that rebind their name to it; all"
                + " otherwise. Requests that name another host are refused.")
        List<String> hosts,
    @About(
            "How long a request waits for a leader during an election before it fails with etcd's"
                + " \"request timed out\".")
        Duration requestTimeout,
    @About("The shortest time between two pings of a client; one that pings more is cut off.")
        Duration keepaliveMinTime,
    @About("After how much silence a client gets a ping.") Duration keepaliveInterval,
    @About("How long a client has to answer a ping before its connection is closed.")
        Duration keepaliveTimeout,
    @About("How long a new connection may say nothing before it is closed.")
        Duration handshakeTimeout,
    @About("How long a JSON connection may stay open without a request before it is closed.")
        Duration idleTimeout) {

  /** Where etcd's clients look without being told. */
  public static final int USUAL_PORT = 2379;

  public static final EtcdSettings DEFAULTS =
      new EtcdSettings(
          true,
          USUAL_PORT,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          EtcdOptions.DEFAULT.progressInterval(),
          EtcdOptions.DEFAULT.maxRequestBytes(),
          EtcdOptions.DEFAULT.maxOperations(),
          EtcdOptions.DEFAULT.origins(),
          EtcdOptions.DEFAULT.hosts(),
          EtcdOptions.DEFAULT.requestTimeout(),
          EtcdOptions.DEFAULT.keepaliveMinTime(),
          EtcdOptions.DEFAULT.keepaliveInterval(),
          EtcdOptions.DEFAULT.keepaliveTimeout(),
          EtcdOptions.DEFAULT.handshakeTimeout(),
          EtcdOptions.DEFAULT.idleTimeout());

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

  EtcdOptions options() {
    return new EtcdOptions(
        watchProgressInterval,
        maxRequestBytes,
        maxTxnOps,
        origins,
        hosts,
        requestTimeout,
        keepaliveMinTime,
        keepaliveInterval,
        keepaliveTimeout,
        handshakeTimeout,
        idleTimeout);
  }

  /**
   * How the port for etcd's clients is secured: by its own settings, or else as all ports are.
   *
   * @param server of all ports, where they are secured
   */
  Optional<PortSecurity> security(Optional<ServerSecurity> server, Clock clock, Events events) {
    if (certificate.isEmpty()) {
      return server.map(ServerSecurity::ports);
    }
    TlsFiles files =
        new TlsFiles(certificate.map(Path::of), key.map(Path::of), clientAuthority.map(Path::of));
    return Optional.of(
        new PortSecurity(
            Tls.open(files, clock, events::publish),
            clientAuthority.isPresent() ? ClientCertificates.REQUIRED : ClientCertificates.NONE,
            server.map(ServerSecurity::identities).orElse(Identities.DEFAULT)));
  }
}
