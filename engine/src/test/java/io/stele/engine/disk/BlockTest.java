package io.stele.engine.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Data blocks and index blocks by themselves. */
class BlockTest {
  private static final Bytes FAMILY = Bytes.utf8("f");

  private static Block block(BlockBuilder builder, List<Cell> cells) {
    for (Cell cell : cells) {
      builder.add(cell.view());
    }
    ByteBuilder content = builder.finish();
    return new Block(content.toArray(), content.length());
  }

  private static List<Cell> drain(BlockCursor cursor) {
    List<Cell> cells = new ArrayList<>();
    while (cursor.next()) {
      cells.add(cursor.view.toCell());
    }
    return cells;
  }

  @Test
  void aBuilderMakesOneBlockAfterTheOther() {
    BlockBuilder builder = new BlockBuilder(4096);
    for (int count : new int[] {1, 15, 16, 17, 33, 500}) {
      List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(count), count);

      Block block = block(builder, cells);

      assertThat(block.entryCount).isEqualTo(count);
      assertThat(block.restartCount).isEqualTo((count + 15) / 16);
      assertThat(drain(new BlockCursor(block))).isEqualTo(cells);
      assertThat(builder.last().compareTo(cells.getLast().view())).isZero();
      builder.clear();
      assertThat(builder.isEmpty()).isTrue();
      assertThat(builder.last().compareTo(cells.getLast().view())).as("still known").isZero();
    }
  }

  @Test
  void aCursorMovesFromBlockToBlockAndBack() {
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(1), 100);
    List<Cell> others = FragmentFiles.cells(RandomSource.seeded(2), 100);
    BlockBuilder builder = new BlockBuilder(4096);
    Block block = block(builder, cells);
    builder.clear();
    Block other = block(builder, others);
    BlockCursor cursor = new BlockCursor(block);
    for (int i = 0; i < 100; i++) {
      cursor.reset(other);
      assertThat(cursor.seek(others.get(i).view())).isTrue();
      assertThat(cursor.view.toCell()).isEqualTo(others.get(i));
      cursor.reset(block);
      assertThat(cursor.seek(cells.get(99 - i).view())).isTrue();
      assertThat(cursor.view.toCell()).isEqualTo(cells.get(99 - i));
      assertThat(drain(cursor)).isEqualTo(cells.subList(100 - i, 100));
    }
    cursor.reset(block);
    cursor.exhaust();
    assertThat(cursor.next()).isFalse();
    assertThat(cursor.next()).isFalse();
  }

  /** What the writer closes blocks by is near what they come to. */
  @Test
  void theSizeIsKnownWhileABlockGrows() {
    BlockBuilder builder = new BlockBuilder(4096);
    List<Cell> cells = FragmentFiles.cells(RandomSource.seeded(3), 1000);
    for (Cell cell : cells) {
      builder.add(cell.view());
    }
    int size = builder.size();

    assertThat(builder.finish().length()).isBetween(size * 8 / 10, size * 12 / 10);
  }

  @Test
  void aBlockWeighsAtLeastItsBytes() {
    Block block = block(new BlockBuilder(4096), FragmentFiles.cells(RandomSource.seeded(4), 300));

    assertThat(block.weight()).isBetween(block.bytes.length, block.bytes.length * 2);
  }

  /** Keys that agree in their first bytes, ends of rows and ends inside rows. */
  @Test
  void anIndexFindsTheFirstKeyAtOrAfterATarget() {
    List<String> rows = new ArrayList<>();
    for (String start : List.of("tenant/", "tenant/00000000", "tenant/0000000000", "tenant/1")) {
      for (String end : List.of("", "a", "\0", "zz", "12345678", "12345679")) {
        rows.add(start + end);
      }
    }
    for (boolean shared : new boolean[] {true, false}) {
      List<Cell> keys = new ArrayList<>();
      for (String row : rows) {
        for (int txn = 9; txn > 6; txn--) {
          keys.add(Cell.eraseCell(Bytes.utf8(row), FAMILY, FAMILY, 5).withTxn(txn));
        }
      }
      if (!shared) {
        keys.add(Cell.eraseCell(Bytes.utf8("a"), FAMILY, FAMILY, 5).withTxn(7));
        keys.add(Cell.eraseCell(Bytes.of((byte) 0xff), FAMILY, FAMILY, 5).withTxn(7));
      }
      keys.sort(null);
      IndexBlock index = index(keys);

      assertThat(index.count).isEqualTo(keys.size());
      for (Cell key : keys) {
        for (CellView target : targets(key)) {
          assertThat(index.find(target, new IndexBlock.Entry()))
              .as("%s", target)
              .isEqualTo(firstCovering(keys, target));
        }
      }
    }
  }

  private static List<CellView> targets(Cell key) {
    List<CellView> targets = new ArrayList<>();
    for (int txn = 5; txn <= 10; txn++) {
      targets.add(key.withTxn(txn).view());
    }
    byte[] row = key.row().toArray();
    for (int length = 0; length <= row.length; length++) {
      targets.add(CellView.beforeRow(Bytes.wrap(Arrays.copyOf(row, length))));
    }
    targets.add(CellView.beforeRow(key.row().successor()));
    targets.add(CellView.beforeRow(key.row().concat(Bytes.of((byte) 0xff))));
    for (String far : List.of("\0", "s", "tenant.", "tenant0", "tenant/2", "u", "~~~~~~~~~~")) {
      targets.add(CellView.beforeRow(Bytes.utf8(far)));
    }
    targets.add(CellView.beforeColumn(key.row(), FAMILY, FAMILY));
    targets.add(CellView.beforeColumn(key.row(), FAMILY, Bytes.utf8("g")));
    return targets;
  }

  /** The last key of a row stands for all up to its end, the others for themselves. */
  private static int firstCovering(List<Cell> keys, CellView target) {
    int at = 0;
    while (at < keys.size()) {
      CellView key = keys.get(at).view();
      boolean endsRow = endsRow(keys, at);
      if (endsRow ? key.compareRow(target) >= 0 : key.compareTo(target) >= 0) {
        return at;
      }
      at++;
    }
    return at;
  }

  private static boolean endsRow(List<Cell> keys, int at) {
    return at + 1 == keys.size() || !keys.get(at + 1).row().equals(keys.get(at).row());
  }

  private static IndexBlock index(List<Cell> keys) {
    IndexBlock.Builder builder = new IndexBlock.Builder();
    for (int i = 0; i < keys.size(); i++) {
      BlockHandle handle = new BlockHandle(16 + 100L * i, 100, 100);
      builder.add(handle, 1, 2, false, keys.get(i).view(), !endsRow(keys, i), BlockHandle.NONE);
    }
    ByteBuilder content = builder.finish();
    return new IndexBlock(content.toArray(), content.length());
  }
}
