package io.stele.server;

import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.gateway.security.PortSecurity;

/**
 * A server with a certificate.
 *
 * @param clients whether clients must have one
 */
record ServerSecurity(Tls tls, Identities identities, ClientCertificates clients) {
  /** For every port but Raft's. */
  PortSecurity ports() {
    return new PortSecurity(tls, clients, identities);
  }

  /** For connections on which there are servers at both ends. */
  Tls amongNodes() {
    return tls.amongNodes(identities);
  }
}
