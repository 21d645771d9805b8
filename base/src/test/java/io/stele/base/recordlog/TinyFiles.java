package io.stele.base.recordlog;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Files in a map, with a list of the calls that matter to a log and a way to make one fail. */
final class TinyFiles implements FileStore {
  final List<String> calls = new ArrayList<>();
  final TreeMap<FilePath, byte[]> files = new TreeMap<>();
  String failing = "";
  long bytesRead;

  byte[] content(FilePath path) {
    return Objects.requireNonNull(files.get(path));
  }

  private void call(String name) throws IOException {
    calls.add(name);
    if (name.equals(failing)) {
      throw new IOException("disk says no to " + name);
    }
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    if (files.putIfAbsent(path, new byte[0]) != null) {
      throw new FileAlreadyExistsException(path.value());
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    return new WritableFile() {
      @Override
      public FilePath path() {
        return path;
      }

      @Override
      public long length() {
        return content.size();
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        call("write " + length);
        content.write(source, offset, length);
        files.put(path, content.toByteArray());
      }

      @Override
      public void preallocate(long bytes) throws IOException {
        call("preallocate " + bytes);
      }

      @Override
      public void sync() throws IOException {
        call("sync");
      }

      @Override
      public void finish() throws IOException {
        call("finish");
      }

      @Override
      public void close() throws IOException {
        call("close");
      }
    };
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    byte[] content = files.get(path);
    if (content == null) {
      throw new NoSuchFileException(path.value());
    }
    return new ReadableFile() {
      @Override
      public FilePath path() {
        return path;
      }

      @Override
      public long length() {
        return content.length;
      }

      @Override
      public void read(long position, byte[] target, int offset, int length) throws IOException {
        if (length > content.length - position) {
          throw new EOFException(path.value());
        }
        bytesRead += length;
        System.arraycopy(content, (int) position, target, offset, length);
      }

      @Override
      public void close() throws IOException {
        call("close");
      }
    };
  }

  @Override
  public void replace(FilePath path, byte[] content) {
    files.put(path, content.clone());
  }

  @Override
  public void rename(FilePath from, FilePath to) {
    files.put(to, files.remove(from));
  }

  @Override
  public boolean delete(FilePath path) {
    return files.remove(path) != null;
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) {
    return Optional.ofNullable(files.get(path))
        .map(content -> new FileInfo(path, false, content.length, Instant.EPOCH));
  }

  @Override
  public List<FileInfo> list(FilePath directory) {
    return files.keySet().stream().map(path -> stat(path).orElseThrow()).toList();
  }

  @Override
  public String describe() {
    return "tiny:";
  }

  @Override
  public void close() {}
}
