package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files, all in PEM, by which one side of a connection proves who it is and knows the other.
 *
 * @param certificate its own, followed by those that lead to its authority; none for a client that
 *     stays anonymous
 * @param key of the certificate, without a password: PKCS#8, PKCS#1 or SEC1
 * @param authority the certificates of all authorities whose signature is accepted; those that the
 *     Java runtime knows if there is none
 */
public record TlsFiles(Optional<Path> certificate, Optional<Path> key, Optional<Path> authority) {
  public TlsFiles {
    if (certificate.isPresent() != key.isPresent()) {
      throw new InvalidRequestException(
          "TLS with certificate %s and key %s: set both, or neither"
              .formatted(
                  certificate.map(Path::toString).orElse("not set"),
                  key.map(Path::toString).orElse("not set")));
    }
  }

  /** Of a server, or of a client that has a certificate. */
  public static TlsFiles of(Path certificate, Path key, Path authority) {
    return new TlsFiles(Optional.of(certificate), Optional.of(key), Optional.of(authority));
  }

  /** Of a client without a certificate. */
  public static TlsFiles of(Path authority) {
    return new TlsFiles(Optional.empty(), Optional.empty(), Optional.of(authority));
  }

  List<Path> all() {
    return Stream.of(certificate, key, authority).flatMap(Optional::stream).toList();
  }

  /** As messages name them. */
  public String describe() {
    return "certificate %s, key %s, authority %s"
        .formatted(
            certificate.map(Path::toString).orElse("none"),
            key.map(Path::toString).orElse("none"),
            authority.map(Path::toString).orElse("those of the Java runtime"));
  }
}
