package io.stele.base.recordlog;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.List;

/** What tests of the log ask again and again. */
final class LogBytes {
  private LogBytes() {}

  /** A whole file. */
  static byte[] content(FileStore files, FilePath path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return content;
    }
  }

  /** Reads a log to its end, adding each payload as it comes. */
  static Tail readAll(FileStore files, FilePath path, List<Bytes> payloads) throws IOException {
    try (RecordLogReader reader = RecordLogReader.open(files, path)) {
      while (reader.next()) {
        payloads.add(Bytes.copyOf(reader.buffer(), reader.offset(), reader.length()));
      }
      return reader.tail();
    }
  }
}
