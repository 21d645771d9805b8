package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A private key in PEM, of any of the forms that openssl writes. PKCS#1 and SEC1, which the JDK
 * does not read, are what PKCS#8 wraps:
 *
 * <pre>
 *   PKCS#8 := SEQUENCE { INTEGER 0, SEQUENCE { algorithm, parameters }, OCTET STRING { key } }
 *   "RSA PRIVATE KEY"  algorithm rsaEncryption   parameters NULL        key as it is (PKCS#1)
 *   "EC PRIVATE KEY"   algorithm ecPublicKey     parameters its curve   key as it is (SEC1)
 *   SEC1 := SEQUENCE { INTEGER 1, OCTET STRING, [0] { curve }, … }
 * </pre>
 */
final class PemKey {
  private static final Pattern BLOCK =
      Pattern.compile(
          "-----BEGIN ((?:RSA |EC |ENCRYPTED )?PRIVATE KEY)-----(.*?)-----END \\1-----",
          Pattern.DOTALL);

  private static final int INTEGER = 0x02;
  private static final int OCTETS = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int CURVE = 0xa0; // [0] of SEC1

  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "RSASSA-PSS", "EdDSA");

  private static final byte[] ZERO = {INTEGER, 1, 0};

  /** SEQUENCE { OBJECT 1.2.840.113549.1.1.1, NULL }. */
  private static final byte[] RSA = {
    SEQUENCE, 13, 6, 9, 42, (byte) 0x86, 72, (byte) 0x86, (byte) 0xf7, 13, 1, 1, 1, 5, 0
  };

  /** OBJECT 1.2.840.10045.2.1. */
  private static final byte[] EC = {6, 7, 42, (byte) 0x86, 72, (byte) 0xce, 61, 2, 1};

  private PemKey() {}

  /** Reads the first private key of a file. */
  static PrivateKey read(Path file) throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!block.find()) {
      throw unusable(file, "no private key in PEM");
    }
    if (block.group(1).startsWith("ENCRYPTED") || block.group(2).contains("ENCRYPTED")) {
      throw unusable(file, "a key with a password; openssl pkey -in FILE -out FILE2 removes it");
    }
    byte[] der;
    try {
      der = Base64.getMimeDecoder().decode(block.group(2));
    } catch (IllegalArgumentException e) {
      throw unusable(file, "invalid base64: " + e.getMessage());
    }
    return switch (block.group(1)) {
      case "RSA PRIVATE KEY" ->
          decoded(file, item(SEQUENCE, ZERO, RSA, item(OCTETS, der)), List.of("RSA"));
      case "EC PRIVATE KEY" ->
          decoded(
              file,
              item(SEQUENCE, ZERO, item(SEQUENCE, EC, curve(file, der)), item(OCTETS, der)),
              List.of("EC"));
      default -> decoded(file, der, ALGORITHMS);
    };
  }

  private static PrivateKey decoded(Path file, byte[] pkcs8, List<String> algorithms) {
    for (String algorithm : algorithms) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (GeneralSecurityException e) {
        // A key of another algorithm, or of none that is known.
      }
    }
    throw unusable(file, "a key that is not one of " + String.join(", ", algorithms));
  }

  /** What stands in [0] of a key in SEC1. */
  private static byte[] curve(Path file, byte[] der) {
    try {
      int at = contentOf(der, 0); // of the sequence
      while (at < der.length) {
        int content = contentOf(der, at);
        int end = content + lengthOf(der, at);
        if ((der[at] & 0xff) == CURVE) {
          return Arrays.copyOfRange(der, content, end);
        }
        at = end;
      }
    } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException e) {
      throw unusable(file, "a key whose bytes end too early");
    }
    throw unusable(file, "a key that does not name its curve; openssl pkey writes one that does");
  }

  private static int contentOf(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
  }

  private static int lengthOf(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7f); i++) {
      length = (length << 8) | (der[at + 2 + i] & 0xff);
    }
    return length;
  }

  private static byte[] item(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.size();
    if (length < 0x80) {
      out.write(length);
    } else {
      int bytes = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
      out.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write(length >> (8 * i));
      }
    }
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  private static InvalidRequestException unusable(Path file, String found) {
    return new InvalidRequestException(
        "private key " + file + " holds " + found + ": must be a private key without a password");
  }
}
