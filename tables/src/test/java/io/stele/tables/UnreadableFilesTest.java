package io.stele.tables;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.tables.event.TableEvent;
import io.stele.tables.event.TableEvent.FileNotWritten;
import io.stele.tables.event.TableEvent.FileReadable;
import io.stele.tables.event.TableEvent.FileUnreadable;
import io.stele.tables.event.TableEvent.FilesWritable;
import io.stele.testkit.file.FailingDisk;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A server alone whose disk fails to read or write some files. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class UnreadableFilesTest {
  private final MemoryFileStore files = new MemoryFileStore();
  private final FailingDisk disk = new FailingDisk();
  private final TestServer server = TestServer.open(disk.of(files));

  @AfterEach
  void end() {
    server.abandon();
  }

  /** A row in a file, and another one in memory. */
  private FilePath write() {
    server.server.create("t", TableSchema.ofFamilies("f"), List.of());
    server.table("t").apply(put("stored", "f:", 1, "x"));
    server.server.flush("t");
    server.table("t").apply(put("fresh", "f:", 1, "x"));
    return FilePath.of(server.server.tablets("t").getFirst().files().getFirst().path());
  }

  @Test
  void aFileThatCannotBeReadIsToldByNameAndForgottenWhenItCanBe() {
    FilePath file = write();
    disk.failReads(file::equals);
    assertThatThrownBy(() -> server.table("t").row("stored"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(file.value())
        .hasMessageContaining("Input/output error");
    FileUnreadable told = server.events(FileUnreadable.class).getFirst();
    assertThat(told.text()).contains(file.value()).contains("Input/output error");
    assertThat(told.damaged()).isFalse();
    server.server.runUpkeep();
    assertThatThrownBy(() -> server.table("t").row("stored"))
        .isInstanceOf(UnavailableException.class);
    assertThat(server.events(FileUnreadable.class)).as("once").hasSize(1);
    assertThat(server.events(FileReadable.class)).isEmpty();
    assertThat(server.server.failure()).as("the log works").isNotDone();

    disk.repair();
    server.server.runUpkeep();
    assertThat(server.events(FileReadable.class)).hasSize(1);
    assertThat(server.table("t").row("stored")).hasSize(1);
  }

  @Test
  void aDamagedFileIsToldAsDamaged() throws IOException {
    FilePath file = write();
    files.corrupt(file, 8 * 20);
    assertThatThrownBy(() -> server.table("t").row("stored"))
        .isInstanceOf(CorruptDataException.class);
    FileUnreadable told = server.events(FileUnreadable.class).getFirst();
    assertThat(told.damaged()).isTrue();
    assertThat(told.text()).contains(file.value()).contains("is damaged").contains("checksum");
    server.server.runUpkeep();
    assertThat(server.events(FileReadable.class)).isEmpty();
    files.corrupt(file, 8 * 20); // as it was
    server.server.runUpkeep();
    assertThat(server.events(FileReadable.class)).hasSize(1);
  }

  @Test
  void aFileThatNothingNeedsAnyMoreIsForgotten() throws IOException {
    FilePath file = write();
    disk.failReads(file::equals);
    assertThatThrownBy(() -> server.table("t").row("stored"))
        .isInstanceOf(UnavailableException.class);
    server.server.drop("t");
    disk.repair();
    files.delete(file);
    server.server.runUpkeep();
    assertThat(server.events(FileReadable.class)).hasSize(1);
  }

  @Test
  void aFlushThatFailsIsToldByNameAndDoneWhenTheDiskWorks() {
    write();
    disk.failWrites(path -> path.value().startsWith("fragments"));
    assertThatThrownBy(() -> server.server.flush("t"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("Input/output error");
    TableEvent told = server.events(FileNotWritten.class).getFirst();
    assertThat(told.text()).contains("fragments/").contains("Input/output error");
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> server.server.flush("t")).isInstanceOf(UnavailableException.class);
    }
    assertThat(server.server.failure()).as("there is nobody else").isNotDone();
    assertThat(server.table("t").all()).hasSize(2);

    disk.repair();
    server.server.flush("t");
    assertThat(server.events(FilesWritable.class)).hasSize(1);
    await().untilAsserted(() -> assertThat(server.table("t").all()).hasSize(2));
  }
}
