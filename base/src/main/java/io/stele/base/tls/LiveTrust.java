package io.stele.base.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Accepts whom the authorities of a {@link LiveMaterial} vouch for now; of these, nodes alone where
 * it is told how to know them.
 */
final class LiveTrust extends X509ExtendedTrustManager {
  private final LiveMaterial material;
  private final Optional<Identities> nodesOnly;

  LiveTrust(LiveMaterial material, Optional<Identities> nodesOnly) {
    this.material = material;
    this.nodesOnly = nodesOnly;
  }

  LiveTrust amongNodes(Identities identities) {
    return new LiveTrust(material, Optional.of(identities));
  }

  private X509ExtendedTrustManager now() {
    return material.current().material().trust();
  }

  /** After the check that the certificate is what it claims to be. */
  private void checkNode(X509Certificate[] chain) throws CertificateException {
    if (nodesOnly.isPresent() && !(nodesOnly.get().of(chain[0]) instanceof Identity.Node)) {
      throw new CertificateException(
          "the certificate of %s is not a node's: its subject must have the organization (O) %s"
              .formatted(chain[0].getSubjectX500Principal(), nodesOnly.get().nodeOrganization()));
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    now().checkClientTrusted(chain, type, engine);
    checkNode(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    now().checkServerTrusted(chain, type, engine);
    checkNode(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    now().checkClientTrusted(chain, type, socket);
    checkNode(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    now().checkServerTrusted(chain, type, socket);
    checkNode(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    now().checkClientTrusted(chain, type);
    checkNode(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    now().checkServerTrusted(chain, type);
    checkNode(chain);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return now().getAcceptedIssuers();
  }
}
