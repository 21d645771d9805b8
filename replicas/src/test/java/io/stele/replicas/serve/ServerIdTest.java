package io.stele.replicas.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ServerIdTest {
  private static final FilePath FILE = FilePath.of("server-id");

  private final MemoryFileStore files = new MemoryFileStore();

  /** The file as it was first written; it is read for ever. */
  @Test
  void theNameOfADirectoryStays() throws IOException {
    String id = ServerId.of(files, RandomSource.seeded(1));
    byte[] stored = FormatFile.read("server-id-v1.txt", StoredBytes.read(files, FILE));
    files.replace(FILE, stored);
    assertThat(ServerId.of(files, RandomSource.seeded(2)))
        .isEqualTo(id)
        .isEqualTo(new String(stored, StandardCharsets.UTF_8));
  }

  @Test
  void whatIsNoNameIsRefused() throws IOException {
    files.replace(FILE, "0123456789abcdeg".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> ServerId.of(files, RandomSource.seeded(1)))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("16 hexadecimal digits");
  }
}
