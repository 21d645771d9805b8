package io.stele.base.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The files of one directory of a store, as a store of their own. Closing it closes nothing. */
public final class DirectoryFiles implements FileStore {
  private final FileStore files;
  private final FilePath directory;

  public DirectoryFiles(FileStore files, FilePath directory) {
    this.files = files;
    this.directory = directory;
  }

  private FilePath in(FilePath path) {
    if (path.equals(FilePath.ROOT)) {
      return directory;
    }
    return directory.resolve(path.value());
  }

  private FileInfo out(FileInfo info) {
    String whole = info.path().value();
    String prefix = directory.value();
    FilePath path =
        prefix.isEmpty()
            ? info.path()
            : FilePath.of(
                whole.length() <= prefix.length() ? "" : whole.substring(prefix.length() + 1));
    return new FileInfo(path, info.directory(), info.length(), info.modified());
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    return files.create(in(path));
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    return files.open(in(path));
  }

  @Override
  public void sync(FilePath path) throws IOException {
    files.sync(in(path));
  }

  @Override
  public boolean syncEndsWriters() {
    return files.syncEndsWriters();
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    files.replace(in(path), content);
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    files.rename(in(from), in(to));
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return files.delete(in(path));
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    files.syncDeletions(in(directory));
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    return files.stat(in(path)).map(this::out);
  }

  @Override
  public List<FileInfo> list(FilePath path) throws IOException {
    List<FileInfo> found = new ArrayList<>();
    for (FileInfo info : files.list(in(path))) {
      found.add(out(info));
    }
    return found;
  }

  @Override
  public String describe() {
    return files.describe() + (directory.value().isEmpty() ? "" : "/" + directory.value());
  }

  @Override
  public void close() {}
}
