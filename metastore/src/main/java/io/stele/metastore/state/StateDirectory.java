package io.stele.metastore.state;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.DirectoryFiles;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Where the state lies: in one of several directories, of which the file {@code CURRENT} names the
 * one that counts.
 *
 * <pre>
 *   CURRENT              state-0000000002 and a line end
 *   state-0000000002/    a store of the engine
 *   state-0000000003/    a checkpoint that is being installed, or a leftover
 * </pre>
 *
 * <p>A checkpoint becomes the state when {@code CURRENT} is replaced, and not before: a crash at
 * any moment leaves the old state or the new one. Directories that do not count are removed when
 * the state is opened.
 */
final class StateDirectory {
  private static final FilePath CURRENT = FilePath.of("CURRENT");
  private static final Pattern NAME = Pattern.compile("state-[0-9]{10}");

  private final FileStore files;
  private String current;

  private StateDirectory(FileStore files, String current) {
    this.files = files;
    this.current = current;
  }

  static StateDirectory open(FileStore files, FilePath directory) throws IOException {
    FileStore inside = new DirectoryFiles(files, directory);
    if (inside.stat(CURRENT).isEmpty()) {
      inside.replace(CURRENT, content(name(1)));
    }
    StateDirectory opened = new StateDirectory(inside, readCurrent(inside));
    opened.removeLeftovers();
    return opened;
  }

  private static String name(long number) {
    return "state-%010d".formatted(number);
  }

  private static byte[] content(String name) {
    return (name + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static String readCurrent(FileStore files) throws IOException {
    byte[] bytes;
    try (ReadableFile file = files.open(CURRENT)) {
      bytes = new byte[(int) Math.min(file.length(), 64)];
      file.read(0, bytes, 0, bytes.length);
    }
    String text = new String(bytes, StandardCharsets.US_ASCII);
    if (!text.endsWith("\n") || !NAME.matcher(text.strip()).matches()) {
      throw new CorruptDataException(
          CURRENT + " of " + files.describe(), 0, "the name of a directory", "\"" + text + "\"");
    }
    return text.strip();
  }

  /** The files of the state. */
  FileStore files() {
    return new DirectoryFiles(files, FilePath.of(current));
  }

  /** The name of a directory for a state that may become the current one. */
  String next() {
    return name(Long.parseLong(current.substring(current.indexOf('-') + 1)) + 1);
  }

  /** An empty place for another state. */
  FileStore prepare(String name) throws IOException {
    remove(FilePath.of(name));
    return new DirectoryFiles(files, FilePath.of(name));
  }

  /** From now on, whatever happens, this is the state. The old one is left to be removed. */
  void makeCurrent(String name) throws IOException {
    files.replace(CURRENT, content(name));
    current = name;
  }

  /** Removes what does not count. What cannot be removed is left for the next opening. */
  void removeLeftovers() throws IOException {
    for (FileInfo info : files.list(FilePath.ROOT)) {
      String name = info.path().name();
      if (NAME.matcher(name).matches() && !name.equals(current)) {
        remove(info.path());
      }
    }
  }

  void remove(FilePath path) throws IOException {
    for (FileInfo info : files.list(path)) {
      if (info.directory()) {
        remove(info.path());
      } else {
        files.delete(info.path());
      }
    }
    if (files.stat(path).isPresent()) {
      files.delete(path);
    }
  }
}
