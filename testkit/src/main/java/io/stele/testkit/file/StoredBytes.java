package io.stele.testkit.file;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.SplittableRandom;

/** Whole files in one call. */
public final class StoredBytes {
  private StoredBytes() {}

  /** All bytes of a file. */
  public static byte[] read(FileStore store, FilePath path) throws IOException {
    try (ReadableFile file = store.open(path)) {
      return read(file);
    }
  }

  /** All bytes of an open file. */
  public static byte[] read(ReadableFile file) throws IOException {
    byte[] content = new byte[Math.toIntExact(file.length())];
    file.read(0, content, 0, content.length);
    return content;
  }

  /** Writes a new file and makes it durable. */
  public static void write(FileStore store, FilePath path, byte[] content) throws IOException {
    try (WritableFile file = store.create(path)) {
      file.write(content, 0, content.length);
      file.finish();
    }
  }

  /** Bytes that compress badly and differ from one seed to another. */
  public static byte[] random(long seed, int length) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }
}
