package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a new data directory, on the files of tables of another. */
@Timeout(60)
class ForeignFilesTest {
  @TempDir Path folder;
  private String id;

  @BeforeEach
  void makeFiles() throws IOException {
    try (TestServer first = TestServer.start(folder.resolve("first"), files())) {
      first.server().tables().create("t", TableSchema.ofFamilies("f"), List.of());
    }
    id = Files.readString(folder.resolve("files/CLUSTER")).split(" ")[2];
  }

  private String files() {
    return "tables.files=" + folder.resolve("files");
  }

  private void checkFirst() throws IOException {
    try (TestServer first = TestServer.start(folder.resolve("first"), files())) {
      assertThat(first.server().tables().list(false)).containsExactly("t");
    }
  }

  @Test
  void aServerAloneDoesNotStart() throws IOException {
    assertThatThrownBy(() -> TestServer.start(folder.resolve("second"), files()).close())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("set tables.files to another place");
    checkFirst();
  }

  @Test
  void aServerOfAClusterEnds() throws IOException {
    try (TestServer second =
        TestServer.start(folder.resolve("second"), files(), "tables.shared=true")) {
      await("that it ends")
          .atMost(Duration.ofSeconds(30))
          .until(() -> second.server().ended().isDone());
      assertThatThrownBy(() -> second.server().ended().get())
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(id);
    }
    checkFirst();
  }
}
