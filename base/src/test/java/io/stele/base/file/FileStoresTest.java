package io.stele.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoresTest {
  @TempDir Path directory;

  @Test
  void pathsAndFileUrisAreLocalDirectories() throws IOException {
    Path root = directory.toRealPath().resolve("a b");
    for (String location :
        new String[] {root.toString(), "file:" + directory.toRealPath() + "/a%20b"}) {
      try (FileStore store = FileStores.open(location)) {
        store.replace(FilePath.of("file"), new byte[1]);
        assertThat(store.describe()).isEqualTo("file:" + root);
      }
      assertThat(root.resolve("file")).exists();
      Files.delete(root.resolve("file"));
    }
    try (FileStore store = FileStores.open(root.toUri())) {
      assertThat(store.describe()).isEqualTo("file:" + root);
    }
  }

  @Test
  void memoryIsNewEachTime() throws IOException {
    try (FileStore first = FileStores.open("memory:");
        FileStore second = FileStores.open(URI.create("memory:/"))) {
      first.replace(FilePath.of("file"), new byte[1]);
      assertThat(second.list(FilePath.ROOT)).isEmpty();
    }
  }

  @Test
  void anUnknownSchemeIsToldWhatIsKnownAndWhatIsMissing() {
    assertThatThrownBy(() -> FileStores.open("s3a://key:secret@bucket/stele"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"s3a\" of s3a://bucket/stele;")
        .hasMessageContaining("known here: file, memory.")
        .hasMessageContaining("stele-hadoop")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aLocationThatNamesNoDirectoryIsRefused() {
    for (String wrong : new String[] {"file://host/path", "file://", "hdfs://a b/"}) {
      assertThatThrownBy(() -> FileStores.open(wrong))
          .as(wrong)
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void optionsThatNobodyReadsAreRefused() {
    for (String location : new String[] {"file:/nowhere", "memory:/"}) {
      assertThatThrownBy(() -> FileStores.open(URI.create(location), Map.of("colour", "red")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("colour");
    }
    assertThat(Path.of("/nowhere")).doesNotExist();
  }
}
