package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.testkit.file.FileStoreContract;
import io.stele.testkit.file.StoredBytes;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores whose files appear only when they are complete, such as S3. */
class ObjectStoreContractTest extends FileStoreContract {
  @TempDir Path directory;

  @Override
  protected FileStore openStore() throws IOException {
    return open(true);
  }

  @Override
  protected FileStore openAgain() throws IOException {
    return open(true);
  }

  private FileStore open(boolean abortable) throws IOException {
    return HadoopFileStore.open(
        URI.create("whole://" + directory), WholeFileSystem.configuration(abortable));
  }

  @Override
  protected boolean canSync() {
    return false;
  }

  @Override
  protected List<String> unusualNames() {
    Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding"));
    return super.unusualNames().stream()
        .filter(name -> encoding.newEncoder().canEncode(name))
        .toList();
  }

  @Test
  void aFileThatCannotBeSyncedSaysWhyAndCanStillBeFinished() throws IOException {
    try (WritableFile file = store.create(PATH)) {
      file.write(new byte[] {1}, 0, 1);
      assertThatThrownBy(file::sync)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(PATH.value())
          .hasMessageContaining("appear only when they are complete")
          .hasMessageContaining("finish()");
      assertThat(store.stat(PATH)).isEmpty();
      file.finish();
    }
    assertThat(StoredBytes.read(store, PATH)).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileThatIsClosedWithoutBeingFinishedLeavesNothing(boolean abortable) throws IOException {
    try (FileStore other = open(abortable)) {
      try (WritableFile file = other.create(PATH)) {
        file.write(new byte[10], 0, 10);
      }
      assertThat(other.stat(PATH)).isEmpty();
      other.replace(PATH, new byte[] {1});
      other.replace(PATH, new byte[] {2});
      assertThat(StoredBytes.read(other, PATH)).containsExactly(2);
      assertThat(other.list(FilePath.ROOT)).hasSize(1);
    }
    assertThat(directory.resolve(".stele-tmp").toFile().list()).isNullOrEmpty();
  }
}
