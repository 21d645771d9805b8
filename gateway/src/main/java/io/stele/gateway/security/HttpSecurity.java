package io.stele.gateway.security;

import io.stele.base.tls.ClientCertificates;
import java.util.Optional;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** TLS of ports that speak HTTP. */
public final class HttpSecurity {
  private HttpSecurity() {}

  /**
   * What a connection goes through.
   *
   * @param security of the port, if it is secured
   */
  public static ConnectionFactory[] connections(
      Optional<PortSecurity> security, HttpConnectionFactory http) {
    return security.isEmpty()
        ? new ConnectionFactory[] {http}
        : new ConnectionFactory[] {ssl(security.get(), http), http};
  }

  private static SslConnectionFactory ssl(PortSecurity security, HttpConnectionFactory http) {
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    ssl.setSslContext(security.tls().context());
    ssl.setNeedClientAuth(security.clients() == ClientCertificates.REQUIRED);
    ssl.setWantClientAuth(security.clients() == ClientCertificates.OPTIONAL);
    SslConnectionFactory connections = new SslConnectionFactory(ssl, http.getProtocol());
    // It would refuse a Host that the certificate does not name, such as that of a proxy.
    connections.setEnsureSecureRequestCustomizer(false);
    return connections;
  }
}
