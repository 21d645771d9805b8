package io.stele.engine.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.testkit.run.LongRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damaged files. Whatever a disk does to a fragment, it is reported with file and offset when it is
 * opened, read or verified, and no cell is ever served that was not written.
 */
class FragmentCorruptionTest {
  private static final FilePath PATH = FragmentFiles.PATH;

  /** Coprime to 8, so that all bits of a byte have their turn. */
  private static final int STEP = 7;

  @ParameterizedTest
  @EnumSource(Codec.class)
  void flippedBitsOfASmallFragmentAreReported(Codec codec) throws IOException {
    flipBits(codec, STEP);
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  @Tag(LongRun.TAG)
  void everyFlippedBitOfASmallFragmentIsReported(Codec codec) throws IOException {
    flipBits(codec, 1);
    flipBitsLater(codec, 1);
  }

  private static void flipBits(Codec codec, int step) throws IOException {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(1), 30);
    MemoryFileStore files = FragmentFiles.store(cells, codec, 256);
    byte[] content = FragmentFiles.content(files, PATH);
    for (long bit = 0; bit < content.length * 8L; bit += step) {
      checkFlip(files, bit, cells, content.length);
    }
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void sampledBitsOfALargerFragmentAreReported(Codec codec) throws IOException {
    RandomGenerator random = RandomSource.seeded(2);
    List<Cell> cells = FragmentFiles.cells(random, 2_000);
    MemoryFileStore files = FragmentFiles.store(cells, codec, 512);
    byte[] content = FragmentFiles.content(files, PATH);
    for (int i = 0; i < 100; i++) {
      checkFlip(files, random.nextLong(content.length * 8L), cells, content.length);
    }
  }

  /** The bit flips after the file was opened, when its index root is in memory already. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void verifyFindsBitsThatFlipLater(Codec codec) throws IOException {
    flipBitsLater(codec, STEP);
  }

  private static void flipBitsLater(Codec codec, int step) throws IOException {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(3), 20);
    MemoryFileStore files = FragmentFiles.store(cells, codec, 256);
    byte[] content = FragmentFiles.content(files, PATH);
    try (DiskFragment fragment = FragmentFiles.open(files)) {
      fragment.preload();
      for (long bit = 0; bit < content.length * 8L; bit += step) {
        files.corrupt(PATH, bit);
        checkReport(catchThrowable(fragment::verify), bit, content.length);
        files.corrupt(PATH, bit);
      }
      fragment.verify();
    }
  }

  private static void checkFlip(MemoryFileStore files, long bit, List<Cell> cells, int length)
      throws IOException {
    files.corrupt(PATH, bit);
    List<Cell> served = new ArrayList<>();
    Throwable report = catchThrowable(() -> scan(files, served));
    Throwable verified = catchThrowable(() -> verify(files));
    files.corrupt(PATH, bit); // as it was

    if (report != null) {
      checkReport(report, bit, length);
    }
    checkReport(verified, bit, length);
    if (!served.equals(cells.subList(0, Math.min(served.size(), cells.size())))
        || (report == null && served.size() != cells.size())) {
      assertThat(served).as("bit %d", bit).isEqualTo(cells);
    }
  }

  private static void checkReport(Throwable report, long bit, int length) {
    if (!(report instanceof CorruptDataException found)) {
      throw new AssertionError("bit " + bit + " of byte " + bit / 8 + " is not reported", report);
    }
    assertThat(found.file()).isEqualTo(PATH.toString());
    assertThat(found.offset()).as("%s", found).isBetween(0L, (long) length);
    assertThat(found)
        .hasMessageContaining("offset " + found.offset())
        .hasMessageContaining("found");
  }

  /** Reads every cell, past any cache, until something is wrong. */
  private static void scan(MemoryFileStore files, List<Cell> served) throws IOException {
    try (DiskFragment fragment = FragmentFiles.open(files)) {
      CellCursor cursor = fragment.cursor(TimeBounds.ALL);
      while (cursor.next()) {
        served.add(cursor.cell().toCell());
      }
    }
  }

  private static void verify(MemoryFileStore files) throws IOException {
    try (DiskFragment fragment = FragmentFiles.open(files)) {
      fragment.verify();
    }
  }

  /** The offset is that of the block, so that people can look at it. */
  @Test
  void theOffsetIsThatOfTheDamagedBlock() throws IOException {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(4), 200);
    MemoryFileStore files = FragmentFiles.store(cells, Codec.NONE, 512);
    List<BlockHandle> blocks = dataBlocks(files);
    for (BlockHandle block : blocks) {
      long bit = block.offset() * 8 + block.storedLength() * 4L;
      files.corrupt(PATH, bit);
      assertThatThrownBy(() -> scan(files, new ArrayList<>()))
          .isInstanceOfSatisfying(
              CorruptDataException.class, e -> assertThat(e.offset()).isEqualTo(block.offset()))
          .hasMessageContaining("checksum 0x");
      files.corrupt(PATH, bit);
    }
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void everyTruncationIsReported(Codec codec) throws IOException {
    byte[] content = content(FragmentFiles.cells(RandomSource.seeded(5), 30), codec);
    for (int length = 0; length < content.length; length++) {
      checkContent(Arrays.copyOf(content, length), "cut to " + length);
    }
  }

  @Test
  void bytesBehindTheEndAreReported() throws IOException {
    byte[] content = content(FragmentFiles.cells(RandomSource.seeded(6), 30), Codec.NONE);
    for (int more = 1; more < 200; more++) {
      checkContent(Arrays.copyOf(content, content.length + more), more + " zeros behind it");
    }
  }

  /** A block that is good in itself, but stands where another one should. */
  @Test
  void blocksThatChangedPlacesAreReported() throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (int i = 1000; i < 1200; i++) {
      cells.add(Cell.eraseRow(Bytes.utf8("row" + i)).withTxn(i));
    }
    MemoryFileStore files = FragmentFiles.store(cells, Codec.NONE, 256);
    byte[] content = FragmentFiles.content(files, PATH);
    List<BlockHandle> blocks = dataBlocks(files);
    BlockHandle first = blocks.get(1);
    BlockHandle second =
        blocks.stream()
            .skip(2)
            .filter(block -> block.storedLength() == first.storedLength())
            .findFirst()
            .orElseThrow();
    int size = first.storedLength() + FragmentFormat.BLOCK_OVERHEAD;
    byte[] swapped = content.clone();
    System.arraycopy(content, (int) first.offset(), swapped, (int) second.offset(), size);
    System.arraycopy(content, (int) second.offset(), swapped, (int) first.offset(), size);

    checkContent(swapped, "swapped blocks");
  }

  /** A block of another file, written at the same place. */
  @Test
  void aBlockOfAnotherFileIsReported() throws IOException {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(8), 50);
    byte[] content = content(cells, Codec.NONE);
    MemoryFileStore others = new MemoryFileStore();
    try (FragmentWriter writer =
        new FragmentWriter(others, PATH, new FragmentSettings(Codec.NONE, 256), 99)) {
      for (Cell cell : cells) {
        writer.add(cell.view());
      }
      writer.finish();
    }
    byte[] other = FragmentFiles.content(others, PATH);
    assertThat(other).hasSize(content.length);
    BlockHandle block = dataBlocks(others).getFirst();
    int at = (int) block.offset();
    int size = block.storedLength() + FragmentFormat.BLOCK_OVERHEAD;
    System.arraycopy(other, at, content, at, size);

    checkContent(content, "a block of another file");
  }

  @Test
  void filesThatAreNoFragmentsAtAllAreReported() throws IOException {
    RandomGenerator random = RandomSource.seeded(7);
    for (int length = 0; length < 500; length += 7) {
      byte[] noise = new byte[length];
      random.nextBytes(noise);
      checkContent(noise, length + " random bytes");
    }
  }

  @Test
  void aNewerVersionIsNamed() throws IOException {
    byte[] content = content(FragmentFiles.cells(RandomSource.seeded(9), 5), Codec.NONE);
    int footer = content.length - FragmentFormat.FOOTER;
    content[footer + FragmentFormat.VERSION_AT] = 2;
    int checksum =
        FragmentFormat.checksum(
            Arrays.copyOfRange(content, footer, content.length),
            0,
            FragmentFormat.CHECKSUM_AT,
            FragmentFiles.FILE_ID,
            footer);
    Binary.putInt(content, footer + FragmentFormat.CHECKSUM_AT, checksum);
    MemoryFileStore files = new MemoryFileStore();
    files.replace(PATH, content);

    assertThatThrownBy(() -> FragmentFiles.open(files))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("expected format version 1, found 2");
  }

  private static byte[] content(List<Cell> cells, Codec codec) throws IOException {
    return FragmentFiles.content(FragmentFiles.store(cells, codec, 256), PATH);
  }

  private static void checkContent(byte[] content, String what) throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    files.replace(PATH, content);
    assertThat(catchThrowable(() -> verify(files)))
        .as(what)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining(PATH.toString());
  }

  private static List<BlockHandle> dataBlocks(MemoryFileStore files) throws IOException {
    List<BlockHandle> blocks = new ArrayList<>();
    try (DiskFragment fragment = FragmentFiles.open(files)) {
      IndexBlock.Entry entry = new IndexBlock.Entry();
      for (int i = 0; i < fragment.root().count; i++) {
        entry.read(fragment.root(), i);
        IndexBlock leaf = fragment.leaf(entry).index();
        for (int k = 0; k < leaf.count; k++) {
          entry.read(leaf, k);
          blocks.add(entry.handle());
        }
      }
    }
    return blocks;
  }
}
