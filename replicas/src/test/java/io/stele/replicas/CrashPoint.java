package io.stele.replicas;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Kills one server at a chosen step. Each call that it makes of the coordination service, of a peer
 * or of its files is two steps: before it is made, and after it was, with the answer lost. A server
 * that was killed makes no more calls: all of them throw {@link Killed}.
 *
 * <p>To kill a history everywhere: run it once and ask for {@link #steps}; then run it on new
 * servers with {@link #killAt} 1, 2, …
 */
public final class CrashPoint {
  /**
   * What a killed server's thread ends with; an error, so that no code that is tested catches it.
   */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed(String step) {
      super("killed " + step, null, false, false); // made by the thousand: no stack
    }
  }

  /** A call that may fail. */
  public interface Call<T, X extends Exception> {
    T run() throws X;
  }

  private final List<String> steps = new ArrayList<>(); // guarded by this
  private int killAt; // guarded by this
  private boolean killed; // guarded by this

  /** Kills at this step, counted from 1 and from the beginning. */
  public synchronized CrashPoint killAt(int step) {
    killAt = step;
    return this;
  }

  /** Kills now. */
  public synchronized void kill() {
    killed = true;
  }

  public synchronized boolean killed() {
    return killed;
  }

  /** What was done so far, by step. */
  public synchronized List<String> steps() {
    return List.copyOf(steps);
  }

  public <T, X extends Exception> T call(String what, Call<T, X> call) throws X {
    step("before " + what);
    T answer = call.run();
    step("after " + what);
    return answer;
  }

  public void run(String what, Runnable call) {
    Supplier<Boolean> answered =
        () -> {
          call.run();
          return true;
        };
    this.<Boolean, RuntimeException>call(what, answered::get);
  }

  private synchronized void step(String what) {
    if (!killed) {
      steps.add(what);
      killed = steps.size() == killAt;
    }
    if (killed) {
      throw new Killed(what);
    }
  }

  /** The files of the server: their calls are steps. Files that are written are so as a whole. */
  public FileStore files(FileStore files) {
    return new Files(files);
  }

  private final class Files implements FileStore {
    private final FileStore files;

    private Files(FileStore files) {
      this.files = files;
    }

    @Override
    public WritableFile create(FilePath path) throws IOException {
      return call("create " + path, () -> files.create(path));
    }

    @Override
    public ReadableFile open(FilePath path) throws IOException {
      return call("open " + path, () -> files.open(path));
    }

    @Override
    public void sync(FilePath path) throws IOException {
      call(
          "sync " + path,
          () -> {
            files.sync(path);
            return true;
          });
    }

    @Override
    public void replace(FilePath path, byte[] content) throws IOException {
      call(
          "replace " + path,
          () -> {
            files.replace(path, content);
            return true;
          });
    }

    @Override
    public void rename(FilePath from, FilePath to) throws IOException {
      call(
          "rename " + from,
          () -> {
            files.rename(from, to);
            return true;
          });
    }

    @Override
    public boolean delete(FilePath path) throws IOException {
      return call("delete " + path, () -> files.delete(path));
    }

    @Override
    public void syncDeletions(FilePath directory) throws IOException {
      boolean _ =
          call(
              "sync deletions in " + directory,
              () -> {
                files.syncDeletions(directory);
                return true;
              });
    }

    @Override
    public Optional<FileInfo> stat(FilePath path) throws IOException {
      return call("stat " + path, () -> files.stat(path));
    }

    @Override
    public List<FileInfo> list(FilePath directory) throws IOException {
      return call("list " + directory, () -> files.list(directory));
    }

    @Override
    public String describe() {
      return files.describe();
    }

    @Override
    public void close() throws IOException {
      files.close();
    }
  }
}
