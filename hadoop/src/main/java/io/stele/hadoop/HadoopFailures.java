package io.stele.hadoop;

import io.stele.base.file.FilePath;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.apache.hadoop.ipc.RemoteException;

/** Turns Hadoop's failures into those of a file store. */
final class HadoopFailures {
  private HadoopFailures() {}

  /** A missing file, where the caller has made sure that this is what the failure means. */
  static NoSuchFileException missing(FilePath path, Throwable cause) {
    NoSuchFileException result = new NoSuchFileException(path.value());
    result.initCause(cause);
    return result;
  }

  /**
   * Names the file and keeps "already exists" apart from all other failures.
   *
   * @param what the beginning of the message
   * @param path the file that would have been in the way
   */
  static IOException translate(String what, FilePath path, IOException failure) {
    IOException cause =
        failure instanceof RemoteException remote ? remote.unwrapRemoteException() : failure;
    if (cause instanceof org.apache.hadoop.fs.FileAlreadyExistsException
        // HDFS's word for a file that exists and has, or had, a writer.
        || cause instanceof AlreadyBeingCreatedException
        || cause instanceof FileAlreadyExistsException) {
      FileAlreadyExistsException exists = new FileAlreadyExistsException(path.value());
      exists.initCause(failure);
      return exists;
    }
    return new IOException(what + ": " + firstLine(cause), failure);
  }

  /** Failures of a remote server bring their stack trace along in the message. */
  private static String firstLine(IOException failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    String line = message.lines().findFirst().orElse(message);
    return failure instanceof FileNotFoundException ? "not found: " + line : line;
  }
}
