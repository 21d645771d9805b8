package io.stele.engine.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A batch means its changes one after the other, although they share one transaction. */
class BatchMeaningTest {
  @Test
  void aBatchLeavesWhatItsChangesWouldLeaveOneByOne() {
    for (long seed = 0; seed < 3_000; seed++) {
      RandomCells random = new RandomCells(seed, seed % 4 > 0);
      List<Cell> together = random.commits(1, 12);
      List<Cell> oneByOne = new ArrayList<>(together);
      CellBatchBuilder builder = new CellBatchBuilder();
      for (int n = 0; n < 1 + seed % 12; n++) {
        Cell change = random.change();
        builder.add(change);
        oneByOne.add(change.withTxn(13 + n));
      }
      together.addAll(RandomCells.cells(builder.build().committed(13)));

      assertThat(visible(together, 13)).as("seed %d", seed).isEqualTo(visible(oneByOne, 99));
    }
  }

  private static List<String> visible(List<Cell> cells, long txn) {
    return new VisibilityModel(cells)
        .visible(txn, ReadPredicate.ALL, PurgePolicy.NONE, 0).stream()
            .map(cell -> cell.withTxn(0).toString())
            .toList();
  }
}
