package io.stele.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files and directories a local store syncs, and when. */
class LocalFileStoreSyncTest {
  private static final byte[] BYTES = new byte[1000];

  @TempDir Path base;
  private RecordingSyncer syncer;
  private LocalFileStore store;

  @BeforeEach
  void open() throws IOException {
    Path root = base.toRealPath().resolve("root");
    Files.createDirectory(root);
    syncer = new RecordingSyncer(root);
    store = LocalFileStore.open(root, syncer);
    assertThat(syncer.taken()).isEmpty();
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  @Test
  void aNewRootIsDurableWithAllThatItLiesIn() throws IOException {
    Path above = base.toRealPath();
    RecordingSyncer recorded = new RecordingSyncer(above);
    LocalFileStore.open(above.resolve("a/b/c"), recorded).close();

    assertThat(recorded.taken()).containsExactly("/", "/a", "/a/b");
  }

  @Test
  void theFirstSyncMakesTheNameDurableUpToTheRootAndLaterOnesOnlyTheContent() throws IOException {
    try (WritableFile file = store.create(FilePath.of("a/b/file"))) {
      file.write(BYTES, 0, BYTES.length);
      assertThat(syncer.taken()).isEmpty();

      file.sync();
      assertThat(syncer.taken()).containsExactly("all", "/a/b", "/", "/a");

      file.write(BYTES, 0, BYTES.length);
      file.sync();
      assertThat(syncer.taken()).containsExactly("all");
    }
    assertThat(syncer.taken()).isEmpty();
  }

  @Test
  void aDirectoryThatAnotherFileMadeIsSyncedByWhoeverSyncsFirst() throws IOException {
    try (WritableFile maker = store.create(FilePath.of("a/first"));
        WritableFile other = store.create(FilePath.of("a/second"))) {
      assertThat(maker.length()).isZero();
      other.sync();
      assertThat(syncer.taken()).containsExactly("all", "/a", "/");

      maker.sync();
      assertThat(syncer.taken()).containsExactly("all", "/a");
    }
  }

  @Test
  void aDirectoryThatWasDeletedAndMadeAgainIsSyncedAgain() throws IOException {
    FilePath path = FilePath.of("a/file");
    store.replace(path, BYTES);
    assertThat(syncer.taken()).containsExactly("all", "/a", "/");

    store.delete(path);
    store.delete(path.parent());
    store.replace(path, BYTES);
    assertThat(syncer.taken()).containsExactly("all", "/a", "/");

    store.replace(path, BYTES);
    assertThat(syncer.taken()).containsExactly("all", "/a");
  }

  @Test
  void syncsInsideThePreallocatedPartChangeNoLength() throws IOException {
    try (WritableFile file = store.create(FilePath.of("log"))) {
      file.preallocate(2_500);
      assertThat(syncer.taken()).containsExactly("all");

      file.write(BYTES, 0, 1000);
      file.sync();
      assertThat(syncer.taken()).containsExactly("data", "/");
      file.write(BYTES, 0, 1000);
      file.sync();
      assertThat(syncer.taken()).containsExactly("data");
      assertThat(store.stat(file.path()).orElseThrow().length()).isEqualTo(2_500);

      file.write(BYTES, 0, 1000);
      file.sync();
      assertThat(syncer.taken()).containsExactly("all");
      assertThat(store.stat(file.path()).orElseThrow().length()).isEqualTo(3_000);
    }
  }

  @Test
  void finishSyncsTheLengthThatIsLeftWhenTheZerosAreCutOff() throws IOException {
    try (WritableFile file = store.create(FilePath.of("log"))) {
      file.preallocate(2_500);
      file.write(BYTES, 0, 1000);
      syncer.taken();
      file.finish();
    }
    assertThat(syncer.taken()).containsExactly("all", "/");
    assertThat(store.stat(FilePath.of("log")).orElseThrow().length()).isEqualTo(1_000);
  }

  @Test
  void syncOfAFileThatOthersWroteSyncsItsNameToo() throws IOException {
    Path directory = Files.createDirectories(base.resolve("root/a/b"));
    Files.write(directory.resolve("file"), BYTES);

    store.sync(FilePath.of("a/b/file"));
    assertThat(syncer.taken()).containsExactly("all", "/a/b", "/", "/a");

    syncer.failNext();
    assertThatThrownBy(() -> store.sync(FilePath.of("a/b/file")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a/b/file: Input/output error");
  }

  @Test
  void renameSyncsBothDirectories() throws IOException {
    store.replace(FilePath.of("from/file"), BYTES);
    syncer.taken();

    store.rename(FilePath.of("from/file"), FilePath.of("to/file"));
    assertThat(syncer.taken()).containsExactly("/to", "/", "/from");

    store.rename(FilePath.of("to/file"), FilePath.of("to/other"));
    assertThat(syncer.taken()).containsExactly("/to");
  }

  @Test
  void afterAFailedSyncNoLaterOneSucceeds() throws IOException {
    WritableFile file = store.create(FilePath.of("log"));
    file.write(BYTES, 0, BYTES.length);
    syncer.failNext();

    assertThatThrownBy(file::sync)
        .isInstanceOf(IOException.class)
        .hasMessage("cannot sync log at 1000: Input/output error");
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class).hasMessageContaining("earlier");
    assertThatThrownBy(() -> file.write(BYTES, 0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(file::finish).isInstanceOf(IOException.class);
    file.close();
  }

  @Test
  void aFailedSyncOfTheDirectoryIsTriedAgainByTheNextFile() throws IOException {
    try (WritableFile file = store.create(FilePath.of("a/first"))) {
      file.write(BYTES, 0, BYTES.length);
      syncer.taken();
      // Fails the sync of the content, so that the directories stay unsynced.
      syncer.failNext();
      assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    }
    syncer.taken();
    store.replace(FilePath.of("a/second"), BYTES);
    assertThat(syncer.taken()).containsExactly("all", "/a", "/");
  }

  @Test
  void aFailedReplaceLeavesTheOldContentAndNoTemporary() throws IOException {
    FilePath path = FilePath.of("pointer");
    store.replace(path, new byte[] {1});
    syncer.failNext();

    assertThatThrownBy(() -> store.replace(path, new byte[] {2}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("pointer")
        .hasMessageContaining("Input/output error");
    byte[] found = new byte[1];
    try (ReadableFile file = store.open(path)) {
      file.read(0, found, 0, 1);
    }
    assertThat(found).containsExactly(1);
    assertThat(base.resolve("root").toFile().list()).containsExactly("pointer");
  }
}
