package io.stele.base.input;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads one kind of input file. Found by {@link java.util.ServiceLoader}, so that the libraries a
 * kind needs stay in its own module.
 */
public interface RecordInputProvider {
  /** How much of a file's start is looked at. */
  int HEAD_BYTES = 16;

  /** How the kind is named to a person, such as {@code SequenceFile}. */
  String kind();

  /**
   * Whether this provider reads a file.
   *
   * @param name its name without directories
   * @param head its first bytes, at least {@link #HEAD_BYTES} unless it is shorter
   */
  boolean reads(String name, byte[] head);

  /**
   * The name of the file that this one is only an addition to, such as the log that an index
   * belongs to; nothing if a file is an input of its own.
   */
  default Optional<String> additionTo(String name) {
    return Optional.empty();
  }

  /**
   * Opens a file.
   *
   * @param scratch an empty directory of this input's own, on a local disk, made if it is needed
   *     and deleted by the caller when the input is closed
   */
  RecordInput open(FileStore store, FilePath path, Path scratch) throws IOException;
}
