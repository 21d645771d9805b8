package io.stele.engine.memory;

import static io.stele.engine.fragment.RandomCells.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.fragment.RandomCells;
import io.stele.engine.memory.MemFragmentTest.Pattern;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bulk fragment beside a sorted set, filled in no order at all. */
class BulkFragmentTest {
  private static final int CELLS = 20_000;

  @ParameterizedTest
  @EnumSource(Pattern.class)
  void holdsWhatASortedSetHolds(Pattern pattern) {
    RandomGenerator random = RandomSource.seeded(pattern.name().length());
    TreeSet<Cell> model = new TreeSet<>();
    List<Cell> added = new ArrayList<>();
    long txn = 0;
    for (int i = 0; i < CELLS; ) {
      CellBatchBuilder builder = new CellBatchBuilder();
      for (int n = random.nextInt(1, 40); n > 0; n--) {
        builder.add(MemFragmentTest.change(pattern.row(i++, random), random));
      }
      added.addAll(RandomCells.cells(builder.build().committed(++txn)));
    }
    model.addAll(added);
    Collections.shuffle(added, new Random(1));
    BulkFragment fragment = new BulkFragment();
    assertThat(fragment.isEmpty()).isTrue();
    assertThat(fragment.bytes()).isZero();
    added.forEach(cell -> fragment.add(cell.view()));
    fragment.freeze();

    assertThat(fragment.minTxn()).isEqualTo(1);
    assertThat(fragment.maxTxn()).isEqualTo(txn);
    assertThat(fragment.mayHoldWideErasures()).isTrue();
    assertThat(fragment.families()).containsExactly(Bytes.utf8("family"));
    assertThat(fragment.bytes()).isPositive();
    List<Cell> expected = List.copyOf(model);
    assertThat(drain(fragment.cursor(TimeBounds.ALL)).equals(expected)).isTrue();
    MemFragmentTest.checkSeeks(fragment, expected, random);
  }

  @Test
  void isReadOnlyOnceItIsSorted() {
    BulkFragment fragment = new BulkFragment();
    CellView cell = Cell.put(Bytes.utf8("r"), Bytes.utf8("f"), Bytes.EMPTY, 1, Bytes.EMPTY).view();
    assertThat(fragment.rowCursor(cell)).isEmpty();
    fragment.add(cell);
    assertThatThrownBy(() -> fragment.cursor(TimeBounds.ALL))
        .isInstanceOf(IllegalStateException.class);
    fragment.freeze();
    assertThat(fragment.rowCursor(cell)).isPresent();
    assertThatThrownBy(() -> fragment.add(cell)).isInstanceOf(IllegalStateException.class);
  }
}
