package io.stele.engine.memory;

import static io.stele.engine.fragment.RandomCells.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.fragment.RandomCells;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mem fragment beside a sorted set, filled in every order that is hard on a tree. */
class MemFragmentTest {
  private static final int CELLS = 30_000; // a tree of several levels
  private static final Bytes FAMILY = Bytes.utf8("family");

  enum Pattern {
    RANDOM {
      @Override
      Bytes row(int i, RandomGenerator random) {
        return Bytes.utf8(Long.toString(random.nextLong(), 36));
      }
    },
    ASCENDING {
      @Override
      Bytes row(int i, RandomGenerator random) {
        return Bytes.utf8("%09d".formatted(i));
      }
    },
    DESCENDING {
      @Override
      Bytes row(int i, RandomGenerator random) {
        return Bytes.utf8("%09d".formatted(1_000_000_000 - i));
      }
    },
    /** The first eight bytes, which the tree compares first, never tell rows apart. */
    EQUAL_PREFIXES {
      @Override
      Bytes row(int i, RandomGenerator random) {
        return Bytes.utf8("a common prefix of all " + random.nextInt());
      }
    },
    /** Shorter than eight bytes, with zeros at the end: the padding must not confuse them. */
    SHORT {
      @Override
      Bytes row(int i, RandomGenerator random) {
        byte[] row = new byte[random.nextInt(1, 10)];
        row[random.nextInt(row.length)] = (byte) random.nextInt();
        row[0] = (byte) random.nextInt();
        return Bytes.wrap(row);
      }
    },
    /** Many versions of few columns: the order is by transaction alone. */
    FEW_COLUMNS {
      @Override
      Bytes row(int i, RandomGenerator random) {
        return Bytes.utf8("row" + random.nextInt(3));
      }
    };

    abstract Bytes row(int i, RandomGenerator random);
  }

  @ParameterizedTest
  @EnumSource(Pattern.class)
  void holdsWhatASortedSetHolds(Pattern pattern) {
    fill(pattern, CELLS);
  }

  @ParameterizedTest
  @EnumSource(Pattern.class)
  @Tag(LongRun.TAG)
  void holdsWhatALargeSortedSetHolds(Pattern pattern) {
    fill(pattern, 20 * CELLS);
  }

  private static void fill(Pattern pattern, int count) {
    RandomGenerator random = RandomSource.seeded(pattern.name().length());
    MemFragment fragment = new MemFragment();
    TreeSet<Cell> model = new TreeSet<>();
    long txn = 0;
    for (int i = 0; i < count; ) {
      CellBatchBuilder builder = new CellBatchBuilder();
      for (int n = random.nextInt(1, 40); n > 0; n--) {
        builder.add(change(pattern.row(i++, random), random));
      }
      CellBatch batch = builder.build().committed(++txn);
      fragment.add(batch);
      model.addAll(RandomCells.cells(batch));
    }

    assertThat(fragment.cellCount()).isEqualTo(model.size());
    assertThat(fragment.minTxn()).isEqualTo(1);
    assertThat(fragment.maxTxn()).isEqualTo(txn);
    assertThat(fragment.mayHoldWideErasures()).isTrue();
    List<Cell> expected = List.copyOf(model);
    assertThat(drain(fragment.cursor(TimeBounds.ALL)).equals(expected)).isTrue();
    checkSeeks(fragment, expected, random);
    assertThat(fragment.bytes()).isEqualTo(MemoryOf.fragment(fragment));
  }

  static Cell change(Bytes row, RandomGenerator random) {
    Bytes column = Bytes.utf8("c" + random.nextInt(2));
    return switch (random.nextInt(40)) {
      case 0 -> Cell.eraseRow(row);
      case 1 -> Cell.eraseFamily(row, FAMILY);
      case 2 -> Cell.eraseColumn(row, FAMILY, column, random.nextInt(5), 10);
      case 3 -> Cell.eraseCell(row, FAMILY, column, random.nextInt(3));
      default ->
          Cell.put(
              row, FAMILY, column, random.nextInt(3), Bytes.wrap(new byte[random.nextInt(30)]));
    };
  }

  static void checkSeeks(Fragment fragment, List<Cell> cells, RandomGenerator random) {
    CellCursor cursor = fragment.cursor(TimeBounds.ALL);
    for (int i = 0; i < 5_000; i++) {
      int at = random.nextInt(cells.size());
      Cell cell = cells.get(at);
      expect(cursor, cell.view(), cells, at);
      CellView before = cell.view();
      before.txn++;
      if (at == 0 || cells.get(at - 1).view().compareTo(before) < 0) {
        expect(cursor, before, cells, at);
      }
      CellView behind = cell.view();
      behind.txn--;
      if (at + 1 < cells.size() && cells.get(at + 1).view().compareTo(behind) >= 0) {
        expect(cursor, behind, cells, at + 1);
      }
    }
    assertThat(cursor.seek(CellView.beforeRow(cells.getLast().row().successor()))).isFalse();
    assertThat(cursor.next()).isFalse();
    assertThat(cursor.seek(CellView.beforeRow(Bytes.EMPTY))).isTrue();
    assertThat(cursor.cell().toCell()).isEqualTo(cells.getFirst());
  }

  private static void expect(CellCursor cursor, CellView target, List<Cell> cells, int index) {
    List<Cell> found = new ArrayList<>();
    for (boolean more = cursor.seek(target); more && found.size() < 3; more = cursor.next()) {
      found.add(cursor.cell().toCell());
    }
    List<Cell> expected = cells.subList(index, Math.min(index + 3, cells.size()));
    if (!found.equals(expected)) {
      assertThat(found).as("from %s", target).isEqualTo(expected);
    }
  }

  @Test
  void anEmptyFragmentHasNothing() {
    MemFragment fragment = new MemFragment();

    assertThat(fragment.isEmpty()).isTrue();
    assertThat(fragment.cellCount()).isZero();
    assertThat(fragment.families()).isEmpty();
    assertThat(fragment.mayHoldWideErasures()).isFalse();
    assertThat(fragment.cursor(TimeBounds.ALL).next()).isFalse();
    assertThat(fragment.cursor(TimeBounds.ALL).seek(CellView.beforeRow(FAMILY))).isFalse();
    assertThat(fragment.rowCursor(CellView.beforeRow(FAMILY))).isEmpty();
  }

  @Test
  void knowsItsFamiliesAndWhetherErasuresReachFar() {
    MemFragment fragment = new MemFragment();
    fragment.add(put("r", "b", 1).committed(1));
    fragment.add(put("r", "a", 1).committed(2));
    fragment.add(
        new CellBatchBuilder()
            .add(Cell.eraseCell(FAMILY, Bytes.utf8("b"), Bytes.EMPTY, 1))
            .build()
            .committed(3));
    assertThat(fragment.families()).containsExactlyInAnyOrder(Bytes.utf8("a"), Bytes.utf8("b"));
    assertThat(fragment.mayHoldWideErasures()).isFalse();

    fragment.add(new CellBatchBuilder().add(Cell.eraseRow(FAMILY)).build().committed(4));

    assertThat(fragment.families()).as("a row erasure has none").hasSize(2);
    assertThat(fragment.mayHoldWideErasures()).isTrue();
  }

  @Test
  void transactionsComeInOrderAndNotBehindAFreeze() {
    MemFragment fragment = new MemFragment();
    fragment.add(put("r", "f", 1).committed(5));

    assertThatThrownBy(() -> fragment.add(put("r", "f", 1).committed(5)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("transaction 5 added to a mem fragment that is at 5");
    assertThatThrownBy(() -> fragment.add(put("r", "f", 1).committed(4)))
        .isInstanceOf(IllegalStateException.class);
    fragment.freeze();
    assertThatThrownBy(() -> fragment.add(put("r", "f", 1).committed(6)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("transaction 6 added to a mem fragment that is frozen");
    assertThat(fragment.cellCount()).isEqualTo(1);
  }

  @Test
  void cellsLargerThanAChunkGetOneOfTheirOwn() {
    MemFragment fragment = new MemFragment();
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int size = i % 4 == 0 ? (1 << 20) + i : i % 4 == 1 ? (1 << 20) - 40 - i : 100 * i;
      byte[] value = new byte[size];
      value[size / 2] = (byte) i;
      Bytes row = Bytes.utf8("row" + i % 13 + "/" + i);
      CellBatch batch =
          new CellBatchBuilder()
              .put(row, FAMILY, Bytes.EMPTY, 1, Bytes.wrap(value))
              .build()
              .committed(i + 1);
      fragment.add(batch);
      cells.addAll(RandomCells.cells(batch));
    }
    cells.sort(null);

    assertThat(drain(fragment.cursor(TimeBounds.ALL)).equals(cells)).isTrue();
    assertThat(fragment.bytes()).isEqualTo(MemoryOf.fragment(fragment));
  }

  @Test
  void aSmallFragmentTakesLittleMemory() {
    MemFragment fragment = new MemFragment();
    fragment.add(put("r", "f", 10).committed(1));

    assertThat(fragment.bytes()).isBetween(10L, 20_000L);
  }

  private static CellBatch put(String row, String family, int size) {
    return new CellBatchBuilder()
        .put(Bytes.utf8(row), Bytes.utf8(family), Bytes.EMPTY, 1, Bytes.wrap(new byte[size]))
        .build();
  }
}
