package io.stele.certs;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.Clock;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.base.tls.Pem;
import io.stele.base.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An authority and what it has signed, in one directory:
 *
 * <pre>
 *   authority.pem     for everybody
 *   authority.key     whoever has it can certify anybody: keep it from the servers
 *   node-NAME.pem     node-NAME.key       for one server, with authority.pem
 *   client-USER.pem   client-USER.key     for one person or program, with authority.pem
 * </pre>
 */
public final class CertificateDirectory {
  static final String AUTHORITY = "authority.pem";

  private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(3_650);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
  private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "::1");
  private static final String SERVERS = "stele";

  /**
   * A certificate in the directory.
   *
   * @param what it is, such as {@code node a}
   */
  public record Entry(String what, TlsFiles files, X509Certificate certificate) {
    public Instant expires() {
      return certificate.getNotAfter().toInstant();
    }
  }

  private final Path directory;
  private final Clock clock;

  public CertificateDirectory(Path directory, Clock clock) {
    this.directory = directory;
    this.clock = clock;
  }

  /** Makes an authority, in a directory that has none. */
  public X509Certificate init(String name) throws IOException {
    Path certificate = directory.resolve(AUTHORITY);
    if (Files.exists(certificate) || Files.exists(directory.resolve("authority.key"))) {
      throw new InvalidRequestException(
          "%s has an authority: its certificates would lose theirs; name another directory"
              .formatted(directory));
    }
    Files.createDirectories(directory);
    CertificateAuthority made = CertificateAuthority.create(name, AUTHORITY_VALIDITY, clock);
    return write(made).certificate();
  }

  private CertificateAuthority write(CertificateAuthority authority) throws IOException {
    TlsFiles _ =
        new Credentials(authority.certificate(), authority.key()).write(directory, "authority");
    return authority;
  }

  /**
   * Certifies a node, again if it was before.
   *
   * @param hosts by which others call it; its name if there are none. Loopback addresses are added,
   *     for those who work on its machine
   */
  public Entry node(String name, List<String> hosts, Duration validity) throws IOException {
    check("node", name);
    Set<String> all = new LinkedHashSet<>(hosts.isEmpty() ? List.of(name) : hosts);
    all.addAll(LOOPBACK);
    return write("node", name, authority().node(name, List.copyOf(all), validity));
  }

  /** Certifies a person or program, again if it was before. */
  public Entry client(String user, Duration validity) throws IOException {
    check("client", user);
    if (user.equals(SERVERS)) {
      throw new InvalidRequestException(
          "client stele: the name is that of the servers; choose another");
    }
    return write("client", user, authority().client(user, validity));
  }

  private Entry write(String kind, String name, Credentials made) throws IOException {
    TlsFiles files = made.write(directory, kind + "-" + name);
    return new Entry(kind + " " + name, files, made.certificate());
  }

  private static void check(String kind, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidRequestException(
          "%s '%s': must be 1 to 64 letters, digits, '.', '_', '@' or '-', such as db1.example.org"
              .formatted(kind, name));
    }
  }

  private CertificateAuthority authority() throws IOException {
    Path file = directory.resolve(AUTHORITY);
    Path key = directory.resolve("authority.key");
    if (!Files.exists(file) || !Files.exists(key)) {
      throw new InvalidRequestException(
          "%s has no authority.pem and authority.key: `stele cluster certs init` makes them"
              .formatted(directory));
    }
    return new CertificateAuthority(Pem.certificates(file).getFirst(), Pem.key(key), clock);
  }

  /** All nodes and clients. */
  public List<Entry> entries() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> isOfKind(file)).sorted().toList();
    }
    List<Entry> found = new ArrayList<>();
    for (Path file : files) {
      X509Certificate certificate = Pem.certificates(file).getFirst();
      String name = file.getFileName().toString().replaceAll("\\.pem$", "");
      found.add(
          new Entry(
              name.replaceFirst("-", " "),
              TlsFiles.of(file, directory.resolve(name + ".key"), directory.resolve(AUTHORITY)),
              certificate));
    }
    return found;
  }

  private static boolean isOfKind(Path file) {
    return file.getFileName().toString().matches("(node|client)-.*\\.pem");
  }

  /** The authority's certificate. */
  public X509Certificate authorityCertificate() throws IOException {
    return authority().certificate();
  }

  /**
   * Certifies again, with new keys, those whose certificates end soon. The authority keeps its key,
   * and what it has signed stays valid.
   *
   * @param within which time they end
   * @param validity of the new ones
   */
  public List<Entry> renew(Duration within, Duration validity) throws IOException {
    CertificateAuthority authority = authority();
    Instant soon = Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS).plus(within);
    if (authority.certificate().getNotAfter().toInstant().isBefore(soon.plus(validity))) {
      authority = write(authority.renewed(AUTHORITY_VALIDITY));
    }
    List<Entry> renewed = new ArrayList<>();
    for (Entry old : entries()) {
      if (old.expires().isBefore(soon)) {
        renewed.add(renew(authority, old, validity));
      }
    }
    return renewed;
  }

  private Entry renew(CertificateAuthority authority, Entry old, Duration validity)
      throws IOException {
    return switch (Identities.DEFAULT.of(old.certificate())) {
      case Identity.Node(String name) ->
          write("node", name, authority.node(name, hosts(old), validity));
      case Identity.User(String name) -> write("client", name, authority.client(name, validity));
      case Identity.Anonymous _, Identity.Unchecked _ ->
          throw new InvalidRequestException(
              "%s names nobody: its subject must have a common name (CN)"
                  .formatted(old.files().describe()));
    };
  }

  private static List<String> hosts(Entry old) {
    try {
      return Optional.ofNullable(old.certificate().getSubjectAlternativeNames())
          .orElse(List.of())
          .stream()
          .map(each -> String.valueOf(each.get(1)))
          .toList();
    } catch (CertificateParsingException e) {
      throw new InvalidRequestException(
          "%s: its hosts cannot be read: %s".formatted(old.files().describe(), e.getMessage()), e);
    }
  }
}
