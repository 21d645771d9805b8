package io.stele.server;

import io.stele.base.file.DirectoryFiles;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStoreProvider;
import io.stele.base.file.MemoryFileStore;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Files in memory that a test can have fail, as {@code faulty:/NAME} in a server's settings. */
public final class FaultyFiles implements FileStoreProvider {
  static final MemoryFileStore STORE = new MemoryFileStore();

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
    return new DirectoryFiles(STORE, FilePath.of(location.getPath().substring(1)));
  }
}
