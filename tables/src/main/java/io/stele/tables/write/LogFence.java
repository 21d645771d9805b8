package io.stele.tables.write;

import io.stele.base.error.FencedException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Keeps a server that was taken for dead from going on with its log.
 *
 * <pre>
 *   log/RUN/FENCED     the address of who put it there, as UTF-8; once there, it stays
 * </pre>
 *
 * Whoever is going to read the log of another run puts the file there first, and then lists the
 * directory, and syncs what it finds there. The other one, if it lives, looks for the fence after
 * each file that it begins, and after each sync, before it acknowledges what it has synced. So
 * either the reader finds what was written, or the writer finds the fence and ends. The lease alone
 * does not see to that: a machine that was suspended may find it valid, when its clocks were
 * suspended with it.
 *
 * <p>Where the reader's sync ends the writer by itself ({@link FileStore#syncEndsWriters}, on HDFS)
 * the look after each sync is left out: it would ask the name node every time.
 */
public final class LogFence {
  private static final String NAME = "FENCED";

  private LogFence() {}

  /** Puts a fence into the directory of a log, unless there is one. */
  public static void put(FileStore logs, FilePath directory, String by) throws IOException {
    FilePath fence = directory.resolve(NAME);
    if (logs.stat(fence).isEmpty()) {
      logs.replace(fence, by.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * To be called by the owner of a log between a sync and its acknowledgements.
   *
   * @throws FencedException if there is a fence
   */
  static void checkSynced(FileStore logs, FilePath directory) throws IOException {
    if (!logs.syncEndsWriters()) {
      check(logs, directory);
    }
  }

  /** The same when it has begun a file. */
  static void check(FileStore logs, FilePath directory) throws IOException {
    if (logs.stat(directory.resolve(NAME)).isPresent()) {
      throw new FencedException(
          "log "
              + directory
              + " is fenced: another server has taken this one for dead, and its tablets");
    }
  }
}
