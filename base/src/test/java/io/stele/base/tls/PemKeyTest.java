package io.stele.base.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys in the forms of openssl, which the JDK does not read. */
class PemKeyTest {
  @TempDir Path directory;

  private Path pem(String kind, byte[] der) throws IOException {
    return Files.writeString(
        directory.resolve("key.pem"),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(der), kind));
  }

  /** What PKCS#8 wraps: the last item of its sequence, behind four bytes of tag and length. */
  private static byte[] unwrapped(byte[] pkcs8, int header) {
    byte[] key = new byte[pkcs8.length - header];
    System.arraycopy(pkcs8, header, key, 0, key.length);
    return key;
  }

  @Test
  void pkcs1() throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    PrivateKey key = generator.generateKeyPair().getPrivate();
    // SEQUENCE(4) version(3) algorithm(15) OCTET STRING(4)
    Path file = pem("RSA PRIVATE KEY", unwrapped(key.getEncoded(), 26));
    assertThat(PemKey.read(file)).isEqualTo(key);
  }

  @Test
  void sec1() throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    ECPrivateKey key = (ECPrivateKey) generator.generateKeyPair().getPrivate();
    String number = "%064x".formatted(key.getS());
    // SEQUENCE { INTEGER 1, OCTET STRING number, [0] { OBJECT prime256v1 } }
    byte[] der =
        HexFormat.of().parseHex("3031" + "020101" + "0420" + number + "a00a06082a8648ce3d030107");
    Path file = pem("EC PRIVATE KEY", der);
    // Before the key openssl writes what it is a key of.
    Files.writeString(
        file,
        "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
            + Files.readString(file));
    assertThat(((ECPrivateKey) PemKey.read(file)).getS()).isEqualTo(key.getS());
  }

  @Test
  void pkcs8IsLeftAsItIs() throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    PrivateKey key = generator.generateKeyPair().getPrivate();
    assertThat(PemKey.read(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
  }

  @Test
  void whatCannotBeUsedIsNamed() throws IOException {
    Path encrypted = pem("ENCRYPTED PRIVATE KEY", new byte[20]);
    assertThatThrownBy(() -> PemKey.read(encrypted))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("key.pem holds a key with a password");
    Path none = Files.writeString(directory.resolve("none.pem"), "nothing");
    assertThatThrownBy(() -> PemKey.read(none))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("none.pem holds no private key in PEM");
    Path torn = pem("EC PRIVATE KEY", new byte[] {0x30, 10, 2, 1});
    assertThatThrownBy(() -> PemKey.read(torn)).isInstanceOf(InvalidRequestException.class);
  }
}
