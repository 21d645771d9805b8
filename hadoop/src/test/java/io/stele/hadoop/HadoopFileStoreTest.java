package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.file.LocalFileStore;
import io.stele.testkit.file.StoredBytes;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How a store is found, named and kept tidy. */
class HadoopFileStoreTest {
  private static final FilePath PATH = FilePath.of("directory/file");

  @RegisterExtension static final MiniDfs DFS = new MiniDfs();

  @TempDir Path directory;

  @Test
  void isFoundByTheSchemeOfItsLocation() throws IOException {
    URI root = DFS.newRoot();
    try (FileStore store = FileStores.open(root, Map.of("dfs.replication", "1"))) {
      assertThat(store).isInstanceOf(HadoopFileStore.class);
      assertThat(store.describe()).isEqualTo(root.toString());
      StoredBytes.write(store, PATH, new byte[] {1, 2});
    }
    try (FileStore again = FileStores.open(root.toString())) {
      assertThat(StoredBytes.read(again, PATH)).containsExactly(1, 2);
    }
  }

  @Test
  void leavesLocalDirectoriesToTheStoreThatSyncsThem() throws IOException {
    try (FileStore store = FileStores.open(directory.toUri())) {
      assertThat(store).isInstanceOf(LocalFileStore.class);
    }
  }

  @Test
  void optionsAreHadoopProperties() throws IOException {
    URI root = DFS.newRoot();
    try (FileStore store =
        FileStores.open(root, Map.of("dfs.replication", "1", "dfs.blocksize", "1048576"))) {
      StoredBytes.write(store, PATH, new byte[3 << 20]);
      assertThat(StoredBytes.read(store, PATH)).hasSize(3 << 20);
    }
    var status =
        DFS.cluster()
            .getFileSystem()
            .getFileStatus(new org.apache.hadoop.fs.Path(root.getPath() + "/" + PATH));
    assertThat(status.getBlockSize()).isEqualTo(1 << 20);
    assertThat(status.getReplication()).isEqualTo((short) 1);
  }

  @Test
  void aSchemeThatHadoopDoesNotKnowIsToldWhatItKnows() {
    assertThatThrownBy(() -> FileStores.open("s3a://bucket/stele"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"s3a\"")
        .hasMessageContaining("file, hdfs, memory, viewfs")
        .hasMessageContaining("hadoop-aws");
  }

  @Test
  void schemesThatCannotKeepAFileAreRefused() {
    for (String location : new String[] {"webhdfs://host:1/x", "https://host/x", "har:///x"}) {
      assertThatThrownBy(() -> FileStores.open(location))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(location);
    }
  }

  @Test
  void aNameThatHdfsCannotHaveIsAnInvalidRequest() throws IOException {
    try (FileStore store = DFS.open(DFS.newRoot())) {
      assertThatThrownBy(() -> store.create(FilePath.of("a:b")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("a:b");
      assertThatThrownBy(() -> store.open(FilePath.of("a:b")))
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void theStoresOwnDirectoryIsHiddenAndSweptOfOldLeftovers() throws IOException {
    Path own = Files.createDirectories(directory.resolve(".stele-tmp"));
    Path old = Files.write(own.resolve("old"), new byte[1]);
    Path fresh = Files.write(own.resolve("fresh"), new byte[1]);
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(25))));

    try (FileStore store = HadoopFileStore.open(directory.toUri(), new Configuration())) {
      assertThat(old).doesNotExist();
      assertThat(fresh).exists();
      assertThat(store.list(FilePath.ROOT)).isEmpty();
      for (String taken : new String[] {".stele-tmp", ".stele-tmp/x"}) {
        assertThatThrownBy(() -> store.create(FilePath.of(taken)))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining(taken);
      }
      store.replace(PATH, new byte[1]);
    }
    assertThat(own.toFile().list()).containsExactly("fresh");
  }

  @Test
  void hadoopsLayerOfChecksumsIsLeftOut() throws IOException {
    try (FileStore store = HadoopFileStore.open(directory.toUri(), new Configuration());
        var file = store.create(PATH)) {
      file.write(new byte[10], 0, 10);
      file.sync();
      assertThat(directory.resolve(PATH.value())).hasSize(10);
      assertThat(directory.resolve("directory").toFile().list()).containsExactly("file");
    }
  }

  @Test
  void aRootThatIsAFileIsRefused() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[1]);
    assertThatThrownBy(() -> HadoopFileStore.open(file.toUri(), new Configuration()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void ourDefaultsGiveWayToWhatWasSet() {
    Configuration plain = ClientSettings.derive(new Configuration());
    assertThat(plain.get(ClientSettings.CLOSE_DELAY)).isEqualTo("10");
    assertThat(plain.get(ClientSettings.CLOSE_RETRIES)).isEqualTo("10");
    assertThat(plain.getBoolean("fs.automatic.close", true)).isFalse();

    Configuration configured = new Configuration();
    configured.set(ClientSettings.CLOSE_DELAY, "123");
    assertThat(ClientSettings.derive(configured).get(ClientSettings.CLOSE_DELAY)).isEqualTo("123");
  }
}
