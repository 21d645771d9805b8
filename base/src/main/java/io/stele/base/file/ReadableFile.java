package io.stele.base.file;

import java.io.Closeable;
import java.io.IOException;

/** An open file for reads at any position, by any number of threads at once. */
public interface ReadableFile extends Closeable {
  FilePath path();

  /** The length when the file was opened. */
  long length();

  /**
   * Fills {@code length} bytes of {@code target} from {@code position} on.
   *
   * @throws java.io.EOFException if the file ends before; nothing may be concluded of the target
   */
  void read(long position, byte[] target, int offset, int length) throws IOException;
}
