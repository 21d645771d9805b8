package io.stele.base.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Syncs for real, remembers what was synced, and can be told to fail. */
final class RecordingSyncer implements Syncer {
  private final Path root;
  private final List<String> calls = new ArrayList<>();
  private boolean failing;

  RecordingSyncer(Path root) {
    this.root = root;
  }

  void failNext() {
    failing = true;
  }

  /** What was synced since the last call: {@code data}, {@code all}, or a directory's path. */
  List<String> taken() {
    List<String> result = List.copyOf(calls);
    calls.clear();
    return result;
  }

  @Override
  public void file(FileChannel channel, boolean lengthChanged) throws IOException {
    calls.add(lengthChanged ? "all" : "data");
    failOnDemand();
    Syncer.SYSTEM.file(channel, lengthChanged);
  }

  @Override
  public void directory(Path directory) throws IOException {
    calls.add(directory.startsWith(root) ? "/" + root.relativize(directory) : "above the root");
    failOnDemand();
    Syncer.SYSTEM.directory(directory);
  }

  private void failOnDemand() throws IOException {
    if (failing) {
      failing = false;
      throw new IOException("Input/output error");
    }
  }
}
