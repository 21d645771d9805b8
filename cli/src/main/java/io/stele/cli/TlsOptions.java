package io.stele.cli;

import io.stele.base.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The files, in PEM, by which connections are secured, as far as the user has named them.
 *
 * @param authority whose certificates servers must have
 * @param certificate of the user
 * @param key of the certificate
 */
public record TlsOptions(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {
  public static final TlsOptions NONE =
      new TlsOptions(Optional.empty(), Optional.empty(), Optional.empty());

  /** Those that the environment names. */
  static TlsOptions of(Map<String, String> environment) {
    return new TlsOptions(
        file(environment, "STELE_AUTHORITY"),
        file(environment, "STELE_CERTIFICATE"),
        file(environment, "STELE_KEY"));
  }

  private static Optional<Path> file(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable))
        .filter(name -> !name.isBlank())
        .map(Path::of);
  }

  /** These, and where they name none, others. */
  public TlsOptions or(TlsOptions others) {
    return new TlsOptions(
        authority.or(others::authority), certificate.or(others::certificate), key.or(others::key));
  }

  /** Nothing if no file is named: connections are not secured. */
  Optional<TlsFiles> files() {
    return equals(NONE) ? Optional.empty() : Optional.of(new TlsFiles(certificate, key, authority));
  }
}
