package io.stele.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.Clock;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.certs.CertificateDirectory.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateDirectoryTest {
  private static final Duration YEAR = Duration.ofDays(365);

  @TempDir private Path folder;

  private CertificateDirectory certificates() {
    return new CertificateDirectory(folder.resolve("certs"), Clock.system());
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void aNodeIsKnownByItsSubjectAndItsHosts() throws Exception {
    X509Certificate authority = certificates().init("ours");
    Entry made = certificates().node("db1", List.of("db1.example.org", "10.0.0.1"), YEAR);

    made.certificate().verify(authority.getPublicKey());
    assertThat(Identities.DEFAULT.of(made.certificate())).isEqualTo(new Identity.Node("db1"));
    assertThat(made.certificate().getSubjectAlternativeNames())
        .extracting(name -> String.valueOf(name.get(1)))
        .containsExactly(
            "db1.example.org", "10.0.0.1", "localhost", "127.0.0.1", "0:0:0:0:0:0:0:1");
    assertThat(made.certificate().getExtendedKeyUsage())
        .containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    assertThat(made.certificate().getBasicConstraints()).as("no authority").isEqualTo(-1);
    assertThat(authority.getBasicConstraints()).as("an authority of ends alone").isZero();
  }

  @Test
  void aClientIsAUserAndCannotServe() throws Exception {
    certificates().init("ours");
    Entry made = certificates().client("ann", YEAR);

    assertThat(Identities.DEFAULT.of(made.certificate())).isEqualTo(new Identity.User("ann"));
    assertThat(made.certificate().getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
    assertThat(made.certificate().getSubjectAlternativeNames()).isNull();
  }

  /** A name must not bring a part of a subject with it. */
  @Test
  void aNameIsANameAndNothingElse() throws Exception {
    certificates().init("ours");
    for (String name : List.of("ann,O=stele-nodes", "", "../ann", "a b", "-ann", "a/b")) {
      assertThatThrownBy(() -> certificates().client(name, YEAR))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("client '" + name + "': must be 1 to 64 letters");
    }
    assertThatThrownBy(() -> certificates().client("stele", YEAR))
        .hasMessageContaining("the name is that of the servers");
    CertificateAuthority authority =
        CertificateAuthority.create("other", Duration.ofDays(900), Clock.system());
    assertThat(Identities.DEFAULT.of(authority.client("x,O=stele-nodes", YEAR).certificate()))
        .isEqualTo(new Identity.User("x,O=stele-nodes"));
  }

  @Test
  void keysAreTheOwnersAlone() throws Exception {
    certificates().init("ours");
    Entry made = certificates().client("ann", YEAR);

    assertThat(permissions(folder.resolve("certs/authority.key"))).isEqualTo("rw-------");
    assertThat(permissions(made.files().key().orElseThrow())).isEqualTo("rw-------");
    assertThat(permissions(made.files().certificate().orElseThrow())).isEqualTo("rw-r--r--");
    assertThat(Files.readString(made.files().key().orElseThrow()))
        .startsWith("-----BEGIN PRIVATE KEY-----\n");
  }

  @Test
  void anAuthorityIsMadeOnceAndNeeded() throws Exception {
    assertThatThrownBy(() -> certificates().client("ann", YEAR))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("`stele cluster certs init` makes them");
    certificates().init("ours");
    assertThatThrownBy(() -> certificates().init("ours"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("has an authority");
    assertThatThrownBy(() -> certificates().client("ann", Duration.ofDays(4_000)))
        .hasMessageContaining("must end before that of the authority");
  }

  @Test
  void whatEndsSoonIsRenewedWithANewKeyAndTheSameNames() throws Exception {
    X509Certificate authority = certificates().init("ours");
    Entry node = certificates().node("db1", List.of("db1.example.org"), Duration.ofDays(10));
    Entry ann = certificates().client("ann", Duration.ofDays(10));
    Entry bob = certificates().client("bob", YEAR);

    List<Entry> renewed = certificates().renew(Duration.ofDays(30), YEAR);

    assertThat(renewed).extracting(Entry::what).containsExactly("client ann", "node db1");
    assertThat(certificates().entries())
        .extracting(Entry::what)
        .containsExactly("client ann", "client bob", "node db1");
    X509Certificate again = renewed.get(1).certificate();
    again.verify(authority.getPublicKey());
    assertThat(again.getSubjectX500Principal())
        .isEqualTo(node.certificate().getSubjectX500Principal());
    assertThat(again.getSubjectAlternativeNames())
        .asString()
        .isEqualTo(String.valueOf(node.certificate().getSubjectAlternativeNames()));
    assertThat(again.getPublicKey()).isNotEqualTo(node.certificate().getPublicKey());
    assertThat(renewed.get(0).expires()).isAfter(ann.expires());
    assertThat(certificates().entries().get(1).certificate()).isEqualTo(bob.certificate());
    assertThat(certificates().authorityCertificate()).isEqualTo(authority);
  }

  @Test
  void anAuthorityThatEndsIsRenewedAndStillVouchesForTheOthers() throws Exception {
    X509Certificate authority = certificates().init("ours");
    Entry bob = certificates().client("bob", Duration.ofDays(3_000));

    certificates().renew(Duration.ofDays(3_300), Duration.ofDays(365));

    X509Certificate renewed = certificates().authorityCertificate();
    assertThat(renewed).isNotEqualTo(authority);
    bob.certificate().verify(renewed.getPublicKey());
    assertThat(renewed.getSubjectX500Principal()).isEqualTo(authority.getSubjectX500Principal());
  }
}
