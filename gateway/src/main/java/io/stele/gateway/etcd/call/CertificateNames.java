package io.stele.gateway.etcd.call;

import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Names of clients in the certificates with which they have connected. */
final class CertificateNames {
  /** Where a connection keeps the name, which is the same for all its calls. */
  private static final String KEPT = "stele.etcd.common-name";

  private CertificateNames() {}

  /** The common name; none if the client has shown no certificate that was checked. */
  static Optional<String> commonName(SSLSession session) {
    if (session.getValue(KEPT) instanceof String kept) {
      return Optional.of(kept).filter(name -> !name.isEmpty());
    }
    Optional<String> name = read(session);
    session.putValue(KEPT, name.orElse(""));
    return name;
  }

  private static Optional<String> read(SSLSession session) {
    try {
      return new LdapName(session.getPeerPrincipal().getName())
          .getRdns().stream()
              .filter(part -> part.getType().equalsIgnoreCase("CN"))
              .map(Rdn::getValue)
              .filter(String.class::isInstance)
              .map(String.class::cast)
              .filter(name -> !name.isEmpty())
              .findFirst();
    } catch (SSLPeerUnverifiedException | InvalidNameException e) {
      return Optional.empty();
    }
  }
}
