package io.stele.certs;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.Clock;
import io.stele.base.tls.Identities;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Signs certificates of nodes and clients, which tell by their subject what they are:
 *
 * <pre>
 *               subject                  may be used     names
 *   authority   CN=NAME                  to sign         –
 *   node        O=stele-nodes, CN=NAME   on both sides   its hosts
 *   client      CN=USER                  by clients      –
 * </pre>
 *
 * Keys are of the curve P-256.
 */
public final class CertificateAuthority {
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(10);
  private static final int SERIAL_BITS = 126;
  private static final int IP_ADDRESS = GeneralName.iPAddress;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final X509Certificate certificate;
  private final PrivateKey key;
  private final Clock clock;

  CertificateAuthority(X509Certificate certificate, PrivateKey key, Clock clock) {
    this.certificate = certificate;
    this.key = key;
    this.clock = clock;
  }

  /** Makes an authority that nobody trusts yet. */
  public static CertificateAuthority create(String name, Duration validity, Clock clock) {
    return create(name, newKey(), validity, clock);
  }

  private static CertificateAuthority create(
      String name, KeyPair pair, Duration validity, Clock clock) {
    try {
      X500Principal subject = principal(new X500NameBuilder().addRDN(BCStyle.CN, name));
      X509v3CertificateBuilder builder =
          builder(subject, subject, pair.getPublic(), now(clock), validity)
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
              .addExtension(
                  Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      return new CertificateAuthority(signed(builder, pair.getPrivate()), pair.getPrivate(), clock);
    } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
      throw failed("the authority " + name, e);
    }
  }

  /** The same authority for longer: what it has signed stays valid. */
  CertificateAuthority renewed(Duration validity) {
    return create(
        commonName(certificate), new KeyPair(certificate.getPublicKey(), key), validity, clock);
  }

  public X509Certificate certificate() {
    return certificate;
  }

  PrivateKey key() {
    return key;
  }

  /**
   * Certifies a node.
   *
   * @param hosts names and addresses by which others call it
   */
  public Credentials node(String name, List<String> hosts, Duration validity) {
    X500NameBuilder subject =
        new X500NameBuilder()
            .addRDN(BCStyle.O, Identities.DEFAULT.nodeOrganization())
            .addRDN(BCStyle.CN, name);
    return certify(
        principal(subject),
        new LinkedHashSet<>(hosts),
        validity,
        KeyPurposeId.id_kp_serverAuth,
        KeyPurposeId.id_kp_clientAuth);
  }

  /** Certifies a person or program. */
  public Credentials client(String user, Duration validity) {
    return certify(
        principal(new X500NameBuilder().addRDN(BCStyle.CN, user)),
        Set.of(),
        validity,
        KeyPurposeId.id_kp_clientAuth);
  }

  private Credentials certify(
      X500Principal subject, Set<String> hosts, Duration validity, KeyPurposeId... uses) {
    Instant now = now(clock);
    if (now.plus(validity).isAfter(certificate.getNotAfter().toInstant())) {
      throw new InvalidRequestException(
          "a certificate that is valid for %d days: must end before that of the authority, %s"
              .formatted(validity.toDays(), certificate.getNotAfter().toInstant()));
    }
    try {
      KeyPair pair = newKey();
      X509v3CertificateBuilder builder =
          builder(certificate.getSubjectX500Principal(), subject, pair.getPublic(), now, validity)
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
              .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
              .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(uses))
              .addExtension(
                  Extension.authorityKeyIdentifier,
                  false,
                  new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate));
      if (!hosts.isEmpty()) {
        GeneralName[] names =
            hosts.stream().map(CertificateAuthority::name).toArray(GeneralName[]::new);
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
      }
      return new Credentials(signed(builder, key), pair.getPrivate());
    } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
      throw failed(subject.getName(), e);
    }
  }

  private static GeneralName name(String host) {
    return new GeneralName(isAddress(host) ? IP_ADDRESS : GeneralName.dNSName, host);
  }

  private static boolean isAddress(String host) {
    try {
      return InetAddress.ofLiteral(host) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static X509v3CertificateBuilder builder(
      X500Principal issuer, X500Principal subject, PublicKey key, Instant now, Duration validity)
      throws GeneralSecurityException, CertIOException {
    return new JcaX509v3CertificateBuilder(
            issuer,
            new BigInteger(SERIAL_BITS, RANDOM).add(BigInteger.ONE),
            Date.from(now.minus(CLOCKS_DIFFER)),
            Date.from(now.plus(validity)),
            subject,
            key)
        .addExtension(
            Extension.subjectKeyIdentifier,
            false,
            new JcaX509ExtensionUtils().createSubjectKeyIdentifier(key));
  }

  private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key)
      throws GeneralSecurityException, OperatorCreationException {
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(
                new JcaContentSignerBuilder("SHA256withECDSA").setSecureRandom(RANDOM).build(key)));
  }

  private static X500Principal principal(X500NameBuilder subject) {
    try {
      return new X500Principal(subject.build().getEncoded());
    } catch (java.io.IOException e) {
      throw failed("a subject", e);
    }
  }

  private static KeyPair newKey() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw failed("a key", e);
    }
  }

  private static Instant now(Clock clock) {
    return Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }

  static String commonName(X509Certificate certificate) {
    return Identities.commonName(certificate).orElse("");
  }

  private static InvalidRequestException failed(String what, Exception cause) {
    return new InvalidRequestException("cannot certify " + what + ": " + cause.getMessage(), cause);
  }
}
