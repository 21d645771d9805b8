package io.stele.base.file;

import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A new file of a {@link MemoryFileStore}. */
final class MemoryWritableFile implements WritableFile {
  private final MemoryFileStore store;
  private final FilePath path;
  private final MemoryContent content;
  private boolean nameDurable;
  private boolean closed;

  /** Set by the first failure, after which no call may claim that the file is in order. */
  private @Nullable IOException failure;

  MemoryWritableFile(MemoryFileStore store, FilePath path, MemoryContent content) {
    this.store = store;
    this.path = path;
    this.content = content;
  }

  @Override
  public FilePath path() {
    return path;
  }

  @Override
  public long length() {
    return content.written();
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    attempt(
        StoreCall.WRITE,
        () -> {
          int spare = content.spare(length);
          int fitting = spare + store.room(length - spare);
          content.append(source, offset, fitting, store.now());
          if (fitting < length) {
            store.checkRoom(path, length - fitting);
          }
        });
  }

  @Override
  public void preallocate(long bytes) throws IOException {
    if (bytes < 0) {
      throw new IllegalArgumentException("cannot preallocate " + bytes + " bytes in " + path);
    }
    attempt(
        StoreCall.PREALLOCATE,
        () -> {
          long end = content.written() + bytes;
          store.checkRoom(path, Math.max(0, end - content.length()));
          store.syncPoint(names -> {});
          content.allocate(end);
        });
  }

  @Override
  public void sync() throws IOException {
    attempt(
        StoreCall.SYNC,
        () -> {
          store.syncPoint(nameChange());
          nameDurable = true;
          content.sync();
        });
  }

  @Override
  public void finish() throws IOException {
    attempt(
        StoreCall.FINISH,
        () -> {
          store.syncPoint(nameChange());
          content.syncCut();
        });
    closed = true;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      content.cut();
    }
  }

  /** The first sync of a file settles its directory. */
  private Consumer<MemoryNames> nameChange() {
    boolean settled = nameDurable;
    return names -> {
      if (!settled) {
        names.settle(path.parent());
      }
    };
  }

  /** A step that may fail. */
  private interface Step {
    void run() throws IOException;
  }

  private void attempt(StoreCall call, Step step) throws IOException {
    String what = call.name().toLowerCase(Locale.ROOT);
    if (closed) {
      throw new IOException("cannot " + what + " " + path + ": it was closed");
    }
    if (failure != null) {
      throw new IOException(
          "cannot " + what + " " + path + ": an earlier call failed, write another file", failure);
    }
    try {
      store.change(
          call,
          () -> {
            step.run();
            return null;
          });
    } catch (IOException e) {
      failure = e;
      throw new IOException("cannot " + what + " " + path + ": " + e.getMessage(), e);
    }
  }
}
