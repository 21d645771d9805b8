package io.stele.certs;

import io.stele.base.tls.TlsFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Set;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;

/** A certificate and its key, as they are kept in two files in PEM. */
public record Credentials(X509Certificate certificate, PrivateKey key) {
  private static final String OWNER_ALONE = "rw-------";
  private static final String ALL = "rw-r--r--";

  /**
   * Writes both files, each in one step, {@code NAME.pem} and {@code NAME.key}. The key can be read
   * by its owner alone.
   *
   * @return them, with the authority in the same directory
   */
  public TlsFiles write(Path directory, String name) throws IOException {
    Path certificateFile = directory.resolve(name + ".pem");
    Path keyFile = directory.resolve(name + ".key");
    replace(keyFile, pem(new JcaPKCS8Generator(key, null).generate()), OWNER_ALONE);
    replace(certificateFile, pem(certificate), ALL);
    return TlsFiles.of(certificateFile, keyFile, directory.resolve(CertificateDirectory.AUTHORITY));
  }

  private static String pem(Object content) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(content);
    }
    return text.toString();
  }

  /** Nobody finds half of it, and nobody else can read a key at any time. */
  private static void replace(Path file, String text, String permissions) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    FileStore store = Files.getFileStore(parent);
    FileAttribute<?>[] attributes =
        store.supportsFileAttributeView("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
            }
            : new FileAttribute<?>[0];
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(written);
    try (WritableByteChannel out =
        Files.newByteChannel(
            written, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
