package io.stele.replicas.metadata;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Which cluster a server belongs to. The coordination service keeps the cluster's id, and each
 * server remembers it in the file {@code cluster}, as text. A server takes no part in a service
 * with another id, or with none: that service knows nothing of the server's tables, and nothing it
 * lacks is a reason to delete anything.
 *
 * <pre>
 *   service  server   tables here
 *   none     none     any           the server makes up an id for both
 *   none     A        none          the service is named A
 *   none     A        some          refused: the service lost its data, or is another one
 *   A        none     any           the server remembers A
 *   A        A        any           as it should be
 *   B        A        any           refused
 * </pre>
 *
 * The service is named first and the file written after it, so a crash in between is made up for by
 * the next attempt.
 */
final class ClusterMark {
  static final FilePath FILE = FilePath.of("cluster");
  private static final int MOST_BYTES = 64;

  private final FileStore files;
  private final Coordination coordination;
  private final RandomGenerator random;

  ClusterMark(FileStore files, Coordination coordination, RandomGenerator random) {
    this.files = files;
    this.coordination = coordination;
    this.random = random;
  }

  /**
   * Makes sure that the service is the one that this server belongs to.
   *
   * @throws UnavailableException if it is not, or does not answer
   */
  void settle(boolean hasTables) {
    Optional<String> remembered = remembered();
    Optional<String> found = coordination.cluster();
    if (found.isEmpty() && (remembered.isEmpty() || !hasTables)) {
      String proposed = remembered.orElseGet(() -> RandomNames.next(random));
      var _ = coordination.nameCluster(Optional.empty(), proposed); // or another server was faster
      found = coordination.cluster();
    }
    if (remembered.isEmpty() && found.isPresent()) {
      remember(found.get());
    } else if (!found.equals(remembered)) {
      throw new UnavailableException(
          "the metastore "
              + found.map(id -> "is that of cluster " + id).orElse("is empty")
              + ", this server belongs to cluster "
              + remembered.orElse("?")
              + ": connect it to the right metastore, or, if that one is lost for good, list its"
              + " tables in this one by `stele replica metadata adopt`");
    }
  }

  /**
   * Names the service after the cluster of this server, in which it must not have any table yet.
   */
  boolean claim() {
    Optional<String> remembered = remembered();
    Optional<String> found = coordination.cluster();
    return remembered.isEmpty()
        || found.equals(remembered)
        || (coordination.tables().isEmpty() && coordination.nameCluster(found, remembered.get()));
  }

  private Optional<String> remembered() {
    try (ReadableFile file = files.open(FILE)) {
      byte[] text = new byte[(int) Math.min(file.length(), MOST_BYTES)];
      file.read(0, text, 0, text.length);
      String id = new String(text, StandardCharsets.UTF_8);
      if (!id.matches("[A-Za-z0-9-]+")) {
        throw new CorruptDataException(
            FILE + " of " + files.describe(), 0, "the id of a cluster", id);
      }
      return Optional.of(id);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UnavailableException(FILE + " of " + files.describe() + " cannot be read: " + e, e);
    }
  }

  private void remember(String id) {
    try {
      files.replace(FILE, id.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UnavailableException(
          FILE + " of " + files.describe() + " cannot be written: " + e, e);
    }
  }
}
