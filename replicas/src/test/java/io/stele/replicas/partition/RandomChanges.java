package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Changes of all kinds over so few rows, columns and times that most of them collide, with times
 * about a moment.
 */
final class RandomChanges {
  private static final int TIMES = 6;

  private final RandomGenerator random;
  private final long moment;

  RandomChanges(long seed, long moment) {
    this.random = RandomSource.seeded(seed);
    this.moment = moment;
  }

  List<Cell> cells(int count) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cells.add(cell());
    }
    return cells;
  }

  private Cell cell() {
    Bytes row = Bytes.utf8("row" + random.nextInt(5));
    Bytes family = Bytes.utf8(random.nextInt(3) == 0 ? "g" : "f");
    Bytes qualifier = Bytes.utf8(random.nextInt(4) == 0 ? "" : "q" + random.nextInt(3));
    long from = random.nextInt(3) == 0 ? Long.MIN_VALUE : time();
    long to = Math.max(from, moment) + 1 + random.nextInt(TIMES);
    return switch (random.nextInt(20)) {
      case 0, 1 -> Cell.eraseCell(row, family, qualifier, time());
      case 2, 3 -> Cell.eraseColumn(row, family, qualifier, from, to);
      case 4 -> Cell.eraseFamily(row, family, from, to);
      case 5 -> Cell.eraseRow(row, from, to);
      default -> Cell.put(row, family, qualifier, time(), Bytes.utf8("v" + random.nextInt(4)));
    };
  }

  private long time() {
    return moment + random.nextInt(TIMES);
  }

  /** The cells in some order, some of them several times, in batches of some size. */
  List<CellBatch> delivery(List<Cell> cells) {
    List<Cell> order = new ArrayList<>(cells);
    for (int i = cells.size() / 3; i > 0; i--) {
      order.add(cells.get(random.nextInt(cells.size())));
    }
    for (int i = order.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Cell swap = order.get(i);
      order.set(i, order.get(other));
      order.set(other, swap);
    }
    List<CellBatch> batches = new ArrayList<>();
    int at = 0;
    while (at < order.size()) {
      int end = Math.min(order.size(), at + 1 + random.nextInt(6));
      batches.addAll(batches(order.subList(at, end)));
      at = end;
    }
    return batches;
  }

  /**
   * A batch says each thing once: where two cells are about the same, the second goes into another
   * batch.
   */
  private static List<CellBatch> batches(List<Cell> cells) {
    List<CellBatch> batches = new ArrayList<>();
    List<Cell> rest = new ArrayList<>(cells);
    while (!rest.isEmpty()) {
      List<Cell> sorted = new ArrayList<>();
      List<Cell> later = new ArrayList<>();
      for (Cell cell : rest.stream().sorted().toList()) {
        boolean above = sorted.isEmpty() || sorted.getLast().compareTo(cell) < 0;
        (above ? sorted : later).add(cell);
      }
      CellBatchBuilder batch = new CellBatchBuilder();
      sorted.forEach(batch::add); // ascending: the builder settles nothing
      batches.add(batch.build());
      rest = later;
    }
    return batches;
  }
}
