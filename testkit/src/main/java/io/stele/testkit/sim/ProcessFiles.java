package io.stele.testkit.sim;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The files that several processes share, as one of them sees them: every change passes a hold
 * point before it is made and another one after it, and once the process has died every call fails.
 * What it wrote and did not sync stays, as it stays in the memory of a machine that lives on.
 *
 * <p>The points are named by kind of file and call: {@code log sync}, {@code log sync done}.
 */
public final class ProcessFiles {
  /** Calls that change nothing. */
  private static final Set<String> READS = Set.of("open", "stat", "list", "space");

  /** Calls that reach no disk, or end the use of it. */
  private static final Set<String> LOCAL = Set.of("close", "describe", "path", "length");

  private final String owner;
  private final HoldPoints points;
  private final BooleanSupplier dead;
  private final Function<FilePath, String> kinds;

  /**
   * Makes a view of files.
   *
   * @param owner the process
   * @param dead whether it has died
   * @param kinds names a kind of file by its path
   */
  public ProcessFiles(
      String owner, HoldPoints points, BooleanSupplier dead, Function<FilePath, String> kinds) {
    this.owner = owner;
    this.points = points;
    this.dead = dead;
    this.kinds = kinds;
  }

  public FileStore of(FileStore files) {
    return Intercepted.of(
        FileStore.class,
        files,
        (method, arguments, rest) -> {
          FilePath path =
              arguments.length > 0 && arguments[0] instanceof FilePath first
                  ? first
                  : FilePath.ROOT;
          Object answer = around(method.getName(), path, rest);
          return answer instanceof WritableFile file ? file(file) : answer;
        });
  }

  private WritableFile file(WritableFile file) {
    return Intercepted.of(
        WritableFile.class, file, (method, _, rest) -> around(method.getName(), file.path(), rest));
  }

  private @Nullable Object around(String call, FilePath path, Intercepted.Rest rest)
      throws Throwable {
    if (LOCAL.contains(call)) {
      return rest.proceed();
    }
    boolean changes = !READS.contains(call);
    String point = changes ? kinds.apply(path) + " " + call : "";
    if (changes) {
      points.pass(owner, point);
    }
    checkLives(call, path);
    Object answer = rest.proceed();
    if (changes) {
      points.pass(owner, point + " done");
      checkLives(call, path);
    }
    return answer;
  }

  private void checkLives(String call, FilePath path) throws IOException {
    if (dead.getAsBoolean()) {
      throw new IOException(owner + " has died, and cannot " + call + " " + path);
    }
  }
}
