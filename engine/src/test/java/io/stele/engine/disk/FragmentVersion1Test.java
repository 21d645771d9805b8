package io.stele.engine.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.file.MemoryFileStore;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.fragment.RandomCells;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fragments of format version 1, one per codec, as they were written when the version was made:
 * they are read for ever, by whatever version the code has come to.
 *
 * <p>They were written by this class, with {@code -Dfragments.write=true}. That is for the time
 * before the first release: afterwards a change of the format gets a number and files of its own.
 */
class FragmentVersion1Test {
  private static final Path DIRECTORY = Path.of("src/test/resources/format/fragment-v1");
  private static final Path LISTING = DIRECTORY.resolve("cells.txt");
  private static final int BLOCK_SIZE = 512;

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("fragments.write")) {
      Files.createDirectories(DIRECTORY);
      List<Cell> cells = cells();
      Files.writeString(
          LISTING, cells.stream().map(cell -> cell + "\n").collect(Collectors.joining()));
      for (Codec codec : Codec.values()) {
        Files.write(
            file(codec),
            FragmentFiles.content(
                FragmentFiles.store(cells, codec, BLOCK_SIZE), FragmentFiles.PATH));
      }
    }
  }

  private static Path file(Codec codec) {
    return DIRECTORY.resolve(codec.name().toLowerCase(Locale.ROOT) + ".frag");
  }

  private static MemoryFileStore files(Codec codec) throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    files.replace(FragmentFiles.PATH, Files.readAllBytes(file(codec)));
    return files;
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void isReadAsItWasWritten(Codec codec) throws IOException {
    List<String> listing = Files.readAllLines(LISTING);
    try (DiskFragment fragment = FragmentFiles.open(files(codec))) {
      fragment.verify();

      List<Cell> cells = RandomCells.drain(fragment.cursor(TimeBounds.ALL));

      assertThat(cells).extracting(Cell::toString).containsExactlyElementsOf(listing);
      assertThat(cells).extracting(Cell::kind).contains(CellKind.values());
      FragmentProperties properties = fragment.properties();
      assertThat(properties.codec()).isEqualTo(codec);
      assertThat(properties.blockSize()).isEqualTo(BLOCK_SIZE);
      assertThat(properties.cells()).isEqualTo(listing.size());
      assertThat(properties.rows()).isEqualTo(cells.stream().map(Cell::row).distinct().count());
      for (Cell cell : cells) {
        CellView row = CellView.beforeRow(cell.row());
        assertThat(fragment.rowCursor(row)).as("filter, row %s", cell.row()).isPresent();
        CellCursor cursor = fragment.cursor(TimeBounds.ALL);
        assertThat(cursor.seek(cell.view())).isTrue();
        assertThat(cursor.cell().toCell()).isEqualTo(cell);
      }
    }
  }

  /**
   * The files are worth keeping: small, each with its codec, several blocks, rows cut by blocks.
   */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void usesEveryPartOfTheFormat(Codec codec) throws IOException {
    byte[] content = Files.readAllBytes(file(codec));
    assertThat(content.length).isLessThan(20_000);
    assertThat(Binary.getInt(content, 4)).as("version").isEqualTo(1);
    Set<Integer> codecs = new TreeSet<>();
    int flags = 0;
    try (DiskFragment fragment = FragmentFiles.open(files(codec))) {
      IndexBlock.Entry entry = new IndexBlock.Entry();
      entry.read(fragment.root(), 0);
      IndexBlock leaf = fragment.leaf(entry).index();
      assertThat(leaf.count).isGreaterThan(5);
      for (int i = 0; i < leaf.count; i++) {
        entry.read(leaf, i);
        flags |= entry.flags;
        codecs.add((int) content[(int) entry.offset + entry.storedLength]);
      }
    }
    assertThat(codecs).contains(codec.code());
    assertThat(flags).isEqualTo(IndexBlock.MID_ROW | IndexBlock.HAS_WIDE);
  }

  @Test
  void thereIsAFileForEveryCodec() throws IOException {
    try (var found = Files.list(DIRECTORY)) {
      assertThat(found.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "none.frag", "lz4.frag", "zstd.frag", "snappy.frag", "cells.txt");
    }
    assertThat(EnumSet.allOf(Codec.class)).hasSize(4);
  }

  /** Users, each with a profile, visits and what was erased of them; and one with many visits. */
  private static List<Cell> cells() {
    TreeSet<Cell> cells = new TreeSet<>();
    Bytes profile = Bytes.utf8("profile");
    Bytes visits = Bytes.utf8("visits");
    long time = 1_700_000_000_000_000L;
    for (int i = 0; i < 40; i++) {
      Bytes user = Bytes.utf8("user/%04d".formatted(i * i));
      long txn = 1_000L + i;
      cells.add(
          Cell.put(user, profile, Bytes.utf8("name"), time + i, Bytes.utf8("Name Nr. " + i))
              .withTxn(txn));
      cells.add(
          Cell.put(user, profile, Bytes.utf8("mail"), time + i, Bytes.utf8(i + "@example.org"))
              .withTxn(txn));
      cells.add(
          Cell.put(user, visits, Bytes.utf8("/"), time + 7L * i, Bytes.EMPTY).withTxn(txn + 1));
      switch (i % 6) {
        case 0 -> cells.add(Cell.eraseRow(user).withTxn(txn - 500));
        case 1 -> cells.add(Cell.eraseFamily(user, visits).withTxn(txn - 400));
        case 2 -> cells.add(Cell.eraseColumn(user, profile, Bytes.utf8("mail")).withTxn(txn - 300));
        case 3 -> cells.add(Cell.eraseColumn(user, visits, Bytes.utf8("/"), -5, time).withTxn(txn));
        case 4 -> cells.add(Cell.eraseCell(user, visits, Bytes.utf8("/about"), time).withTxn(txn));
        default -> {}
      }
    }
    Bytes busy = Bytes.utf8("user/").concat(Bytes.of((byte) 0, (byte) 0xff));
    for (int i = 0; i < 60; i++) {
      Bytes page = Bytes.utf8("/page/" + i % 20);
      cells.add(Cell.put(busy, visits, page, time - i, Bytes.utf8("seen")).withTxn(2_000 + i));
      cells.add(Cell.eraseColumn(busy, visits, page, i, i + 1L).withTxn(3_000));
    }
    cells.add(
        Cell.put(busy, profile, Bytes.EMPTY, Long.MIN_VALUE, Bytes.EMPTY).withTxn(Long.MAX_VALUE));
    cells.add(
        Cell.put(busy, profile, Bytes.EMPTY, Long.MAX_VALUE - 1, Bytes.utf8("last")).withTxn(1));
    return List.copyOf(cells);
  }
}
