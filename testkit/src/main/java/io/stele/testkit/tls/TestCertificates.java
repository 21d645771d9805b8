package io.stele.testkit.tls;

import io.stele.base.time.Clock;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.certs.CertificateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An authority, those whom it knows, and those who only claim that it does. */
public final class TestCertificates {
  private static final Duration VALIDITY = Duration.ofDays(90);
  private static final Duration LONG_AGO = Duration.ofDays(400);

  /** The machine's clock, a while ago. */
  private static final Clock THEN =
      new Clock() {
        @Override
        public long micros() {
          return Clock.system().micros() - TimeUnit.DAYS.toMicros(LONG_AGO.toDays());
        }

        @Override
        public long nanos() {
          return Clock.system().nanos();
        }
      };

  private final Path directory;
  private final CertificateDirectory known;
  private final TlsFiles anonymous;

  /** Makes an authority in an empty directory. */
  public TestCertificates(Path directory) {
    this.directory = directory.resolve("certs");
    this.known = new CertificateDirectory(this.directory, Clock.system());
    try {
      known.init("tests");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.anonymous = TlsFiles.of(this.directory.resolve("authority.pem"));
  }

  /** A server on this machine. */
  public TlsFiles node(String name) {
    return made(() -> known.node(name, List.of(name), VALIDITY));
  }

  public TlsFiles user(String name) {
    return made(() -> known.client(name, VALIDITY));
  }

  /** Somebody who trusts the authority, and has no certificate. */
  public TlsFiles anonymous() {
    return anonymous;
  }

  /** A node of another authority that trusts this one: it could fool a server that only looks. */
  public TlsFiles stranger(String name) {
    CertificateDirectory other =
        new CertificateDirectory(directory.resolve("other"), Clock.system());
    TlsFiles files =
        made(
            () -> {
              other.init("others");
              return other.node(name, List.of(name), VALIDITY);
            });
    return new TlsFiles(files.certificate(), files.key(), anonymous.authority());
  }

  /** A node whose certificate has expired, in a form that does not mind. */
  public Tls expired(String name) {
    CertificateDirectory then = new CertificateDirectory(directory, THEN);
    return Tls.open(
        made(() -> then.node("expired-" + name, List.of(name), VALIDITY)), THEN, _ -> {});
  }

  private interface Making {
    CertificateDirectory.Entry make() throws IOException;
  }

  private static TlsFiles made(Making making) {
    try {
      return making.make().files();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
