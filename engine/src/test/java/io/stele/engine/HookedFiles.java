package io.stele.engine;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.StoreCall;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Files whose calls a test sees before they happen, in the thread that makes them: the hook may
 * note them, hold them up, or fail them.
 */
public final class HookedFiles implements FileStore {
  /** One call on a file or directory. */
  public record Call(StoreCall kind, FilePath path) {
    public boolean is(StoreCall wanted, String directory) {
      return kind == wanted && path.value().startsWith(directory);
    }
  }

  /** What is done before each call. */
  @FunctionalInterface
  public interface Hook {
    void before(Call call) throws IOException;
  }

  private final FileStore files;
  private final AtomicReference<Hook> hook = new AtomicReference<>(_ -> {});
  private final AtomicReference<Hook> afterReplace = new AtomicReference<>(_ -> {});
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  public HookedFiles(FileStore files) {
    this.files = files;
  }

  public void hook(Hook newHook) {
    hook.set(newHook);
  }

  /** Lets a replacement fail that has happened. */
  public void afterReplace(Hook newHook) {
    afterReplace.set(newHook);
  }

  /** Calls that change something, in the order in which they were made. */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  public long count(StoreCall kind, String directory) {
    return calls.stream().filter(call -> call.is(kind, directory)).count();
  }

  private void before(StoreCall kind, FilePath path) throws IOException {
    Call call = new Call(kind, path);
    if (kind != StoreCall.READ) {
      calls.add(call);
    }
    hook.get().before(call);
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    before(StoreCall.CREATE, path);
    return new HookedWritable(files.create(path));
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    before(StoreCall.OPEN, path);
    return new HookedReadable(files.open(path));
  }

  @Override
  public void sync(FilePath path) throws IOException {
    before(StoreCall.SYNC, path);
    files.sync(path);
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    before(StoreCall.REPLACE, path);
    files.replace(path, content);
    afterReplace.get().before(new Call(StoreCall.REPLACE, path));
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    before(StoreCall.RENAME, from);
    files.rename(from, to);
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    before(StoreCall.DELETE, path);
    return files.delete(path);
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    files.syncDeletions(directory);
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

  @Override
  public void close() throws IOException {
    files.close();
  }

  private final class HookedWritable implements WritableFile {
    private final WritableFile file;

    private HookedWritable(WritableFile file) {
      this.file = file;
    }

    @Override
    public FilePath path() {
      return file.path();
    }

    @Override
    public long length() {
      return file.length();
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      before(StoreCall.WRITE, path());
      file.write(source, offset, length);
    }

    @Override
    public void preallocate(long bytes) throws IOException {
      before(StoreCall.PREALLOCATE, path());
      file.preallocate(bytes);
    }

    @Override
    public void sync() throws IOException {
      before(StoreCall.SYNC, path());
      file.sync();
    }

    @Override
    public void finish() throws IOException {
      before(StoreCall.FINISH, path());
      file.finish();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private final class HookedReadable implements ReadableFile {
    private final ReadableFile file;

    private HookedReadable(ReadableFile file) {
      this.file = file;
    }

    @Override
    public FilePath path() {
      return file.path();
    }

    @Override
    public long length() {
      return file.length();
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      before(StoreCall.READ, path());
      file.read(position, target, offset, length);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
