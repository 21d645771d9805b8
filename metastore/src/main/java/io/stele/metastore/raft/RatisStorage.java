package io.stele.metastore.raft;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.util.SizeInBytes;

/**
 * The directory in which Ratis keeps its log, its term and its vote: {@code <directory>/<group>/}.
 *
 * <p>Ratis syncs the files it writes, but never the directories that name them. So they are synced
 * here: when the storage is made, and each time it is opened, before the server starts. Between
 * those moments the name of a new log segment, and the renaming that replaces a vote, are as
 * durable as the file system makes them by itself when the file is synced (ext4 and XFS do; it is
 * not promised). A member that lost such a name in a power failure would have lost what it
 * acknowledged since.
 */
final class RatisStorage {
  private final Path directory;

  RatisStorage(Path directory) {
    this.directory = directory;
  }

  Path directory() {
    return directory;
  }

  /**
   * Makes an empty log, durably, in place of whatever was there. Only for a member that never
   * started on it: its vote goes too.
   *
   * @param term the newest that is taken already
   */
  void format(String group, long term) throws IOException {
    delete();
    Files.createDirectories(directory);
    try (RaftStorage storage =
        RaftStorage.newBuilder()
            .setDirectory(new File(directory.toFile(), group))
            .setOption(RaftStorage.StartupOption.FORMAT)
            .setLogCorruptionPolicy(CorruptionPolicy.EXCEPTION)
            .setStorageFreeSpaceMin(SizeInBytes.valueOf(0))
            .build()) {
      storage.initialize();
      storage
          .getMetadataFile()
          .persist(
              RaftStorageMetadata.valueOf(term, RaftStorageMetadata.getDefault().getVotedFor()));
    }
    sync();
  }

  boolean exists(String group) {
    return Files.isDirectory(directory.resolve(group).resolve("current"));
  }

  /** What its files take up; those that come or go meanwhile may be missing. */
  long bytes() {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }

  /** Makes everything durable as it is found, and the name of the directory with it. */
  void sync() throws IOException {
    for (Path path : walk()) {
      boolean isDirectory = Files.isDirectory(path);
      if (isDirectory || Files.isRegularFile(path)) {
        sync(path, isDirectory ? StandardOpenOption.READ : StandardOpenOption.WRITE);
      }
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      sync(parent, StandardOpenOption.READ);
    }
  }

  private static void sync(Path path, StandardOpenOption option) throws IOException {
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    }
  }

  void delete() throws IOException {
    for (Path path : walk()) {
      Files.delete(path);
    }
  }

  /** What a directory holds comes before it. */
  private List<Path> walk() throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
