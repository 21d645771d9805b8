package io.stele.engine.disk;

import static io.stele.engine.fragment.RandomCells.drain;
import static io.stele.engine.fragment.RandomCells.drainFrom;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What was written is what is read: whole, from any place, under all codecs and block sizes. */
class FragmentRoundTripTest {
  static Stream<Arguments> codecsAndBlockSizes() {
    return Stream.of(Codec.values())
        .flatMap(
            codec ->
                Stream.of(64, 100, 512, 8 << 10, 64 << 10, 1 << 20)
                    .map(size -> Arguments.of(codec, size)));
  }

  @ParameterizedTest
  @MethodSource("codecsAndBlockSizes")
  void cellsAreReadBackWholeAndFromAnyPlace(Codec codec, int blockSize) throws IOException {
    RandomGenerator random = RandomSource.seeded(blockSize);
    List<Cell> cells = FragmentFiles.cells(random, 1_500);
    try (DiskFragment fragment = FragmentFiles.open(FragmentFiles.store(cells, codec, blockSize))) {
      assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(cells);
      fragment.verify();
      checkSeeks(fragment, cells);
      checkRowCursors(fragment, cells);
      checkTimeBounds(fragment, cells, random);
    }
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aRowMayBeWiderThanManyBlocksAndLeaves(Codec codec) throws IOException {
    for (int blockSize : new int[] {64, 1000}) {
      List<Cell> cells = FragmentFiles.wideRow(RandomSource.seeded(9), 4_000);
      try (DiskFragment fragment =
          FragmentFiles.open(FragmentFiles.store(cells, codec, blockSize))) {
        assertThat(fragment.root().count).isGreaterThan(blockSize == 64 ? 3 : 0);
        assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(cells);
        assertThat(fragment.properties().rows()).isEqualTo(1);
        checkSeeks(fragment, cells);
        checkRowCursors(fragment, cells);
      }
    }
  }

  /** A reader of one column starts in the middle of its row, in whichever leaf that is. */
  @Test
  void aRowIsFoundFromAnyColumnOfIt() throws IOException {
    RandomGenerator random = RandomSource.seeded(11);
    TreeSet<Cell> mixed = new TreeSet<>(FragmentFiles.wideRow(random, 3_000));
    mixed.addAll(FragmentFiles.cells(random, 1_000));
    List<Cell> cells = versions(List.copyOf(mixed)).toList();
    try (DiskFragment fragment = FragmentFiles.open(FragmentFiles.store(cells, Codec.NONE, 64))) {
      assertThat(fragment.mayHoldWideErasures()).isFalse();
      for (Cell cell : cells) {
        CellView from = CellView.beforeColumn(cell.row(), cell.family(), cell.qualifier());
        CellCursor cursor = fragment.rowCursor(from).orElseThrow();
        assertThat(cursor.seek(from)).isTrue();
        assertThat(cursor.cell().sameRow(from) && cursor.cell().sameQualifier(from)).isTrue();
      }
    }
  }

  /** Two erasures of one column and transaction differ only in their range, also across blocks. */
  @Test
  void erasuresThatDifferOnlyInTheirRangeAreToldApartInTheIndex() throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Bytes row = Bytes.utf8("row");
      cells.add(Cell.eraseColumn(row, Bytes.utf8("f"), Bytes.utf8("q"), i, 1000).withTxn(7));
    }
    try (DiskFragment fragment = FragmentFiles.open(FragmentFiles.store(cells, Codec.NONE, 64))) {
      assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(cells);
      checkSeeks(fragment, cells);
    }
  }

  @Test
  void blocksWithMoreColumnsThanTheirListHolds() throws IOException {
    TreeSet<Cell> cells = new TreeSet<>();
    for (int i = 0; i < 5_000; i++) {
      Bytes column = Bytes.utf8("column" + i % 700);
      Bytes row = Bytes.utf8("row" + i / 90);
      cells.add(Cell.put(row, Bytes.utf8("f"), column, i % 3, Bytes.utf8("v" + i)).withTxn(i + 1));
    }
    List<Cell> sorted = List.copyOf(cells);
    try (DiskFragment fragment =
        FragmentFiles.open(FragmentFiles.store(sorted, Codec.NONE, 1 << 20))) {
      assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(sorted);
      checkSeeks(fragment, sorted);
    }
  }

  /** Timestamps and transactions are stored as narrow as a block allows: every width is tried. */
  @Test
  void numbersOfEveryWidth() throws IOException {
    for (int bits = 0; bits < 64; bits++) {
      long wide = bits == 63 ? Long.MAX_VALUE - 1 : (1L << bits) - 1;
      TreeSet<Cell> cells = new TreeSet<>();
      for (long time : new long[] {Long.MIN_VALUE, Long.MIN_VALUE + wide, -wide, 0, wide - 1}) {
        for (long txn : new long[] {1, 1 + wide}) {
          Bytes row = Bytes.utf8(time < -1 ? "low" : "high");
          cells.add(Cell.put(row, Bytes.utf8("f"), Bytes.EMPTY, time, Bytes.EMPTY).withTxn(txn));
        }
      }
      for (List<Cell> some : List.of(List.copyOf(cells), List.copyOf(cells.tailSet(low())))) {
        try (DiskFragment fragment =
            FragmentFiles.open(FragmentFiles.store(some, Codec.NONE, 4096))) {
          assertThat(drain(fragment.cursor(TimeBounds.ALL))).as("%d bits", bits).isEqualTo(some);
        }
      }
    }
  }

  private static Cell low() {
    return Cell.eraseRow(Bytes.utf8("low")).withTxn(Long.MAX_VALUE);
  }

  /** A cursor does not know where the range ends that somebody reads. */
  @Test
  void blocksOutsideTheBoundsOfTimeAreSkippedByTheFew() throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Bytes row = Bytes.utf8("row%05d".formatted(i));
      cells.add(Cell.put(row, Bytes.utf8("f"), Bytes.EMPTY, 1_000, Bytes.utf8("new")).withTxn(1));
    }
    Bytes last = Bytes.utf8("row99999");
    cells.add(Cell.put(last, Bytes.utf8("f"), Bytes.EMPTY, 1, Bytes.utf8("old")).withTxn(1));
    BlockCache cache = new BlockCache(64 << 20);
    MemoryFileStore files = FragmentFiles.store(cells, Codec.NONE, 64);
    try (DiskFragment fragment = DiskFragment.open(files, FragmentFiles.PATH, cache)) {
      assertThat(fragment.root().count).isGreaterThan(5);
      CellCursor cursor = fragment.cursor(new TimeBounds(0, 10));
      assertThat(cursor.seek(CellView.beforeRow(cells.getFirst().row()))).isTrue();
      assertThat(cursor.cell().toCell().row()).isLessThan(cells.get(1_000).row());
      assertThat(cache.stats().misses()).as("a leaf and a block").isEqualTo(2);
      int shown = 1;
      while (!cursor.cell().toCell().row().equals(last)) {
        assertThat(cursor.next()).isTrue();
        shown++;
      }
      assertThat(shown).as("cells, of %d", cells.size()).isLessThan(cells.size() / 8);
    }
  }

  @Test
  void propertiesSayWhatIsInside() throws IOException {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(3), 1_000);
    MemoryFileStore files = new MemoryFileStore();
    FragmentProperties written =
        FragmentFiles.write(files, FragmentFiles.PATH, cells, Codec.LZ4, 512);
    try (DiskFragment fragment = FragmentFiles.open(files)) {
      FragmentProperties properties = fragment.properties();

      assertThat(properties).isEqualTo(written);
      assertThat(properties.cells()).isEqualTo(1_000);
      assertThat(properties.rows()).isEqualTo(cells.stream().map(Cell::row).distinct().count());
      assertThat(properties.cellErasures())
          .isEqualTo(cells.stream().filter(c -> c.kind() == CellKind.ERASE_CELL).count());
      assertThat(properties.wideErasures())
          .isEqualTo(cells.stream().filter(c -> c.kind().isWide()).count());
      assertThat(properties.cellBytes())
          .isEqualTo(cells.stream().mapToLong(c -> c.view().size()).sum());
      assertThat(properties.minTxn())
          .isEqualTo(cells.stream().mapToLong(Cell::txn).min().getAsLong());
      assertThat(properties.maxTxn())
          .isEqualTo(cells.stream().mapToLong(Cell::txn).max().getAsLong());
      assertThat(properties.minTimestamp())
          .isEqualTo(versions(cells).mapToLong(Cell::timestamp).min().getAsLong());
      assertThat(properties.maxTimestamp())
          .isEqualTo(versions(cells).mapToLong(Cell::timestamp).max().getAsLong());
      assertThat(properties.firstRow()).isEqualTo(cells.getFirst().row());
      assertThat(properties.lastRow()).isEqualTo(cells.getLast().row());
      assertThat(properties.families())
          .containsExactly(Bytes.utf8("family0"), Bytes.utf8("family1"), Bytes.utf8("family2"));
      assertThat(properties.codec()).isEqualTo(Codec.LZ4);
      assertThat(properties.blockSize()).isEqualTo(512);
      assertThat(fragment.mayHoldWideErasures()).isTrue();
      assertThat(fragment.bytes()).isEqualTo(files.stat(FragmentFiles.PATH).orElseThrow().length());
    }
  }

  @Test
  void aFragmentOfOneCellOfEachKind() throws IOException {
    Bytes row = Bytes.utf8("r");
    Bytes family = Bytes.utf8("f");
    for (Cell cell :
        List.of(
            Cell.put(row, family, Bytes.EMPTY, 1, Bytes.EMPTY),
            Cell.put(row, family, Bytes.EMPTY, 1, Bytes.wrap(new byte[300_000])),
            Cell.eraseCell(row, family, Bytes.EMPTY, -1),
            Cell.eraseColumn(row, family, Bytes.utf8("q"), -5, 5),
            Cell.eraseFamily(row, family),
            Cell.eraseRow(row))) {
      for (Codec codec : Codec.values()) {
        List<Cell> cells = List.of(cell.withTxn(4));
        try (DiskFragment fragment = FragmentFiles.open(FragmentFiles.store(cells, codec, 64))) {
          assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(cells);
          assertThat(fragment.mayHoldWideErasures()).isEqualTo(cell.kind().isWide());
          checkSeeks(fragment, cells);
        }
      }
    }
  }

  @Test
  void incompressibleBlocksAreStoredAsTheyAre() throws IOException {
    RandomGenerator random = RandomSource.seeded(5);
    List<Cell> cells = new ArrayList<>();
    for (int i = 1000; i < 1100; i++) {
      byte[] value = new byte[5000];
      random.nextBytes(value);
      Bytes row = Bytes.utf8("" + i);
      cells.add(Cell.put(row, Bytes.utf8("f"), Bytes.EMPTY, 1, Bytes.wrap(value)).withTxn(1));
    }
    long plain =
        FragmentFiles.content(FragmentFiles.store(cells, Codec.NONE, 4096), FragmentFiles.PATH)
            .length;
    for (Codec codec : Codec.values()) {
      MemoryFileStore files = FragmentFiles.store(cells, codec, 4096);
      assertThat(FragmentFiles.content(files, FragmentFiles.PATH).length)
          .isLessThanOrEqualTo((int) plain);
      try (DiskFragment fragment = FragmentFiles.open(files)) {
        assertThat(drain(fragment.cursor(TimeBounds.ALL))).isEqualTo(cells);
      }
    }
  }

  @Test
  void cellsOutOfOrderAndFragmentsWithoutCellsAreRefused() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    Cell first = Cell.eraseRow(Bytes.utf8("b")).withTxn(1);
    Cell before = Cell.eraseRow(Bytes.utf8("a")).withTxn(1);
    try (FragmentWriter writer =
        new FragmentWriter(files, FilePath.of("x"), FragmentSettings.DEFAULT, 1)) {
      writer.add(first.view());
      assertThatThrownBy(() -> writer.add(before.view()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("-a#1")
          .hasMessageContaining("-b#1");
    }
    try (FragmentWriter writer =
        new FragmentWriter(files, FilePath.of("y"), FragmentSettings.DEFAULT, 1)) {
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no cells");
    }
    assertThatThrownBy(() -> new FragmentSettings(Codec.NONE, 63))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("block size of 63 bytes: must be 64 to 16777216");
  }

  /** From every cell, and from just before and just behind it. */
  private static void checkSeeks(DiskFragment fragment, List<Cell> cells) {
    CellCursor cursor = fragment.cursor(TimeBounds.ALL);
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      expect(cursor, cell.view(), cells, i);
      CellView behind = cell.view();
      behind.txn--;
      expect(cursor, behind, cells, firstAt(cells, behind));
      CellView before = cell.view();
      before.txn++;
      expect(cursor, before, cells, firstAt(cells, before));
      if (i % 7 == 0) {
        CellView row = CellView.beforeRow(cell.row().successor());
        expect(cursor, row, cells, firstAt(cells, row));
        CellView column = CellView.beforeColumn(cell.row(), Bytes.utf8("g"), cell.qualifier());
        expect(cursor, column, cells, firstAt(cells, column));
      }
    }
    assertThat(drainFrom(cursor, CellView.beforeRow(Bytes.EMPTY))).isEqualTo(cells);
    CellView end = CellView.beforeRow(cells.getLast().row().successor());
    assertThat(cursor.seek(end)).isFalse();
    assertThat(cursor.next()).isFalse();
    assertThat(cursor.seek(cells.getFirst().view())).as("back from the end").isTrue();
  }

  private static int firstAt(List<Cell> cells, CellView target) {
    int low = 0;
    int high = cells.size();
    while (low < high) {
      int middle = (low + high) / 2;
      if (cells.get(middle).view().compareTo(target) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static void expect(CellCursor cursor, CellView target, List<Cell> cells, int index) {
    List<Cell> found = new ArrayList<>();
    for (boolean more = cursor.seek(target); more && found.size() < 3; more = cursor.next()) {
      found.add(cursor.cell().toCell());
    }
    if (!found.equals(cells.subList(index, Math.min(index + 3, cells.size())))) {
      assertThat(found)
          .as("from %s", target)
          .isEqualTo(cells.subList(index, Math.min(index + 3, cells.size())));
    }
  }

  private static void checkRowCursors(DiskFragment fragment, List<Cell> cells) {
    Map<Bytes, List<Cell>> rows = cells.stream().collect(Collectors.groupingBy(Cell::row));
    int passed = 0;
    int absent = 0;
    for (Bytes row : rows.keySet()) {
      CellView start = CellView.beforeRow(row);
      CellCursor cursor = fragment.rowCursor(start).orElseThrow();
      List<Cell> found = new ArrayList<>();
      for (boolean more = cursor.seek(start);
          more && cursor.cell().sameRow(start);
          more = cursor.next()) {
        found.add(cursor.cell().toCell());
      }
      assertThat(found).isEqualTo(rows.get(row));
      Bytes other = row.concat(Bytes.utf8("-"));
      if (!rows.containsKey(other)) {
        absent++;
        passed += fragment.rowCursor(CellView.beforeRow(other)).isPresent() ? 1 : 0;
      }
    }
    assertThat(passed).as("of %d absent rows", absent).isLessThan(3 + absent / 40);
  }

  /** With bounds on the time a cursor may leave out versions outside of them, and nothing else. */
  private static void checkTimeBounds(
      DiskFragment fragment, List<Cell> cells, RandomGenerator random) {
    for (int i = 0; i < 10; i++) {
      long a = cells.get(random.nextInt(cells.size())).timestamp();
      long b = cells.get(random.nextInt(cells.size())).timestamp();
      TimeBounds bounds = new TimeBounds(Math.min(a, b), Math.max(a, b));

      List<Cell> found = drain(fragment.cursor(bounds));

      assertThat(new TreeSet<>(cells).containsAll(found)).isTrue();
      assertThat(found).isSorted();
      assertThat(inBounds(found, bounds)).isEqualTo(inBounds(cells, bounds));
      Cell target = cells.get(random.nextInt(cells.size()));
      assertThat(inBounds(drainFrom(fragment.cursor(bounds), target.view()), bounds))
          .isEqualTo(inBounds(cells.subList(cells.indexOf(target), cells.size()), bounds));
    }
  }

  private static List<Cell> inBounds(List<Cell> cells, TimeBounds bounds) {
    return cells.stream()
        .filter(
            c ->
                c.kind().isWide()
                    || (c.timestamp() >= bounds.from() && c.timestamp() < bounds.to()))
        .toList();
  }

  private static Stream<Cell> versions(List<Cell> cells) {
    return cells.stream().filter(cell -> cell.kind().isVersion());
  }
}
