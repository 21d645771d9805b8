package io.stele.server;

import io.stele.base.file.DirectoryFiles;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStoreProvider;
import io.stele.base.file.MemoryFileStore;
import io.stele.testkit.file.FailingDisk;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files in memory that a test can have fail, as {@code faulty:/NAME} in a server's settings. As
 * {@code faulty://NODE/NAME} they are the same files, seen through a disk that fails for this node
 * alone.
 */
public final class FaultyFiles implements FileStoreProvider {
  static final MemoryFileStore STORE = new MemoryFileStore();
  private static final Map<String, FailingDisk> DISKS = new ConcurrentHashMap<>(); // by node

  static FailingDisk disk(String node) {
    return DISKS.computeIfAbsent(node, _ -> new FailingDisk());
  }

  @Override
  public boolean supports(URI location) {
    return "faulty".equals(location.getScheme());
  }

  @Override
  public List<String> schemes() {
    return List.of("faulty");
  }

  @Override
  public FileStore open(URI location, Map<String, String> options) {
    FileStore files = new DirectoryFiles(STORE, FilePath.of(location.getPath().substring(1)));
    return location.getHost() == null ? files : disk(location.getHost()).of(files);
  }
}
