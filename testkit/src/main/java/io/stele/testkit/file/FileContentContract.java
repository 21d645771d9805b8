package io.stele.testkit.file;

import static io.stele.testkit.file.StoredBytes.random;
import static io.stele.testkit.file.StoredBytes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The half of {@link FileStoreContract} that is about what is in files. */
public abstract class FileContentContract {
  protected static final FilePath PATH = FilePath.of("directory/file");

  /** The store under test, new and empty for each test. */
  protected FileStore store;

  /** Opens an empty store. */
  protected abstract FileStore openStore() throws Exception;

  /**
   * Opens what {@link #store} holds once more, as after the end of this process: by a crash if that
   * can be had.
   */
  protected abstract FileStore openAgain() throws Exception;

  /** False for stores whose files appear only when they are complete. */
  protected boolean canSync() {
    return true;
  }

  @BeforeEach
  void openEmptyStore() throws Exception {
    store = openStore();
  }

  @AfterEach
  void closeStore() throws Exception {
    store.close();
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    byte[] content = random(1, 1000);
    StoredBytes.write(store, PATH, content);

    assertThat(read(store, PATH)).isEqualTo(content);
    assertThat(store.stat(PATH).orElseThrow().length()).isEqualTo(1000);
  }

  @Test
  void anEmptyFileIsAFile() throws IOException {
    StoredBytes.write(store, PATH, new byte[0]);

    assertThat(store.stat(PATH).orElseThrow().length()).isZero();
    try (ReadableFile file = store.open(PATH)) {
      assertThat(file.length()).isZero();
      file.read(0, new byte[0], 0, 0);
      assertThatThrownBy(() -> file.read(0, new byte[1], 0, 1)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void aFileOfManyBuffersIsReadAtAnyPosition() throws IOException {
    SplittableRandom random = new SplittableRandom(2);
    byte[] content = random(3, (5 << 20) + 12_345);
    try (WritableFile file = store.create(PATH)) {
      for (int done = 0; done < content.length; ) {
        int part = Math.min(content.length - done, random.nextInt(0, 700_000));
        file.write(content, done, part);
        done += part;
        assertThat(file.length()).isEqualTo(done);
      }
      file.finish();
    }
    try (ReadableFile file = store.open(PATH)) {
      assertThat(read(file)).isEqualTo(content);
      for (int i = 0; i < 300; i++) {
        int position = random.nextInt(content.length);
        int length = random.nextInt(Math.min(content.length - position, 300_000) + 1);
        byte[] part = new byte[length];
        file.read(position, part, 0, length);
        assertThat(part).isEqualTo(Arrays.copyOfRange(content, position, position + length));
      }
    }
  }

  @Test
  void aFileOfManySmallWritesIsWhole() throws IOException {
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    byte[] source = random(4, 64);
    try (WritableFile file = store.create(PATH)) {
      for (int i = 0; i < 20_000; i++) {
        int offset = i % 50;
        file.write(source, offset, i % 15);
        expected.write(source, offset, i % 15);
      }
      file.finish();
    }
    assertThat(read(store, PATH)).isEqualTo(expected.toByteArray());
  }

  @Test
  void writeTakesTheBytesAtTheCall() throws IOException {
    byte[] reused = {1, 2, 3, 4};
    try (WritableFile file = store.create(PATH)) {
      file.write(reused, 1, 2);
      Arrays.fill(reused, (byte) 9);
      file.write(reused, 0, 0);
      file.write(reused, 3, 1);
      file.finish();
    }
    assertThat(read(store, PATH)).containsExactly(2, 3, 9);
  }

  @Test
  void writeOutsideTheSourceIsRefusedAndChangesNothing() throws IOException {
    try (WritableFile file = store.create(PATH)) {
      assertThatThrownBy(() -> file.write(new byte[4], 2, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.write(new byte[4], -1, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(file.length()).isZero();
      file.write(new byte[] {7}, 0, 1);
      file.finish();
    }
    assertThat(read(store, PATH)).containsExactly(7);
  }

  @Test
  void aWritableFileKnowsItsPathAndLength() throws IOException {
    try (WritableFile file = store.create(PATH)) {
      assertThat(file.path()).isEqualTo(PATH);
      assertThat(file.length()).isZero();
      file.write(new byte[10], 2, 5);
      assertThat(file.length()).isEqualTo(5);
      file.finish();
      assertThat(file.length()).isEqualTo(5);
    }
  }

  @Test
  void syncMakesContentAndNameDurableAndLeavesTheFileOpen() throws Exception {
    if (!canSyncOrRefuses()) {
      return;
    }
    try (WritableFile file = store.create(PATH)) {
      file.write(new byte[] {1, 2}, 0, 2);
      file.sync();
      file.write(new byte[] {3}, 0, 1);
      file.sync();
      assertThat(read(store, PATH)).containsExactly(1, 2, 3);
      try (FileStore again = openAgain()) {
        assertThat(read(again, PATH)).containsExactly(1, 2, 3);
        assertThat(again.stat(PATH).orElseThrow().length()).isEqualTo(3);
        assertThat(again.list(PATH.parent())).hasSize(1);
      }
    }
  }

  /** Whether files can be synced before their end; if not, a sync must be refused. */
  final boolean canSyncOrRefuses() throws IOException {
    if (!canSync()) {
      try (WritableFile file = store.create(FilePath.of("not synced"))) {
        file.write(new byte[] {1, 2}, 0, 2);
        assertThatThrownBy(file::sync)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("not synced")
            .hasMessageContaining("finish");
      }
    }
    return canSync();
  }

  @Test
  void syncOfAnEmptyFileMakesItsNameDurable() throws Exception {
    if (canSyncOrRefuses()) {
      try (WritableFile file = store.create(PATH)) {
        file.sync();
        try (FileStore again = openAgain()) {
          assertThat(again.stat(PATH)).isPresent();
          assertThat(read(again, PATH)).isEmpty();
        }
      }
    }
  }

  @Test
  void everySyncedPartIsThereForAReaderThatOpensAfterwards() throws IOException {
    if (canSyncOrRefuses()) {
      byte[] content = random(5, 40 * 7_001);
      try (WritableFile file = store.create(PATH)) {
        for (int end = 7_001; end <= content.length; end += 7_001) {
          file.write(content, end - 7_001, 7_001);
          file.sync();
          assertThat(read(store, PATH)).isEqualTo(Arrays.copyOf(content, end));
        }
      }
    }
  }

  @Test
  void finishEndsTheFileAtItsWrittenLengthAndMakesItDurable() throws Exception {
    try (WritableFile file = store.create(PATH)) {
      file.preallocate(100_000);
      file.write(new byte[] {1, 2}, 0, 2);
      file.finish();
      try (FileStore again = openAgain()) {
        assertThat(read(again, PATH)).containsExactly(1, 2);
      }
    }
  }

  @Test
  void aFinishedFileTakesNothingMoreAndMayBeClosedAgain() throws IOException {
    WritableFile file = store.create(PATH);
    file.write(new byte[] {1}, 0, 1);
    file.finish();

    assertThatThrownBy(() -> file.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    assertThatThrownBy(file::finish).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> file.preallocate(10)).isInstanceOf(IOException.class);
    file.close();
    file.close();
    assertThat(read(store, PATH)).containsExactly(1);
  }

  @Test
  void closeAfterASyncEndsTheFileAtItsWrittenLength() throws IOException {
    if (canSyncOrRefuses()) {
      try (WritableFile file = store.create(PATH)) {
        file.preallocate(100_000);
        file.write(new byte[] {1, 2}, 0, 2);
        file.sync();
        file.write(new byte[] {3}, 0, 1);
      }
      assertThat(read(store, PATH)).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aFileThatWasGivenUpCanBeDeletedAndWrittenAnew() throws IOException {
    try (WritableFile file = store.create(PATH)) {
      file.write(new byte[10], 0, 10);
    }
    store.delete(PATH);
    StoredBytes.write(store, PATH, new byte[] {5});
    assertThat(read(store, PATH)).containsExactly(5);
  }

  @Test
  void preallocationShowsAtMostZerosBehindTheWrittenPart() throws IOException {
    if (canSyncOrRefuses()) {
      try (WritableFile file = store.create(PATH)) {
        file.write(new byte[] {1, 2, 3}, 0, 3);
        file.preallocate(600_000);
        file.write(new byte[] {4}, 0, 1);
        file.sync();
        assertThat(file.length()).isEqualTo(4);

        byte[] found = read(store, PATH);
        assertThat(Arrays.copyOf(found, 4)).containsExactly(1, 2, 3, 4);
        assertThat(Arrays.copyOfRange(found, 4, found.length))
            .isEqualTo(new byte[found.length - 4]);

        file.write(random(6, 700_000), 0, 700_000);
        file.preallocate(0);
        file.preallocate(1_000);
        file.sync();
        file.finish();
      }
      byte[] found = read(store, PATH);
      assertThat(found).hasSize(700_004);
      assertThat(Arrays.copyOfRange(found, 4, found.length)).isEqualTo(random(6, 700_000));
    }
  }

  @Test
  void preallocationOfLessThanNothingIsRefused() throws IOException {
    try (WritableFile file = store.create(PATH)) {
      assertThatThrownBy(() -> file.preallocate(-1)).isInstanceOf(IllegalArgumentException.class);
      file.finish();
    }
  }

  @Test
  void aReadableFileKnowsItsPathAndTheLengthItHadWhenOpened() throws IOException {
    if (canSyncOrRefuses()) {
      try (WritableFile writer = store.create(PATH)) {
        writer.write(new byte[] {1, 2}, 0, 2);
        writer.sync();
        try (ReadableFile reader = store.open(PATH)) {
          writer.write(new byte[] {3}, 0, 1);
          writer.sync();
          assertThat(reader.path()).isEqualTo(PATH);
          assertThat(reader.length()).isEqualTo(2);
          assertThat(read(reader)).containsExactly(1, 2);
          assertThatThrownBy(() -> reader.read(1, new byte[2], 0, 2))
              .isInstanceOf(EOFException.class);
        }
      }
    }
  }

  @Test
  void readFillsItsPartOfTheTargetAndNoOther() throws IOException {
    StoredBytes.write(store, PATH, new byte[] {1, 2, 3, 4, 5});
    byte[] target = new byte[6];
    try (ReadableFile file = store.open(PATH)) {
      file.read(1, target, 2, 3);
    }
    assertThat(target).containsExactly(0, 0, 2, 3, 4, 0);
  }

  @Test
  void readBeyondTheEndIsAnEndOfFile() throws IOException {
    StoredBytes.write(store, PATH, new byte[10]);
    try (ReadableFile file = store.open(PATH)) {
      file.read(0, new byte[10], 0, 10);
      file.read(10, new byte[10], 0, 0);
      for (long position : new long[] {1, 9, 10, 11, 1L << 33, Long.MAX_VALUE}) {
        assertThatThrownBy(() -> file.read(position, new byte[10], 0, 10))
            .as("position %d", position)
            .isInstanceOf(EOFException.class)
            .hasMessageContaining(PATH.value());
      }
    }
  }

  @Test
  void readOutsideTheTargetOrBeforeTheFileIsRefused() throws IOException {
    StoredBytes.write(store, PATH, new byte[10]);
    try (ReadableFile file = store.open(PATH)) {
      for (Runnable wrong :
          List.<Runnable>of(
              () -> readQuietly(file, 0, new byte[4], 2, 3),
              () -> readQuietly(file, 0, new byte[4], -1, 3),
              () -> readQuietly(file, 0, new byte[4], 0, -1),
              () -> readQuietly(file, -1, new byte[4], 0, 1))) {
        assertThatThrownBy(wrong::run).isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  private static void readQuietly(
      ReadableFile file, long position, byte[] target, int offset, int length) {
    try {
      file.read(position, target, offset, length);
    } catch (IOException e) {
      throw new AssertionError("a wrong argument is no failure of the file", e);
    }
  }

  @Test
  void manyThreadsReadOneFileAtOnce() throws Exception {
    byte[] content = random(7, 3 << 20);
    StoredBytes.write(store, PATH, content);
    try (ReadableFile file = store.open(PATH)) {
      List<Boolean> equal =
          Concurrently.run(
              8,
              thread ->
                  () -> {
                    SplittableRandom random = new SplittableRandom(thread);
                    boolean same = true;
                    for (int i = 0; i < 100; i++) {
                      int position = random.nextInt(content.length - 70_000);
                      byte[] part = new byte[70_000];
                      file.read(position, part, 0, part.length);
                      same &= Arrays.equals(part, 0, 70_000, content, position, position + 70_000);
                    }
                    return same;
                  });
      assertThat(equal).containsOnly(true);
    }
  }

  @Test
  void readAfterCloseIsAnError() throws IOException {
    for (int length : new int[] {0, 10}) {
      FilePath path = FilePath.of("length " + length);
      StoredBytes.write(store, path, new byte[length]);
      ReadableFile file = store.open(path);
      file.close();
      file.close();
      assertThatThrownBy(() -> file.read(0, new byte[length], 0, length))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void closeWhileOthersReadGivesThemAnErrorAndNothingWorse() throws Exception {
    byte[] content = random(8, 1 << 20);
    StoredBytes.write(store, PATH, content);
    for (int round = 0; round < 20; round++) {
      ReadableFile file = store.open(PATH);
      CountDownLatch reading = new CountDownLatch(3);
      List<Boolean> ended =
          Concurrently.run(
              4,
              thread ->
                  thread == 0
                      ? () -> {
                        reading.await();
                        file.close();
                        return true;
                      }
                      : () -> readUntilClosed(file, content, reading));
      assertThat(ended).containsOnly(true);
    }
  }

  private static boolean readUntilClosed(
      ReadableFile file, byte[] content, CountDownLatch reading) {
    byte[] target = new byte[content.length];
    int reads = 0;
    try {
      while (true) {
        file.read(0, target, 0, target.length);
        if (!Arrays.equals(target, content)) {
          return false;
        }
        if (reads++ == 0) {
          reading.countDown();
        }
      }
    } catch (IOException closed) {
      return reads > 0;
    }
  }

  @Test
  void filesAreWrittenSideBySide() throws Exception {
    Concurrently.run(
        6,
        thread ->
            () -> {
              FilePath path = FilePath.of("side/by/side-" + thread);
              StoredBytes.write(store, path, random(thread, 900_000 + thread));
              return true;
            });
    for (int thread = 0; thread < 6; thread++) {
      byte[] found = read(store, FilePath.of("side/by/side-" + thread));
      assertThat(Arrays.equals(found, random(thread, 900_000 + thread))).isTrue();
    }
    assertThat(store.list(FilePath.of("side/by"))).hasSize(6);
    assertThatCode(() -> store.list(FilePath.ROOT)).doesNotThrowAnyException();
  }
}
