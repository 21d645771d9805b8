package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What was in the files of a {@link TlsFiles} at one time.
 *
 * @param keys chooses the certificate where it suits the other side; nothing without one
 * @param expires when the own certificate does; far away without one
 */
record TlsMaterial(
    Optional<X509ExtendedKeyManager> keys, X509ExtendedTrustManager trust, Instant expires) {
  private static final char[] NO_PASSWORD = {};
  private static final byte[] SAMPLE = {'s', 't', 'e', 'l', 'e'};

  /**
   * Reads the files.
   *
   * @param now a certificate that has expired by then is refused
   */
  static TlsMaterial read(TlsFiles files, Instant now) {
    try {
      X509ExtendedTrustManager trust = trust(files.authority());
      if (files.certificate().isEmpty()) {
        return new TlsMaterial(Optional.empty(), trust, Instant.MAX);
      }
      Path certificate = files.certificate().get();
      List<X509Certificate> chain = Pem.certificates(certificate);
      Instant expires =
          chain.stream()
              .map(each -> each.getNotAfter().toInstant())
              .min(Instant::compareTo)
              .orElseThrow();
      if (expires.isBefore(now)) {
        throw new InvalidRequestException(
            "certificate %s expired at %s: must be valid now, %s"
                .formatted(certificate, expires, now));
      }
      return new TlsMaterial(
          Optional.of(keys(certificate, chain, files.key().orElseThrow())), trust, expires);
    } catch (IOException e) {
      throw new InvalidRequestException("TLS: cannot read a file: " + e, e);
    } catch (GeneralSecurityException e) {
      throw new InvalidRequestException("TLS: cannot use " + files.describe() + ": " + e, e);
    }
  }

  private static X509ExtendedKeyManager keys(
      Path certificate, List<X509Certificate> chain, Path keyFile)
      throws IOException, GeneralSecurityException {
    PrivateKey key = Pem.key(keyFile);
    if (!belong(key, chain.getFirst().getPublicKey())) {
      throw new InvalidRequestException(
          "private key %s is not that of the certificate %s: must be its key"
              .formatted(keyFile, certificate));
    }
    KeyStore store = emptyStore();
    store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    for (KeyManager manager : factory.getKeyManagers()) {
      if (manager instanceof X509ExtendedKeyManager found) {
        return found;
      }
    }
    throw new GeneralSecurityException("the Java runtime has no key manager for X.509");
  }

  /** Whether one signs what the other verifies. */
  private static boolean belong(PrivateKey key, PublicKey publicKey)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    if (!key.getAlgorithm().equals(publicKey.getAlgorithm()) || algorithm.startsWith("RSASSA")) {
      return algorithm.startsWith("RSASSA"); // which needs parameters to try
    }
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(SAMPLE);
    byte[] signed = signature.sign();
    signature.initVerify(publicKey);
    signature.update(SAMPLE);
    return signature.verify(signed);
  }

  private static X509ExtendedTrustManager trust(Optional<Path> authority)
      throws IOException, GeneralSecurityException {
    @Nullable KeyStore store = null; // the runtime's own authorities
    if (authority.isPresent()) {
      store = emptyStore();
      for (X509Certificate each : Pem.certificates(authority.get())) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    TrustManager[] managers = factory.getTrustManagers();
    return Stream.of(managers)
        .filter(X509ExtendedTrustManager.class::isInstance)
        .map(X509ExtendedTrustManager.class::cast)
        .findFirst()
        .orElseThrow(
            () -> new GeneralSecurityException("the Java runtime has no trust manager for X.509"));
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
