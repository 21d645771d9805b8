package io.stele.engine.fragment;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Committed cells of all kinds, over so few rows, columns and timestamps that most of them collide.
 * The same seed gives the same cells.
 */
public final class RandomCells {
  private static final String[] ROWS = {"a", "a\0", "ab", "b", "c", "cc", "d"};
  private static final String[] FAMILIES = {"f", "ff", "g"};
  private static final String[] QUALIFIERS = {"", "p", "pp", "q"};
  private static final int TIMES = 5;

  private final RandomGenerator random;
  private final int rows;
  private final boolean wide;
  private final boolean prefixes;

  /** Erasures of columns, families and rows only if {@code wide}. */
  public RandomCells(long seed, boolean wide) {
    this(seed, wide, false);
  }

  private RandomCells(long seed, boolean wide, boolean prefixes) {
    this.random = RandomSource.seeded(seed);
    this.rows = random.nextInt(1, ROWS.length + 1);
    this.wide = wide;
    this.prefixes = prefixes;
  }

  /** Erasures of columns, families and rows alone, and of all up to some time. */
  public static RandomCells prefixErasures(long seed) {
    return new RandomCells(seed, true, true);
  }

  public Bytes row() {
    return Bytes.utf8(ROWS[random.nextInt(rows)]);
  }

  public Bytes family() {
    return Bytes.utf8(FAMILIES[random.nextInt(FAMILIES.length)]);
  }

  public Bytes qualifier() {
    return Bytes.utf8(QUALIFIERS[random.nextInt(QUALIFIERS.length)]);
  }

  /** From -1 on, so that the sign plays a part. */
  public long time() {
    return random.nextInt(TIMES) - 1L;
  }

  /** One change, not yet committed. */
  public Cell change() {
    int kind = random.nextInt(wide ? 20 : 14);
    if (kind < 11) {
      Bytes value = Bytes.utf8("v" + random.nextInt(1000));
      return Cell.put(row(), family(), qualifier(), time(), value);
    }
    if (kind < 14 && !prefixes) {
      return Cell.eraseCell(row(), family(), qualifier(), time());
    }
    long from = prefixes || random.nextInt(4) == 0 ? Long.MIN_VALUE : time();
    long to = random.nextInt(4) == 0 ? Long.MAX_VALUE : Math.max(from, -1) + 1 + random.nextInt(3);
    if (kind < 17) {
      return Cell.eraseColumn(row(), family(), qualifier(), from, to);
    }
    if (random.nextBoolean()) {
      return kind < 19 ? Cell.eraseFamily(row(), family()) : Cell.eraseRow(row());
    }
    return kind < 19 ? Cell.eraseFamily(row(), family(), from, to) : Cell.eraseRow(row(), from, to);
  }

  /** The cells of one transaction, in order. */
  public List<Cell> commit(long txn) {
    CellBatchBuilder builder = new CellBatchBuilder();
    for (int n = random.nextInt(1, 6); n > 0; n--) {
      builder.add(change());
    }
    return cells(builder.build().committed(txn));
  }

  /** The cells of the transactions {@code from..to}, as they came. */
  public List<Cell> commits(long from, long to) {
    List<Cell> cells = new ArrayList<>();
    for (long txn = from; txn <= to; txn++) {
      cells.addAll(commit(txn));
    }
    return cells;
  }

  /** All cells of a batch. */
  public static List<Cell> cells(CellBatch batch) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      cells.add(reader.cell().toCell());
    }
    return cells;
  }

  /** All cells of a new cursor. */
  public static List<Cell> drain(CellCursor cursor) {
    List<Cell> cells = new ArrayList<>();
    while (cursor.next()) {
      cells.add(cursor.cell().toCell());
    }
    return cells;
  }

  /** What a cursor has from a target on. */
  public static List<Cell> drainFrom(CellCursor cursor, CellView target) {
    List<Cell> cells = new ArrayList<>();
    if (cursor.seek(target)) {
      cells.add(cursor.cell().toCell());
      cells.addAll(drain(cursor));
    }
    return cells;
  }
}
