package io.stele.base.tls;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Event;
import io.stele.base.time.Clock;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * How one side secures its connections: its certificate and key, and whom it accepts at the other
 * end, as the files say.
 *
 * <p>The files are looked at when a connection begins, once a second at most. If they have changed
 * they are read again, so that certificates can be renewed and authorities replaced while a process
 * runs. Connections that are open stay as they are. If the new files cannot be used, an event says
 * why, and those read before stay in use.
 *
 * <pre>{@code
 * Tls tls = Tls.open(TlsFiles.of(certificate, key, authority), Clock.system(), events::publish);
 * SSLContext context = tls.context();
 * }</pre>
 */
public final class Tls {
  /**
   * For how long a client may resume a session without a check of its certificate. The least there
   * is: connections are few and long, so that resuming saves nothing worth a later check.
   */
  public static final int SESSION_SECONDS = 1;

  private final LiveKeys keys;
  private final LiveTrust trust;
  private final boolean certified;

  private Tls(LiveKeys keys, LiveTrust trust, boolean certified) {
    this.keys = keys;
    this.trust = trust;
    this.certified = certified;
  }

  /**
   * Reads the files.
   *
   * @param events told when they are read again, or cannot be
   * @throws InvalidRequestException if they cannot be used; it names the file
   */
  public static Tls open(TlsFiles files, Clock clock, Consumer<Event> events) {
    LiveMaterial material = new LiveMaterial(files, clock, events);
    return new Tls(
        new LiveKeys(material),
        new LiveTrust(material, Optional.empty()),
        files.certificate().isPresent());
  }

  /** As {@link #open(TlsFiles, Clock, Consumer)}, for a client: nobody is told of changes. */
  public static Tls open(TlsFiles files) {
    return open(files, Clock.system(), _ -> {});
  }

  /** The same certificate, and at the other end nodes alone are accepted. */
  public Tls amongNodes(Identities identities) {
    return new Tls(keys, trust.amongNodes(identities), certified);
  }

  /** Who this side is to others; nobody without a certificate. */
  public Identity self(Identities identities) {
    return keys.certificate().map(identities::of).orElse(new Identity.Anonymous());
  }

  /** The own certificate, where there is one. */
  public Optional<X509ExtendedKeyManager> keys() {
    return certified ? Optional.of(keys) : Optional.empty();
  }

  public X509ExtendedTrustManager trust() {
    return trust;
  }

  /** For connections of the JDK's. */
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          certified ? new KeyManager[] {keys} : new KeyManager[0],
          new TrustManager[] {trust},
          null);
      context.getServerSessionContext().setSessionTimeout(SESSION_SECONDS);
      context.getClientSessionContext().setSessionTimeout(SESSION_SECONDS);
      return context;
    } catch (GeneralSecurityException e) {
      throw new InvalidRequestException("the Java runtime has no TLS: " + e.getMessage(), e);
    }
  }
}
