package io.stele.base.recordlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.StoreCall;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RecordLogTest {
  private static final FilePath PATH = FilePath.of("manifest.log");
  private static final int HEADER = RecordFormat.FILE_HEADER;
  private static final int FRAME = RecordFormat.RECORD_HEADER;

  private final RecordingFiles files = new RecordingFiles();

  @Test
  void recordsOfAllSizesAreReadBackInOrderWithTheirPositions() throws IOException {
    // Around the sizes of the writer's and the reader's buffers, where copies begin and end.
    int[] sizes = {
      1, 15, 16, 17, (1 << 20) - 17, (1 << 20) - 16, (1 << 20) - 15, 3 << 20, 5, 70_000
    };
    RandomGenerator random = RandomSource.seeded(1);
    List<Bytes> written = new ArrayList<>();
    List<Long> positions = new ArrayList<>();
    try (RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0)) {
      for (int round = 0; round < 3; round++) {
        for (int size : sizes) {
          byte[] array = new byte[size + 7];
          random.nextBytes(array);
          positions.add(writer.length());
          writer.append(array, 3, size);
          written.add(Bytes.copyOf(array, 3, size));
          Arrays.fill(array, (byte) 0); // the writer must not look at it again
        }
        writer.sync();
      }
    }

    List<Bytes> read = new ArrayList<>();
    List<Long> readPositions = new ArrayList<>();
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      while (reader.next()) {
        read.add(Bytes.copyOf(reader.buffer(), reader.offset(), reader.length()));
        readPositions.add(reader.recordPosition());
      }
      assertThat(reader.tail())
          .isEqualTo(new Tail.Clean(LogBytes.content(files, PATH).length - FRAME));
      assertThat(reader.next()).isFalse();
    }
    assertThat(read).isEqualTo(written);
    assertThat(readPositions).isEqualTo(positions);
  }

  @Test
  void anEmptyLogIsCleanWhetherOrNotItWasClosed() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    assertThat(tailOf(LogBytes.content(files, PATH))).isEqualTo(new Tail.Clean(HEADER));
    writer.close();
    assertThat(tailOf(LogBytes.content(files, PATH))).isEqualTo(new Tail.Clean(HEADER));
  }

  @Test
  void appendBuffersWriteHandsOverAndSyncMakesDurable() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    assertThat(files.takeCalls()).containsExactly("write 24", "sync");

    append(writer, 10);
    append(writer, 20);
    assertThat(files.takeCalls()).isEmpty();
    assertThat(writer.length()).isEqualTo(HEADER + 2 * FRAME + 30);

    writer.write();
    writer.write();
    assertThat(files.takeCalls()).containsExactly("write 62");
    assertThat(writer.syncedLength()).isEqualTo(HEADER);

    writer.sync();
    assertThat(files.takeCalls()).containsExactly("sync");
    assertThat(writer.syncedLength()).isEqualTo(writer.length());

    writer.sync();
    assertThat(files.takeCalls()).as("nothing new to make durable").isEmpty();

    append(writer, 1);
    writer.close();
    assertThat(files.takeCalls()).containsExactly("write 17", "sync", "write 16", "close");
    writer.close();
    assertThat(files.takeCalls()).isEmpty();
  }

  @Test
  void spaceIsPreallocatedAStepAtATimeJustBeforeItIsNeeded() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 1_600);
    assertThat(files.takeCalls()).as("the header comes first").containsExactly("write 24", "sync");

    append(writer, 84);
    writer.write();
    assertThat(files.takeCalls()).containsExactly("preallocate 1600", "write 100");
    for (int i = 0; i < 15; i++) { // up to the allocated end exactly
      append(writer, 84);
      writer.write();
    }
    assertThat(files.takeCalls()).hasSize(15).containsOnly("write 100");

    append(writer, 84);
    writer.write();
    assertThat(files.takeCalls()).containsExactly("preallocate 1600", "write 100");
  }

  @Test
  void aLargeWriteGrowsTheFileItselfAndSmallOnesBehindItArePreallocatedAgain() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 1_600);
    append(writer, 85);
    writer.write();
    append(writer, 5_000);
    writer.write();
    append(writer, 84);
    writer.write();
    assertThat(files.takeCalls())
        .containsExactly(
            "write 24", "sync", "write 101", "write 5016", "preallocate 1600", "write 100");
  }

  /** A copy would be a large allocation in a thread that must not fail for want of memory. */
  @Test
  void aLargeRecordWithAHeadIsWrittenWithoutACopy() throws IOException {
    byte[] rest = new byte[3 << 20];
    new Random(7).nextBytes(rest);
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    files.takeCalls();
    writer.append(new byte[] {1, 2, 3}, rest, 1, rest.length - 1);
    assertThat(files.takeCalls())
        .containsExactly("write 16", "write 3", "write " + (rest.length - 1));
    writer.close();
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.length()).isEqualTo(rest.length + 2);
      assertThat(reader.buffer()[reader.offset() + 2]).isEqualTo((byte) 3);
      assertThat(reader.buffer()[reader.offset() + reader.length() - 1])
          .isEqualTo(rest[rest.length - 1]);
      assertThat(reader.next()).isFalse();
    }
  }

  @Test
  void afterAFailedCallTheLogTakesNothingMoreAndCloseOnlyCloses() throws IOException {
    for (StoreCall failing : List.of(StoreCall.WRITE, StoreCall.SYNC, StoreCall.PREALLOCATE)) {
      RecordingFiles disk = new RecordingFiles();
      RecordLogWriter writer = RecordLogWriter.create(disk, PATH, 4096);
      disk.memory().failNth(failing, 1, () -> new IOException("disk says no to " + failing));
      append(writer, 10);
      assertThatThrownBy(writer::sync).hasMessageEndingWith("disk says no to " + failing);
      disk.takeCalls();

      assertThatThrownBy(writer::sync)
          .isInstanceOf(IOException.class)
          .hasMessage("record log manifest.log takes no more records: an earlier call failed")
          .hasRootCauseMessage("disk says no to " + failing);
      assertThatThrownBy(() -> append(writer, 1)).isInstanceOf(IOException.class);
      writer.close();
      assertThat(disk.takeCalls()).as("%s", failing).containsExactly("close");
    }
  }

  @Test
  void aLogThatCannotBeStartedIsClosed() {
    failNextSync();
    assertThatThrownBy(() -> RecordLogWriter.create(files, PATH, 0))
        .hasMessageEndingWith("disk says no");
    assertThat(files.takeCalls()).containsExactly("write 24", "sync", "close");
  }

  @Test
  void aCloseThatFailsStillClosesTheFile() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    append(writer, 1);
    failNextSync();
    assertThatThrownBy(writer::close).hasMessageEndingWith("disk says no");
    assertThat(files.takeCalls()).endsWith("sync", "close");
  }

  @Test
  void wrongArgumentsAreRefusedAndChangeNothing() throws IOException {
    assertThatThrownBy(() -> RecordLogWriter.create(files, PATH, -1))
        .hasMessage("record log manifest.log: preallocation step of -1, at least 0");
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    assertThatThrownBy(() -> writer.append(new byte[8], 0, 0))
        .hasMessage("record log manifest.log: payload of 0 bytes, must be 1 to 268435456");
    assertThatThrownBy(() -> writer.append(new byte[8], 4, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(writer.length()).isEqualTo(HEADER);
    writer.close();
    assertThatThrownBy(() -> append(writer, 1)).hasMessage("record log manifest.log is closed");
    assertThatThrownBy(() -> RecordLogWriter.create(files, PATH, 0))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> RecordLogReader.open(files, FilePath.of("other")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void tailIsOnlyKnownAtTheEnd() throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    append(writer, 1);
    writer.close();
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      assertThatThrownBy(reader::tail)
          .hasMessage("record log manifest.log is not read to its end: next record at 24");
    }
  }

  @Test
  void aFileThatIsNoRecordLogIsRefused() throws IOException {
    byte[] other = new byte[100];
    System.arraycopy("PNG-LIKE".getBytes(UTF_8), 0, other, 0, 8);
    Binary.putInt(other, RecordFormat.FILE_CRC, Crc32c.of(other, 0, RecordFormat.FILE_CRC));
    assertThatThrownBy(() -> tailOf(other))
        .isInstanceOf(CorruptDataException.class)
        .hasMessage(
            "corrupt data in manifest.log at offset 0: expected a record log (STELELOG),"
                + " found a file that starts with PNG-LIKE");
  }

  @Test
  void aLogOfALaterVersionIsRefused() throws IOException {
    RecordLogWriter.create(files, PATH, 0).close();
    byte[] later = LogBytes.content(files, PATH);
    Binary.putInt(later, RecordFormat.FILE_VERSION, 2);
    Binary.putInt(later, RecordFormat.FILE_CRC, Crc32c.of(later, 0, RecordFormat.FILE_CRC));
    assertThatThrownBy(() -> tailOf(later))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageEndingWith("offset 8: expected record log version 1, found version 2");
  }

  @Test
  void lookingBehindATornRecordReadsTheRestAboutOnce() throws IOException {
    // The worst payload for a search that trusts lengths: every 16 bytes look like the header of a
    // large record that was framed after a sync.
    byte[] payload = new byte[8 << 20];
    for (int i = 0; i + 16 <= payload.length; i += 16) {
      Binary.putInt(payload, i + RecordFormat.RECORD_LENGTH, 1 << 20);
      Binary.putLong(payload, i + RecordFormat.RECORD_SYNCED_TO, 1_000);
    }
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0);
    append(writer, 100);
    writer.append(payload, 0, payload.length);
    writer.write();
    byte[] log = LogBytes.content(files, PATH);
    byte[] torn = Arrays.copyOf(log, log.length - 1);
    files.takeBytesRead();

    assertThat(tailOf(torn)).isInstanceOf(Tail.Torn.class);

    assertThat(files.takeBytesRead()).isLessThan(4L * torn.length);
  }

  @Test
  void theProofOfASyncIsFoundAcrossTheBordersOfTheSearchedChunks() throws IOException {
    for (int beforeBorder = 0; beforeBorder <= FRAME + 1; beforeBorder++) {
      RecordingFiles disk = new RecordingFiles();
      RecordLogWriter writer = RecordLogWriter.create(disk, PATH, 0);
      append(writer, 1 + (1 << 20) - beforeBorder - FRAME);
      writer.sync();
      append(writer, 5);
      writer.write();
      files.replace(PATH, LogBytes.content(disk, PATH));
      files.memory().corrupt(PATH, (HEADER + FRAME) * 8L);

      try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
        assertThatThrownBy(reader::next)
            .as("next header %d bytes before the border", beforeBorder)
            .isInstanceOf(CorruptDataException.class);
      }
    }
  }

  @Test
  void versionOneIsReadForEverAndWrittenByteForByte() throws IOException {

    byte[] golden = resource("record-log-v1.bin");
    try (RecordLogWriter writer =
        RecordLogWriter.create(files, PATH, 0, RandomSource.seeded(2026))) {
      writer.append(new byte[] {'o', 'n', 'e'}, 0, 3);
      writer.sync();
      append(writer, 300);
      append(writer, 1);
    }
    assertThat(LogBytes.content(files, PATH)).isEqualTo(golden);

    files.replace(PATH, golden);
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      assertThat(reader.next()).isTrue();
      assertThat(Bytes.copyOf(reader.buffer(), reader.offset(), reader.length()))
          .isEqualTo(Bytes.utf8("one"));
      assertThat(reader.next()).isTrue();
      assertThat(reader.length()).isEqualTo(300);
      assertThat(reader.next()).isTrue();
      assertThat(reader.length()).isEqualTo(1);
      assertThat(reader.next()).isFalse();
    }
  }

  private Tail tailOf(byte[] bytes) throws IOException {
    files.replace(PATH, bytes);
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      while (reader.next()) {
        assertThat(reader.length()).isPositive();
      }
      return reader.tail();
    }
  }

  private void failNextSync() {
    files.memory().failNth(StoreCall.SYNC, 1, () -> new IOException("disk says no"));
  }

  private static void append(RecordLogWriter writer, int length) throws IOException {
    byte[] payload = new byte[length];
    Arrays.fill(payload, (byte) length);
    writer.append(payload, 0, length);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = RecordLogTest.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }
}
