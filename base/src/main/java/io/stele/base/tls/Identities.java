package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Tells from a certificate who somebody is. The subject says it:
 *
 * <pre>
 *   O=stele-nodes, CN=NAME    a node
 *   CN=NAME                   a user
 * </pre>
 *
 * @param nodeOrganization the organization (O) in the subject of nodes, and of nobody else
 */
public record Identities(String nodeOrganization) {
  /** With the organization that {@code stele cluster certs} writes. */
  public static final Identities DEFAULT = new Identities("stele-nodes");

  /** Where a connection keeps who is at its other end. */
  private static final String KEPT = "stele.identity";

  /** What is kept: with another rule the answer may be another one. */
  private record Known(Identities by, Identity identity) {}

  public Identities {
    if (nodeOrganization.isBlank()) {
      throw new InvalidRequestException(
          "the organization of nodes is empty: must be what only nodes' certificates have, such as"
              + " stele-nodes");
    }
  }

  /** Of the other end of a connection whose certificate, if there is one, has been checked. */
  public Identity of(SSLSession session) {
    if (session.getValue(KEPT) instanceof Known(Identities by, Identity identity)
        && by.equals(this)) {
      return identity;
    }
    Identity found = read(session);
    session.putValue(KEPT, new Known(this, found));
    return found;
  }

  private Identity read(SSLSession session) {
    try {
      return session.getPeerCertificates()[0] instanceof X509Certificate certificate
          ? of(certificate)
          : new Identity.Anonymous();
    } catch (SSLPeerUnverifiedException e) {
      return new Identity.Anonymous();
    }
  }

  /** Of a certificate that has been checked, or is one's own. */
  public Identity of(X509Certificate certificate) {
    LdapName subject = subject(certificate);
    Optional<String> name = commonName(subject);
    boolean node =
        subject.getRdns().stream()
            .anyMatch(part -> isA(part, "O") && nodeOrganization.equals(part.getValue()));
    return node
        ? new Identity.Node(name.orElse(""))
        : name.<Identity>map(Identity.User::new).orElse(new Identity.Anonymous());
  }

  /** The name in a certificate. */
  public static Optional<String> commonName(X509Certificate certificate) {
    return commonName(subject(certificate));
  }

  private static LdapName subject(X509Certificate certificate) {
    String name = certificate.getSubjectX500Principal().getName();
    try {
      return new LdapName(name);
    } catch (InvalidNameException e) {
      throw new InvalidRequestException(
          "a certificate with the subject " + name + ", which cannot be read", e);
    }
  }

  private static Optional<String> commonName(LdapName subject) {
    return subject.getRdns().stream()
        .filter(part -> isA(part, "CN"))
        .map(Rdn::getValue)
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .filter(name -> !name.isEmpty())
        .findFirst();
  }

  private static boolean isA(Rdn part, String type) {
    return part.getType().equalsIgnoreCase(type);
  }
}
