package io.stele.base.recordlog;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Files in memory that list the calls a log makes, with their sizes, and count what it reads. */
final class RecordingFiles implements FileStore {
  private final MemoryFileStore memory = new MemoryFileStore();
  private final List<String> calls = new ArrayList<>();
  private long bytesRead;

  /** What lies below, to make it fail. */
  MemoryFileStore memory() {
    return memory;
  }

  /** The calls since this was asked last. */
  List<String> takeCalls() {
    List<String> taken = List.copyOf(calls);
    calls.clear();
    return taken;
  }

  /** The bytes read since this was asked last. */
  long takeBytesRead() {
    long taken = bytesRead;
    bytesRead = 0;
    return taken;
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    WritableFile file = memory.create(path);
    return new WritableFile() {
      @Override
      public FilePath path() {
        return file.path();
      }

      @Override
      public long length() {
        return file.length();
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        calls.add("write " + length);
        file.write(source, offset, length);
      }

      @Override
      public void preallocate(long bytes) throws IOException {
        calls.add("preallocate " + bytes);
        file.preallocate(bytes);
      }

      @Override
      public void sync() throws IOException {
        calls.add("sync");
        file.sync();
      }

      @Override
      public void finish() throws IOException {
        calls.add("finish");
        file.finish();
      }

      @Override
      public void close() throws IOException {
        calls.add("close");
        file.close();
      }
    };
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    ReadableFile file = memory.open(path);
    return new ReadableFile() {
      @Override
      public FilePath path() {
        return file.path();
      }

      @Override
      public long length() {
        return file.length();
      }

      @Override
      public void read(long position, byte[] target, int offset, int length) throws IOException {
        bytesRead += length;
        file.read(position, target, offset, length);
      }

      @Override
      public void close() throws IOException {
        calls.add("close");
        file.close();
      }
    };
  }

  @Override
  public void sync(FilePath path) throws IOException {
    memory.sync(path);
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    memory.replace(path, content);
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    memory.rename(from, to);
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return memory.delete(path);
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    memory.syncDeletions(directory);
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    return memory.stat(path);
  }

  @Override
  public List<FileInfo> list(FilePath directory) throws IOException {
    return memory.list(directory);
  }

  @Override
  public String describe() {
    return memory.describe();
  }

  @Override
  public void close() {
    memory.close();
  }
}
