package io.stele.cli.cluster;

import io.stele.base.time.Clock;
import io.stele.base.tls.TlsFiles;
import io.stele.certs.CertificateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The certificates of a cluster on this machine, which are made where they are missing. */
final class LocalCertificates {
  private static final Duration VALIDITY = Duration.ofDays(365);
  private static final String USER = "admin";

  private final Path directory;
  private final CertificateDirectory certificates;

  private LocalCertificates(Path directory) {
    this.directory = directory;
    this.certificates = new CertificateDirectory(directory, Clock.system());
  }

  static LocalCertificates open(Path directory) throws IOException {
    LocalCertificates opened = new LocalCertificates(directory);
    if (!Files.exists(directory.resolve("authority.pem"))) {
      var _ = opened.certificates.init("Stele cluster on this machine");
    }
    if (!Files.exists(opened.client().certificate().orElseThrow())) {
      var _ = opened.certificates.client(USER, VALIDITY);
    }
    return opened;
  }

  /** What a node is told of them. */
  List<String> settings(String node) {
    TlsFiles files = files("node-" + node);
    try {
      if (!Files.exists(files.certificate().orElseThrow())) {
        var _ = certificates.node(node, List.of("localhost"), VALIDITY);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(
        "tls.certificate=" + files.certificate().orElseThrow(),
        "tls.key=" + files.key().orElseThrow(),
        "tls.authority=" + files.authority().orElseThrow());
  }

  /** Of the user who runs it. */
  TlsFiles client() {
    return files("client-" + USER);
  }

  /** For the environment of commands. */
  String exports() {
    return "STELE_AUTHORITY=%s STELE_CERTIFICATE=%s STELE_KEY=%s"
        .formatted(
            client().authority().orElseThrow(),
            client().certificate().orElseThrow(),
            client().key().orElseThrow());
  }

  private TlsFiles files(String name) {
    return TlsFiles.of(
        directory.resolve(name + ".pem"),
        directory.resolve(name + ".key"),
        directory.resolve("authority.pem"));
  }
}
