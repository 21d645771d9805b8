package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.testkit.file.StoredBytes;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** That bytes reach the disks of the data nodes, by the data nodes' own count. */
@ResourceLock(MiniDfs.LOCK)
class HdfsDurabilityTest {
  private static final FilePath PATH = FilePath.of("directory/file");

  @RegisterExtension static final MiniDfs DFS = new MiniDfs();

  @Test
  void everySyncIsASyncOfTheDataNodesDisk() throws IOException {
    try (FileStore store = DFS.open(DFS.newRoot());
        WritableFile file = store.create(PATH)) {
      for (int i = 0; i < 5; i++) {
        long before = DFS.syncsOfDataNodes();
        file.write(new byte[100], 0, 100);
        assertThat(DFS.syncsOfDataNodes()).isEqualTo(before);
        file.sync();
        assertThat(DFS.syncsOfDataNodes()).isGreaterThan(before);
      }
    }
  }

  @Test
  void finishAndReplaceSyncTheDataNodesDisk() throws IOException {
    try (FileStore store = DFS.open(DFS.newRoot())) {
      long before = DFS.syncsOfDataNodes();
      StoredBytes.write(store, PATH, new byte[100]);
      long finished = DFS.syncsOfDataNodes();
      assertThat(finished).isGreaterThan(before);

      store.replace(PATH, new byte[200]);
      assertThat(DFS.syncsOfDataNodes()).isGreaterThan(finished);
    }
  }

  @Test
  void allBlocksOfAFileAreSyncedAndNotOnlyTheLast() throws IOException {
    Configuration smallBlocks = DFS.client();
    Map.of("dfs.blocksize", "1048576", "dfs.replication", "1").forEach(smallBlocks::set);
    try (FileStore store = HadoopFileStore.open(DFS.newRoot(), smallBlocks)) {
      long before = DFS.syncsOfDataNodes();
      StoredBytes.write(store, PATH, new byte[8 << 20]);
      // One sync each of eight blocks; a file that is only synced at its end has two or three.
      assertThat(DFS.syncsOfDataNodes() - before).isGreaterThanOrEqualTo(8);
    }
  }
}
