package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.table.Replicas.ReplicaStatus;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.client.Stele;
import io.stele.it.cluster.PinnedTables;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads each replica of a table by itself, and compares them cell by cell. */
final class EveryReplica {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int PAGE_BYTES = 1 << 20;

  private EveryReplica() {}

  /** All cells of a table, of which each replica must have its own. */
  static List<Cell> requireIdentical(Stele stele, String table, String where) {
    List<Cell> all = new ArrayList<>();
    for (PartitionStatus partition : stele.replicas().status(table).partitions()) {
      List<Cell> first = null;
      for (ReplicaStatus replica : partition.replicas()) {
        List<Cell> cells = read(replica.address(), table, partition);
        if (first == null) {
          first = cells;
          all.addAll(cells);
        }
        requireEqual(first, cells, "%s of %s; %s".formatted(replica, partition, where));
      }
    }
    assertThat(stele.replicas().verify(table, RowRange.ALL)).as(where).isEmpty();
    return all;
  }

  private static List<Cell> read(String address, String table, PartitionStatus partition) {
    RowRange rows =
        new RowRange(
            partition.first().isEmpty() ? partition.first() : partition.first().successor(),
            partition.last().map(last -> last.successor()).orElse(null));
    List<Cell> cells = new ArrayList<>();
    try (PinnedTables one = new PinnedTables(address, PATIENCE);
        TableScan scan = one.rows().scan(table, ReadPredicate.rows(rows), ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        TableFixture.cells(page).forEach(cell -> cells.add(cell.withTxn(0)));
      } while (page.more());
    }
    return cells;
  }

  /** Tells the first that differ, rather than all. */
  private static void requireEqual(List<Cell> expected, List<Cell> found, String where) {
    for (int i = 0; i < Math.max(expected.size(), found.size()); i++) {
      assertThat(at(found, i)).as("cell %d of %s", i, where).isEqualTo(at(expected, i));
    }
  }

  private static @Nullable Cell at(List<Cell> cells, int index) {
    return index < cells.size() ? cells.get(index) : null;
  }
}
