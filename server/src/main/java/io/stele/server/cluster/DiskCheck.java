package io.stele.server.cluster;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a small file, reads it and deletes it, before a tablet server takes part. One whose disk
 * fails would be given tablets, could not write their changes, and would give them up again, for as
 * long as the disk is broken.
 *
 * <pre>
 *   check/RUN     the name of the run, as UTF-8; there for a moment only
 * </pre>
 */
final class DiskCheck {
  private static final FilePath DIRECTORY = FilePath.of("check");

  /** A disk with less is full, not broken: a server can still read there. */
  private static final long FULL_BYTES = 1 << 20;

  private DiskCheck() {}

  /**
   * Checks both places, which may be one.
   *
   * @throws UnavailableException if one cannot be written or read, with the file and the error
   */
  static void run(FileStore files, FileStore logs, String run) {
    for (FileStore store : logs.equals(files) ? List.of(files) : List.of(files, logs)) {
      FilePath path = DIRECTORY.resolve(run);
      try {
        check(store, path, run.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        if (!isFull(store)) {
          throw new UnavailableException(
              "the disk of %s fails: %s cannot be written and read: %s"
                  .formatted(store.describe(), path, e),
              e);
        }
      }
    }
  }

  private static void check(FileStore store, FilePath path, byte[] content) throws IOException {
    store.replace(path, content);
    byte[] found = new byte[content.length];
    try (ReadableFile file = store.open(path)) {
      file.read(0, found, 0, found.length);
    }
    if (!Arrays.equals(found, content)) {
      throw new IOException("other bytes were read from " + path + " than were written");
    }
    store.delete(path);
  }

  private static boolean isFull(FileStore store) {
    try {
      return store.space().filter(space -> space.freeBytes() < FULL_BYTES).isPresent();
    } catch (IOException e) {
      return false;
    }
  }
}
