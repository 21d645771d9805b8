package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.settings.About;
import io.stele.base.time.Clock;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;

/** How a server secures all its ports, and proves who it is to other servers. */
public record TlsSettings(
    @About(
            "A file in PEM: this server's certificate, followed by those that lead to its"
                + " authority. With it, all ports speak TLS. Read again when it changes.")
        Optional<String> certificate,
    @About("A file in PEM: the key of the certificate, without a password.") Optional<String> key,
    @About(
            "A file in PEM: the authorities whose certificates other servers and clients must"
                + " have.")
        Optional<String> authority,
    @About(
            "Whether clients must show a certificate: required, or optional, where those without"
                + " one are anonymous. Other servers always must.")
        ClientCertificates clients,
    @About("The organization (O) in the subject of certificates of servers, and of no others.")
        String nodeOrganization) {

  public static final TlsSettings DEFAULTS =
      new TlsSettings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          ClientCertificates.REQUIRED,
          Identities.DEFAULT.nodeOrganization());

  public TlsSettings {
    boolean any = certificate.isPresent() || key.isPresent() || authority.isPresent();
    boolean all = certificate.isPresent() && key.isPresent() && authority.isPresent();
    if (any && !all) {
      throw new InvalidRequestException(
          "tls.certificate is %s, tls.key is %s and tls.authority is %s: set all three, or none"
              .formatted(
                  certificate.orElse("not set"),
                  key.orElse("not set"),
                  authority.orElse("not set")));
    }
    if (clients == ClientCertificates.NONE) {
      throw new InvalidRequestException(
          "tls.clients is none: must be required or optional, as other servers come by the same"
              + " port and must show a certificate");
    }
    var _ = new Identities(nodeOrganization); // refuses what cannot be
  }

  /** How this server is secured; nothing without a certificate. */
  Optional<ServerSecurity> open(Clock clock, Events events) {
    if (certificate.isEmpty()) {
      return Optional.empty();
    }
    Identities identities = new Identities(nodeOrganization);
    Tls tls =
        Tls.open(
            TlsFiles.of(
                Path.of(certificate.get()),
                Path.of(key.orElseThrow()),
                Path.of(authority.orElseThrow())),
            clock,
            events::publish);
    Identity self = tls.self(identities);
    if (!(self instanceof Identity.Node)) {
      throw new InvalidRequestException(
          "tls.certificate %s is that of %s: must be a node's, with the organization (O) %s in its subject, as `stele cluster certs node` makes it"
              .formatted(certificate.get(), self.describe(), nodeOrganization));
    }
    return Optional.of(new ServerSecurity(tls, identities, clients));
  }
}
