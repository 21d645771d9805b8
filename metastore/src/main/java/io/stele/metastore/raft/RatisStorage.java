package io.stele.metastore.raft;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.util.SizeInBytes;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which Ratis keeps its log, its term and its vote: {@code <directory>/<group>/}.
 *
 * <p>Ratis syncs the files it writes, but never the directories that name them. So they are synced
 * here: when the storage is made, each time it is opened, and before each sync of the log that
 * follows a change of the names of its segments ({@link #syncNames}): nothing is acknowledged from
 * a segment whose name a power failure could take away.
 *
 * <p>The renaming that replaces a vote is as durable as the file system makes it by itself (ext4
 * and XFS do so within seconds; it is not promised): Ratis says nothing when it votes.
 */
final class RatisStorage {
  private final Path directory;
  private volatile Set<String> synced = Set.of(); // names of segments; see syncNames

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

  /**
   * Makes the names of the log's segments durable, if they are others than at the last call. By the
   * thread that writes the log, before it syncs.
   *
   * @return whether there was something to do
   */
  boolean syncNames(String group) throws IOException {
    Path current = directory.resolve(group).resolve("current");
    String @Nullable [] found = current.toFile().list();
    if (found == null) {
      throw new IOException("directory " + current + " of the log cannot be listed");
    }
    Set<String> now = new HashSet<>();
    for (String name : found) {
      if (name.startsWith("log_")) {
        now.add(name);
      }
    }
    if (now.equals(synced)) {
      return false;
    }
    sync(current, StandardOpenOption.READ);
    synced = now;
    return true;
  }

  /** The names of segments that are durable; of those that have gone since some may be left. */
  Set<String> syncedNames() {
    return synced;
  }

  /** Reads all entries of a log that nobody has open, up to a torn one at its end. */
  void read(String group, Consumer<LogEntryProto> each) throws IOException {
    try (RaftStorage storage =
        RaftStorage.newBuilder()
            .setDirectory(new File(directory.toFile(), group))
            .setOption(RaftStorage.StartupOption.RECOVER)
            .setLogCorruptionPolicy(CorruptionPolicy.EXCEPTION)
            .setStorageFreeSpaceMin(SizeInBytes.valueOf(0))
            .build()) {
      storage.initialize();
      for (LogSegmentPath segment : LogSegmentPath.getLogSegmentPaths(storage)) {
        boolean open = segment.getPath().getFileName().toString().contains("inprogress");
        LogSegment.readSegmentFile(
            segment.getPath().toFile(),
            segment.getStartEnd(),
            SizeInBytes.valueOf(Integer.MAX_VALUE),
            open ? CorruptionPolicy.WARN_AND_RETURN : CorruptionPolicy.EXCEPTION,
            null,
            each);
      }
    }
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
