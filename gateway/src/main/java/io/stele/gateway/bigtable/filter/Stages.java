package io.stele.gateway.bigtable.filter;

import io.stele.base.cell.CellView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The kinds of steps that filters consist of. */
final class Stages {
  private Stages() {}

  /** Lets cells through by what they are alone. */
  record Test(Predicate<FilteredCell> test, Stage next) implements Stage {
    @Override
    public void accept(FilteredCell cell) {
      if (test.test(cell)) {
        next.accept(cell);
      }
    }
  }

  /** Makes other cells of cells. */
  record Transform(UnaryOperator<FilteredCell> change, Stage next) implements Stage {
    @Override
    public void accept(FilteredCell cell) {
      next.accept(change.apply(cell));
    }
  }

  /** Lets whole rows through. */
  abstract static class RowTest implements Stage {
    private final Stage next;
    private boolean open;

    RowTest(Stage next) {
      this.next = next;
    }

    abstract boolean wants(byte[] row, int offset, int length);

    @Override
    public void startRow(byte[] row, int offset, int length) {
      open = wants(row, offset, length);
    }

    @Override
    public void accept(FilteredCell cell) {
      if (open) {
        next.accept(cell);
      }
    }
  }

  static final class KeyRegex extends RowTest {
    private final ByteRegex regex;

    KeyRegex(ByteRegex regex, Stage next) {
      super(next);
      this.regex = regex;
    }

    @Override
    boolean wants(byte[] row, int offset, int length) {
      return regex.matches(row, offset, length);
    }
  }

  static final class Sample extends RowTest {
    private final double share;
    private final RandomGenerator random;

    Sample(double share, RandomGenerator random, Stage next) {
      super(next);
      this.share = share;
      this.random = random;
    }

    @Override
    boolean wants(byte[] row, int offset, int length) {
      return random.nextDouble() < share;
    }
  }

  /** Lets the cells of a row through from one place to another. */
  static final class RowSlice implements Stage {
    private final int from;
    private final int to;
    private final Stage next;
    private int seen;

    RowSlice(int from, int to, Stage next) {
      this.from = from;
      this.to = to;
      this.next = next;
    }

    @Override
    public void startRow(byte[] row, int offset, int length) {
      seen = 0;
    }

    @Override
    public void accept(FilteredCell cell) {
      if (seen >= to) {
        return; // and a row may have more cells than can be counted
      }
      if (seen++ >= from) {
        next.accept(cell);
      }
    }
  }

  /** Lets the newest cells of each column through. */
  static final class ColumnLimit implements Stage {
    private final int most;
    private final Stage next;
    private @Nullable CellView column;
    private int seen;

    ColumnLimit(int most, Stage next) {
      this.most = most;
      this.next = next;
    }

    @Override
    public void startRow(byte[] row, int offset, int length) {
      column = null;
    }

    @Override
    public void accept(FilteredCell cell) {
      CellView view = cell.view();
      if (column == null || !column.sameQualifier(view) || !column.sameFamily(view)) {
        column = view;
        seen = 0;
      }
      if (seen < most) {
        seen++;
        next.accept(cell);
      }
    }
  }

  /** Gives each cell to all branches, which lead to one stage. */
  static final class Fork implements Stage {
    private final List<Stage> branches;

    Fork(List<Stage> branches) {
      this.branches = List.copyOf(branches);
    }

    @Override
    public void accept(FilteredCell cell) {
      for (Stage branch : branches) {
        branch.accept(cell);
      }
    }
  }

  /** Puts cells in order that come from branches of which some hold theirs back. */
  static final class Merge implements Stage {
    private final Stage next;
    private final List<FilteredCell> waiting = new ArrayList<>();

    Merge(Stage next) {
      this.next = next;
    }

    @Override
    public void startRow(byte[] row, int offset, int length) {
      waiting.clear();
    }

    @Override
    public void accept(FilteredCell cell) {
      waiting.add(cell);
    }

    @Override
    public void endRow() {
      waiting.sort(Comparator.comparingInt(FilteredCell::ordinal));
      waiting.forEach(next::accept);
      waiting.clear();
    }
  }

  /**
   * Gives the row to one of two branches, once it is known whether another lets anything through.
   * Until then its cells wait; if nothing comes, until the row's end.
   */
  static final class Choice implements Stage {
    private final Stage whenMet;
    private final Stage otherwise;
    private final List<FilteredCell> waiting = new ArrayList<>();
    private @Nullable Stage predicate;
    private boolean met;

    Choice(Stage whenMet, Stage otherwise) {
      this.whenMet = whenMet;
      this.otherwise = otherwise;
    }

    /** The predicate, which ends at {@link #latch}. */
    void decideBy(Stage value) {
      predicate = value;
    }

    Stage latch() {
      return _ -> met = true;
    }

    @Override
    public void startRow(byte[] row, int offset, int length) {
      waiting.clear();
      met = false;
    }

    @Override
    public void accept(FilteredCell cell) {
      if (!met && predicate != null) {
        waiting.add(cell);
        predicate.accept(cell);
        if (met) {
          release(whenMet);
        }
      } else {
        whenMet.accept(cell);
      }
    }

    @Override
    public void endRow() {
      release(met ? whenMet : otherwise);
    }

    private void release(Stage branch) {
      waiting.forEach(branch::accept);
      waiting.clear();
    }
  }

  /** True if a value has all bits of a mask of its own length. */
  static boolean hasBits(FilteredCell cell, byte[] mask) {
    if (cell.valueLength() != mask.length) {
      return false;
    }
    CellView view = cell.view();
    for (int i = 0; i < mask.length; i++) {
      if ((view.valueArray[view.valueOffset + i] & mask[i]) != mask[i]) {
        return false;
      }
    }
    return true;
  }
}
