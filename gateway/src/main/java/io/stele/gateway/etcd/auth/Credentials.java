package io.stele.gateway.etcd.auth;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.Clock;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Hashes of passwords, and tokens. A token says whose it is and until when; it is signed with a
 * secret that all members know, so that each of them can tell a right one without asking.
 *
 * <pre>
 *   token := base64(name) "." expiry in seconds "." base64(HMAC-SHA256 of all before)
 * </pre>
 */
final class Credentials {
  private static final int ITERATIONS = 20_000;
  private static final int HASH_BITS = 256;
  private static final int SALT_BYTES = 16;
  private static final int SECRET_BYTES = 32;
  private static final long TOKEN_SECONDS = 3_600;

  private final RandomGenerator random;
  private final Clock clock;

  Credentials(RandomGenerator random, Clock clock) {
    this.random = random;
    this.clock = clock;
  }

  Bytes newSalt() {
    return random(SALT_BYTES);
  }

  Bytes newSecret() {
    return random(SECRET_BYTES);
  }

  private Bytes random(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  /** Slow, on purpose. */
  static Bytes hash(String password, Bytes salt) {
    try {
      PBEKeySpec spec =
          new PBEKeySpec(password.toCharArray(), salt.toArray(), ITERATIONS, HASH_BITS);
      return Bytes.wrap(
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has PBKDF2 with SHA-256", e);
    }
  }

  static boolean matches(String password, AuthState.User user) {
    return !user.hash().isEmpty()
        && MessageDigest.isEqual(hash(password, user.salt()).toArray(), user.hash().toArray());
  }

  String token(String user, Bytes secret) {
    long expiry = clock.micros() / 1_000_000 + TOKEN_SECONDS;
    String claim = text(user.getBytes(StandardCharsets.UTF_8)) + "." + expiry;
    return claim + "." + text(sign(claim, secret));
  }

  /** Whose token it is, if it is right and not too old. */
  Optional<String> user(String token, Bytes secret) {
    int end = token.lastIndexOf('.');
    int dot = token.indexOf('.');
    if (secret.isEmpty() || dot < 0 || end <= dot) {
      return Optional.empty();
    }
    try {
      String claim = token.substring(0, end);
      byte[] signature = Base64.getUrlDecoder().decode(token.substring(end + 1));
      long expiry = Long.parseLong(token.substring(dot + 1, end));
      boolean right = MessageDigest.isEqual(signature, sign(claim, secret));
      return right && clock.micros() / 1_000_000 < expiry
          ? Optional.of(
              new String(
                  Base64.getUrlDecoder().decode(token.substring(0, dot)), StandardCharsets.UTF_8))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // nobody here has made it
    }
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] sign(String claim, Bytes secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.toArray(), "HmacSHA256"));
      return mac.doFinal(claim.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }
}
