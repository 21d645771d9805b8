package io.stele.hadoop;

import io.stele.base.file.FilePath;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StreamCapabilities;
import org.jspecify.annotations.Nullable;

/**
 * A new file of a Hadoop file system.
 *
 * <p>Where files can be synced they are there from the start, and closing one ends it. On object
 * stores a file comes into being when it is complete: {@link #sync} is refused, {@link #finish}
 * puts it in place, and {@link #close} without it leaves nothing behind.
 */
final class HadoopWritableFile implements WritableFile {
  private final FilePath path;
  private final FSDataOutputStream output;
  private final Removal removal;
  private boolean closed;

  /** Set by the first failure, after which no call may claim that the file is in order. */
  private @Nullable IOException failure;

  /** Takes away what a file that was given up may have left. */
  interface Removal {
    void run() throws IOException;
  }

  HadoopWritableFile(FilePath path, FSDataOutputStream output, Removal removal) {
    this.path = path;
    this.output = output;
    this.removal = removal;
  }

  /** Whether what is written can be made durable before the file is complete. */
  static boolean canSync(FSDataOutputStream output) {
    return output.hasCapability(StreamCapabilities.HSYNC);
  }

  @Override
  public FilePath path() {
    return path;
  }

  @Override
  public long length() {
    return output.getPos();
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    attempt("write", () -> output.write(source, offset, length));
  }

  /** Does nothing: syncs of a growing file cost no more here. */
  @Override
  public void preallocate(long bytes) throws IOException {
    if (bytes < 0) {
      throw new IllegalArgumentException("cannot preallocate " + bytes + " bytes in " + path);
    }
    attempt("preallocate", () -> {});
  }

  @Override
  public void sync() throws IOException {
    if (!closed && !canSync(output)) {
      throw new IOException(
          "cannot sync "
              + path
              + ": files of this store appear only when they are complete. Write the file in one go"
              + " and end it with finish(); keep logs on a store that can sync, such as HDFS or a"
              + " local disk");
    }
    attempt("sync", output::hsync);
  }

  @Override
  public void finish() throws IOException {
    attempt(
        "finish",
        () -> {
          if (canSync(output)) {
            output.hsync();
          }
          output.close();
        });
    closed = true;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (canSync(output)) {
      closeOutput();
    } else {
      giveUp(output, removal);
    }
  }

  private void closeOutput() throws IOException {
    try {
      output.close();
    } catch (IOException e) {
      if (failure == null) {
        throw failed("close", e);
      }
      // The caller knows already that the file is lost. HDFS throws its first failure again.
      if (!failure.equals(e)) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Ends the output of a store whose files appear when they are closed, so that none appears. */
  static void giveUp(FSDataOutputStream output, Removal removal) throws IOException {
    if (output.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
      output.abort();
    } else {
      try (output) {
        output.flush();
      } finally {
        removal.run();
      }
    }
  }

  /** A step that may fail. */
  private interface Step {
    void run() throws IOException;
  }

  private void attempt(String what, Step step) throws IOException {
    if (closed) {
      throw new IOException("cannot " + what + " " + path + ": it was closed");
    }
    if (failure != null) {
      throw new IOException(
          "cannot " + what + " " + path + ": an earlier call failed, write another file", failure);
    }
    try {
      step.run();
    } catch (IOException e) {
      failure = e;
      throw failed(what, e);
    }
  }

  private IOException failed(String what, IOException e) {
    return HadoopFailures.translate("cannot " + what + " " + path, path, e);
  }
}
