package io.stele.tables.write;

import io.stele.base.error.FencedException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a server that was taken for dead from going on with its log.
 *
 * <pre>
 *   log/RUN/FENCED     the address of who put it there, as UTF-8; once there, it stays
 * </pre>
 *
 * Whoever is going to read the log of another run puts the file there first, and then lists the
 * directory. The other one, if it lives, looks for it after each file that it begins. So either the
 * reader finds the new file, or the writer finds the fence and ends. What the writer still adds to
 * a file that it has open it can acknowledge to nobody: its lease is over.
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

  /** The files as the owner of a log sees them: none can be begun where there is a fence. */
  static FileStore respecting(FileStore logs) {
    return new Fenced(logs);
  }

  private record Fenced(FileStore files) implements FileStore {
    @Override
    public WritableFile create(FilePath path) throws IOException {
      WritableFile file = files.create(path);
      boolean fenced = true;
      try {
        fenced = files.stat(path.parent().resolve(NAME)).isPresent();
      } finally {
        if (fenced) {
          file.close();
        }
      }
      if (fenced) {
        throw new FencedException(
            "log "
                + path.parent()
                + " is fenced: another server has taken this one for dead, and its tablets");
      }
      return file;
    }

    @Override
    public ReadableFile open(FilePath path) throws IOException {
      return files.open(path);
    }

    @Override
    public void sync(FilePath path) throws IOException {
      files.sync(path);
    }

    @Override
    public void replace(FilePath path, byte[] content) throws IOException {
      files.replace(path, content);
    }

    @Override
    public void rename(FilePath from, FilePath to) throws IOException {
      files.rename(from, to);
    }

    @Override
    public boolean delete(FilePath path) throws IOException {
      return files.delete(path);
    }

    @Override
    public Optional<FileInfo> stat(FilePath path) throws IOException {
      return files.stat(path);
    }

    @Override
    public List<FileInfo> list(FilePath directory) throws IOException {
      return files.list(directory);
    }

    @Override
    public String describe() {
      return files.describe();
    }

    /** The files are somebody else's to close. */
    @Override
    public void close() {}
  }
}
