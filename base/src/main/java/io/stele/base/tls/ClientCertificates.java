package io.stele.base.tls;

/** Whether a server asks those who connect for a certificate. */
public enum ClientCertificates {
  /** It does not ask. */
  NONE,
  /** It asks, and takes those without one for anonymous. A certificate must be of an authority. */
  OPTIONAL,
  /** Nobody connects without one. */
  REQUIRED
}
