package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Reads files in PEM. */
public final class Pem {
  private Pem() {}

  /** All certificates of a file, at least one. */
  public static List<X509Certificate> certificates(Path file) throws IOException {
    check("certificates", file);
    try (InputStream in = Files.newInputStream(file)) {
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (found.isEmpty()) {
        throw new InvalidRequestException(
            "certificates %s: must hold at least one in PEM".formatted(file));
      }
      return found;
    } catch (CertificateException e) {
      throw new InvalidRequestException(
          "certificates %s: must be in PEM: %s".formatted(file, e.getMessage()), e);
    }
  }

  /** The first private key of a file: see {@link PemKey}. */
  public static PrivateKey key(Path file) throws IOException {
    check("private key", file);
    return PemKey.read(file);
  }

  private static void check(String what, Path file) {
    if (!Files.isReadable(file)) {
      throw new InvalidRequestException(
          "%s %s: must be a file in PEM that can be read".formatted(what, file));
    }
  }
}
