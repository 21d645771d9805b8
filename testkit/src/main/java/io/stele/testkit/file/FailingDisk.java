package io.stele.testkit.file;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import io.stele.testkit.sim.Intercepted;
import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A disk some of whose files answer "Input/output error" to reads or writes, until it is repaired.
 * Others that use the same files by another way do not notice.
 */
public final class FailingDisk {
  private static final String ERROR = "Input/output error";
  private static final Set<String> READS = Set.of("open", "read");
  private static final Set<String> WRITES =
      Set.of("create", "write", "sync", "finish", "replace", "rename");

  private volatile Predicate<FilePath> unreadable = _ -> false;
  private volatile Predicate<FilePath> unwritable = _ -> false;

  /** From now on these files cannot be read, not even where they are open. */
  public void failReads(Predicate<FilePath> files) {
    unreadable = files;
  }

  /** From now on these files cannot be written or begun. */
  public void failWrites(Predicate<FilePath> files) {
    unwritable = files;
  }

  public void repair() {
    unreadable = _ -> false;
    unwritable = _ -> false;
  }

  /** Files as they are seen through this disk. */
  public FileStore of(FileStore files) {
    return Intercepted.of(
        FileStore.class,
        files,
        (method, arguments, rest) -> {
          FilePath path =
              arguments.length > 0 && arguments[0] instanceof FilePath first
                  ? first
                  : FilePath.ROOT;
          Object answer = call(method.getName(), path, rest);
          return switch (answer) {
            case ReadableFile file -> seen(ReadableFile.class, file, file.path());
            case WritableFile file -> seen(WritableFile.class, file, file.path());
            case null, default -> answer;
          };
        });
  }

  private <T> T seen(Class<T> type, T file, FilePath path) {
    return Intercepted.of(type, file, (method, _, rest) -> call(method.getName(), path, rest));
  }

  private @Nullable Object call(String name, FilePath path, Intercepted.Rest rest)
      throws Throwable {
    if ((READS.contains(name) && unreadable.test(path))
        || (WRITES.contains(name) && unwritable.test(path))) {
      throw new IOException("cannot " + name + " " + path + ": " + ERROR);
    }
    return rest.proceed();
  }
}
