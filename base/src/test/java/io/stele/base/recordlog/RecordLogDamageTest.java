package io.stele.base.recordlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Damages a log of twenty records in every way that a crash or a disk can: whatever happens, all
 * records before the damage are read, nothing behind it is invented, and rot is told from a torn
 * tail.
 */
class RecordLogDamageTest {
  private static final FilePath PATH = FilePath.of("log/000001.log");
  private static final int HEADER = RecordFormat.FILE_HEADER;

  /** A written record: where it stands, and how far the file was durable when it was framed. */
  private record Written(long start, long end, long syncedTo, Bytes payload) {}

  /** The bytes of a log and what went into it. */
  private static final class Image {
    final byte[] bytes;
    final List<Written> records;

    Image(byte[] bytes, List<Written> records) {
      this.bytes = bytes;
      this.records = records;
    }

    long end() {
      return records.getLast().end();
    }
  }

  /** What a reader makes of an image: its records, and the tail, or the corruption it reported. */
  private record Reading(List<Bytes> payloads, String outcome, long offset) {}

  @Test
  void everyTruncatedLengthKeepsTheWholeRecordsBeforeIt() throws IOException {
    Image image = closedLog(1);
    for (int length = 0; length <= image.bytes.length; length++) {
      Reading reading = read(Arrays.copyOf(image.bytes, length));

      long last = lastBoundary(image, length);
      boolean clean = length > 0 && (length == last || length == image.bytes.length);
      assertThat(reading)
          .as("cut at %d", length)
          .isEqualTo(new Reading(payloadsUpTo(image, length), clean ? "clean" : "torn", last));
    }
  }

  @Test
  void everyTruncatedLengthFollowedByPreallocatedZerosKeepsTheWholeRecordsBeforeIt()
      throws IOException {
    Image image = openLog(2);
    for (int length = HEADER; length <= image.bytes.length; length++) {
      byte[] bytes = Arrays.copyOf(Arrays.copyOf(image.bytes, length), image.bytes.length + 500);

      Reading reading = read(bytes);

      long last = lastBoundary(image, length);
      boolean zeros = onlyZeros(bytes, (int) last);
      assertThat(reading)
          .as("cut at %d", length)
          .isEqualTo(new Reading(payloadsUpTo(image, length), zeros ? "clean" : "torn", last));
    }
  }

  @Test
  void everyFlippedBitIsTornWhereNothingLaterWasSyncedAndCorruptWhereItWas() throws IOException {
    Image image = openLog(3);
    int torn = 0;
    int corrupt = 0;
    for (int i = 0; i < image.records.size(); i++) {
      Written hit = image.records.get(i);
      boolean durable = image.records.getLast().syncedTo > hit.start;
      for (long bit = hit.start * 8; bit < hit.end * 8; bit++) {
        Reading reading = read(flipped(image.bytes, bit));

        assertThat(reading)
            .as("bit %d of record %d", bit - hit.start * 8, i)
            .isEqualTo(
                new Reading(
                    payloadsUpTo(image, hit.start), durable ? "corrupt" : "torn", hit.start));
      }
      torn += durable ? 0 : 1;
      corrupt += durable ? 1 : 0;
    }
    assertThat(List.of(torn, corrupt)).doesNotContain(0);
  }

  @Test
  void everyFlippedBitOfAClosedLogIsCorruptWithFileAndOffset() throws IOException {
    Image image = closedLog(4);
    for (long bit = 0; bit < image.end() * 8; bit++) {
      Reading reading = read(flipped(image.bytes, bit));

      long start = bit < HEADER * 8 ? 0 : lastBoundary(image, (int) (bit / 8));
      assertThat(reading)
          .as("bit %d", bit)
          .isEqualTo(new Reading(payloadsUpTo(image, start), "corrupt", start));
    }
  }

  @Test
  void aFlippedBitOfTheSealLosesNoRecord() throws IOException {
    Image image = closedLog(5);
    for (long bit = image.end() * 8; bit < image.bytes.length * 8L; bit++) {
      assertThat(read(flipped(image.bytes, bit)))
          .as("bit %d", bit)
          .isEqualTo(new Reading(payloadsUpTo(image, image.end()), "torn", image.end()));
    }
  }

  @Test
  void aRunOfBytesThatTheDiskLostIsCorruptIfItWasDurable() throws IOException {
    Image image = closedLog(6);
    for (Written hit : image.records) {
      byte[] bytes = image.bytes.clone();
      Arrays.fill(bytes, (int) hit.start, (int) hit.end, (byte) 0);
      assertThat(read(bytes))
          .isEqualTo(new Reading(payloadsUpTo(image, hit.start), "corrupt", hit.start));
    }
  }

  @Test
  void aWriteThatReachedTheDiskOutOfOrderIsATornTail() throws IOException {
    Image image = neverSyncedLog(7);
    for (Written hit : image.records) {
      byte[] bytes = image.bytes.clone();
      Arrays.fill(bytes, (int) hit.start, (int) hit.end, (byte) 0);

      String outcome = hit.equals(image.records.getLast()) ? "clean" : "torn";
      assertThat(read(bytes))
          .isEqualTo(new Reading(payloadsUpTo(image, hit.start), outcome, hit.start));
    }
  }

  @Test
  void garbageBehindTheLastRecordIsNeverARecord() throws IOException {
    for (int seed = 0; seed < 300; seed++) {
      Image image = openLog(seed);
      RandomGenerator random = RandomSource.seeded(seed);
      byte[] garbage = new byte[1 + random.nextInt(2_000)];
      random.nextBytes(garbage);
      garbage[random.nextInt(garbage.length)] |= 1;

      assertThat(read(joined(image.bytes, garbage)))
          .as("seed %d", seed)
          .isEqualTo(new Reading(payloadsUpTo(image, image.end()), "torn", image.end()));
    }
  }

  @Test
  void recordsThatAnOlderFileLeftOnTheDiskAreNeverRead() throws IOException {
    // The same payloads at the same offsets: only the file id differs.
    Image mine = closedLog(8);
    Image older = closedLog(8, 9);
    for (Written last : mine.records) {
      byte[] bytes = older.bytes.clone();
      System.arraycopy(mine.bytes, 0, bytes, 0, (int) last.end);
      assertThat(read(bytes))
          .isEqualTo(new Reading(payloadsUpTo(mine, last.end), "torn", last.end));
    }
  }

  @Test
  void recordsThatWereMovedInsideTheFileAreNeverRead() throws IOException {
    Image image = openLog(10);
    byte[] all = Arrays.copyOfRange(image.bytes, HEADER, image.bytes.length);
    assertThat(read(joined(image.bytes, all)))
        .isEqualTo(new Reading(payloadsUpTo(image, image.end()), "torn", image.end()));
  }

  @Test
  void aFileThatWasCutOffWhileItWasCreatedIsAnEmptyTornLog() throws IOException {
    byte[] header = Arrays.copyOf(openLog(11).bytes, HEADER);
    for (long bit = 0; bit < HEADER * 8; bit++) {
      assertThat(read(flipped(header, bit))).isEqualTo(new Reading(List.of(), "torn", 0));
    }
    assertThat(read(new byte[HEADER])).isEqualTo(new Reading(List.of(), "torn", 0));
  }

  @Test
  void corruptionIsReportedAgainWhenAskedAgain() throws IOException {
    Image image = closedLog(12);
    MemoryFileStore files = new MemoryFileStore();
    files.replace(PATH, flipped(image.bytes, (HEADER + 20) * 8));
    try (RecordLogReader reader = RecordLogReader.open(files, PATH)) {
      for (int i = 0; i < 3; i++) {
        assertThat(catchThrowable(reader::next))
            .isInstanceOf(CorruptDataException.class)
            .hasMessageContaining("log/000001.log at offset 24: expected a whole record");
      }
    }
  }

  private static Image openLog(long seed) throws IOException {
    return log(seed, seed, 3, false);
  }

  private static Image neverSyncedLog(long seed) throws IOException {
    return log(seed, seed, Integer.MAX_VALUE, false);
  }

  private static Image closedLog(long seed) throws IOException {
    return log(seed, seed, 3, true);
  }

  private static Image closedLog(long seed, long idSeed) throws IOException {
    return log(seed, idSeed, 3, true);
  }

  private static Image log(long seed, long idSeed, int syncEvery, boolean close)
      throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    RandomGenerator random = RandomSource.seeded(seed);
    List<Written> records = new ArrayList<>();
    RecordLogWriter writer = RecordLogWriter.create(files, PATH, 0, RandomSource.seeded(idSeed));
    for (int i = 1; i <= 20; i++) {
      byte[] payload = new byte[1 + random.nextInt(i % 7 == 0 ? 200 : 30)];
      random.nextBytes(payload);
      long start = writer.length();
      long syncedTo = writer.syncedLength();
      writer.append(payload, 0, payload.length);
      records.add(new Written(start, writer.length(), syncedTo, Bytes.of(payload)));
      if (i % syncEvery == 0) {
        writer.sync();
      }
    }
    if (close) {
      writer.close();
    } else {
      writer.write();
    }
    return new Image(LogBytes.content(files, PATH), records);
  }

  private static Reading read(byte[] bytes) throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    files.replace(PATH, bytes);
    List<Bytes> payloads = new ArrayList<>();
    try {
      return switch (LogBytes.readAll(files, PATH, payloads)) {
        case Tail.Clean(long offset) -> new Reading(payloads, "clean", offset);
        case Tail.Torn(long offset, _) -> new Reading(payloads, "torn", offset);
      };
    } catch (CorruptDataException e) {
      assertThat(e.file()).isEqualTo(PATH.value());
      return new Reading(payloads, "corrupt", e.offset());
    }
  }

  private static List<Bytes> payloadsUpTo(Image image, long end) {
    return image.records.stream().filter(r -> r.end <= end).map(Written::payload).toList();
  }

  /** Where the record starts that the byte at {@code length} belongs to. */
  private static long lastBoundary(Image image, int length) {
    if (length < HEADER) {
      return 0;
    }
    return image.records.stream()
        .mapToLong(Written::end)
        .filter(end -> end <= length)
        .max()
        .orElse(HEADER);
  }

  private static boolean onlyZeros(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static byte[] flipped(byte[] bytes, long bit) {
    byte[] copy = bytes.clone();
    copy[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
    return copy;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
