package io.stele.tables.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.merge.Older;
import io.stele.engine.merge.RetainCursor;
import org.junit.jupiter.api.Test;

class SnapshotsTest {
  private final Snapshots snapshots = new Snapshots();

  /** How many of three versions, of transactions 10, 20 and 30, a rewrite keeps. */
  private int kept() {
    MemFragment mem = new MemFragment();
    for (long txn : new long[] {10, 20, 30}) {
      mem.add(
          new CellBatchBuilder()
              .add(Cell.put(Bytes.utf8("r"), Bytes.utf8("f"), Bytes.EMPTY, 5, Bytes.EMPTY))
              .build()
              .committed(txn));
    }
    RetainCursor cells =
        new RetainCursor(
            mem.cursor(TimeBounds.ALL), snapshots.current(), Older.NONE, PurgePolicy.NONE, 0);
    int count = 0;
    while (cells.next()) {
      count++;
    }
    return count;
  }

  @Test
  void whatAnOpenTransactionSeesIsKeptUntilItsLastReaderCloses() {
    assertThat(kept()).isEqualTo(1);
    assertThat(snapshots.open(() -> 15)).isEqualTo(15);
    assertThat(kept()).isEqualTo(2);
    assertThat(snapshots.reopen(15)).isTrue();
    snapshots.open(() -> 25);
    assertThat(kept()).isEqualTo(3);
    snapshots.close(15);
    assertThat(kept()).isEqualTo(3);
    snapshots.close(15);
    assertThat(kept()).isEqualTo(2);
    snapshots.close(25);
    assertThat(kept()).isEqualTo(1);
  }

  @Test
  void onlyAnOpenTransactionCanBeOpenedAgain() {
    assertThat(snapshots.reopen(15)).isFalse();
    snapshots.open(() -> 15);
    snapshots.close(15);
    assertThat(snapshots.reopen(15)).isFalse();
    snapshots.close(15);
    assertThat(kept()).isEqualTo(1);
  }
}
