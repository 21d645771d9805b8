package io.stele.base.input;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads one kind of input file. Found by {@link java.util.ServiceLoader}, so that the libraries a
 * kind needs stay in its own module.
 */
public interface RecordInputProvider {
  /** How the kind is named to a person, such as {@code SequenceFile}. */
  String kind();

  /**
   * Whether this provider reads a file.
   *
   * @param name its name without directories
   * @param head its first bytes, at least {@link #HEAD_BYTES} unless it is shorter
   */
  boolean reads(String name, byte[] head);

  /** Whether a file is only an addition to another one of this kind, and no input of its own. */
  default boolean belongsToAnother(String name) {
    return false;
  }

  /**
   * Opens a file.
   *
   * @param scratch an empty directory of this input's own, on a local disk, made if it is needed
   *     and deleted by the caller when the input is closed
   */
  RecordInput open(FileStore store, FilePath path, Path scratch) throws IOException;

  /** How much of a file's start is looked at. */
  int HEAD_BYTES = 16;
}
