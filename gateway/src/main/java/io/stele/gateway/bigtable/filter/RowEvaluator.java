package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.ColumnRange;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.TimestampRange;
import com.google.bigtable.v2.ValueRange;
import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * A filter at work on the cells of one row after the other. Cells are let through as they come, so
 * that a row need not fit memory, but for conditions, which hold theirs back until they are
 * decided.
 *
 * <pre>
 *   chain        ─► f0 ─► f1 ─► f2 ─►            interleave   ─┬► f0 ─┬►        (merge, if one is delayed)
 *                                                              └► f1 ─┘
 *   condition    ─┬► predicate ─► latch           sink         ─► out, past all that would follow
 *                 └► waits ─► one of two ─►
 * </pre>
 */
public final class RowEvaluator {
  private static final int MILLIS = 1_000;
  private static final Stage NOWHERE = _ -> {};

  private final RandomGenerator random;
  private final List<Stage> stages = new ArrayList<>(); // the last that cells pass comes first
  private final Stage output;
  private final Stage first;
  private int ordinal;

  /**
   * Makes a filter ready.
   *
   * @param out gets what it lets through, in the order of cells
   * @param random for samples of rows
   * @throws InvalidRequestException if it is none
   */
  public RowEvaluator(RowFilter filter, Consumer<FilteredCell> out, RandomGenerator random) {
    FilterLimits.check(filter);
    this.random = random;
    Stage end = out::accept;
    this.output = FilterLimits.isDelayed(filter) ? kept(new Stages.Merge(end)) : end;
    this.first = stage(filter, output);
  }

  public void startRow(byte[] row, int offset, int length) {
    ordinal = 0;
    for (Stage stage : stages) {
      stage.startRow(row, offset, length);
    }
  }

  /** The next cell of the row; its bytes are kept, not copied. */
  public void cell(CellView cell) {
    first.accept(FilteredCell.of(cell, ordinal++));
  }

  public void endRow() {
    for (int i = stages.size() - 1; i >= 0; i--) {
      stages.get(i).endRow();
    }
  }

  private Stage kept(Stage stage) {
    stages.add(stage);
    return stage;
  }

  // ---- building, from the end

  private Stage stage(RowFilter filter, Stage next) {
    return switch (filter.getFilterCase()) {
      case CHAIN -> chain(filter.getChain().getFiltersList(), next);
      case INTERLEAVE -> interleave(filter.getInterleave().getFiltersList(), next);
      case CONDITION -> condition(filter.getCondition(), next);
      case SINK -> {
        mustBeTrue(filter.getSink(), "sink");
        yield output;
      }
      case PASS_ALL_FILTER -> {
        mustBeTrue(filter.getPassAllFilter(), "pass_all_filter");
        yield next;
      }
      case BLOCK_ALL_FILTER -> {
        mustBeTrue(filter.getBlockAllFilter(), "block_all_filter");
        yield NOWHERE;
      }
      case STRIP_VALUE_TRANSFORMER -> {
        mustBeTrue(filter.getStripValueTransformer(), "strip_value_transformer");
        yield new Stages.Transform(FilteredCell::withoutValue, next);
      }
      case APPLY_LABEL_TRANSFORMER -> {
        String label = filter.getApplyLabelTransformer();
        yield new Stages.Transform(cell -> cell.withLabel(label), next);
      }
      case ROW_KEY_REGEX_FILTER ->
          kept(
              new Stages.KeyRegex(
                  regex(filter.getRowKeyRegexFilter(), "row_key_regex_filter"), next));
      case ROW_SAMPLE_FILTER ->
          kept(new Stages.Sample(share(filter.getRowSampleFilter()), random, next));
      case CELLS_PER_ROW_OFFSET_FILTER ->
          kept(
              new Stages.RowSlice(
                  count(filter.getCellsPerRowOffsetFilter(), 0, "cells_per_row_offset_filter"),
                  Integer.MAX_VALUE,
                  next));
      case CELLS_PER_ROW_LIMIT_FILTER ->
          kept(
              new Stages.RowSlice(
                  0,
                  count(filter.getCellsPerRowLimitFilter(), 1, "cells_per_row_limit_filter"),
                  next));
      case CELLS_PER_COLUMN_LIMIT_FILTER ->
          kept(
              new Stages.ColumnLimit(
                  count(filter.getCellsPerColumnLimitFilter(), 1, "cells_per_column_limit_filter"),
                  next));
      case FAMILY_NAME_REGEX_FILTER,
          COLUMN_QUALIFIER_REGEX_FILTER,
          COLUMN_RANGE_FILTER,
          TIMESTAMP_RANGE_FILTER,
          VALUE_REGEX_FILTER,
          VALUE_RANGE_FILTER,
          VALUE_BITMASK_FILTER ->
          new Stages.Test(test(filter), next);
      case FILTER_NOT_SET -> {
        if (!filter.getUnknownFields().asMap().isEmpty()) {
          throw new InvalidRequestException(
              "a filter of a kind that this server does not know: field "
                  + filter.getUnknownFields().asMap().keySet());
        }
        yield next;
      }
    };
  }

  private Stage chain(List<RowFilter> filters, Stage next) {
    atLeastTwo(filters, "Chain");
    Stage stage = next;
    for (RowFilter filter : filters.reversed()) {
      stage = stage(filter, stage);
    }
    return stage;
  }

  private Stage interleave(List<RowFilter> filters, Stage next) {
    atLeastTwo(filters, "Interleave");
    boolean delayed = filters.stream().anyMatch(FilterLimits::isDelayed);
    Stage joined = delayed ? kept(new Stages.Merge(next)) : next;
    List<Stage> branches = new ArrayList<>();
    for (RowFilter filter : filters) {
      branches.add(stage(filter, joined));
    }
    return new Stages.Fork(branches);
  }

  private Stage condition(RowFilter.Condition condition, Stage next) {
    Stages.Choice choice =
        new Stages.Choice(
            condition.hasTrueFilter() ? stage(condition.getTrueFilter(), next) : NOWHERE,
            condition.hasFalseFilter() ? stage(condition.getFalseFilter(), next) : NOWHERE);
    kept(choice);
    choice.decideBy(stage(condition.getPredicateFilter(), choice.latch()));
    return choice;
  }

  private static Predicate<FilteredCell> test(RowFilter filter) {
    return switch (filter.getFilterCase()) {
      case FAMILY_NAME_REGEX_FILTER -> {
        ByteRegex regex = familyRegex(filter.getFamilyNameRegexFilter());
        yield cell -> {
          CellView view = cell.view();
          return regex.matches(view.familyArray, view.familyOffset, view.familyLength);
        };
      }
      case COLUMN_QUALIFIER_REGEX_FILTER -> {
        ByteRegex regex =
            regex(filter.getColumnQualifierRegexFilter(), "column_qualifier_regex_filter");
        yield cell -> {
          CellView view = cell.view();
          return regex.matches(view.qualifierArray, view.qualifierOffset, view.qualifierLength);
        };
      }
      case VALUE_REGEX_FILTER -> {
        ByteRegex regex = regex(filter.getValueRegexFilter(), "value_regex_filter");
        yield cell ->
            regex.matches(cell.view().valueArray, cell.view().valueOffset, cell.valueLength());
      }
      case COLUMN_RANGE_FILTER -> inColumns(filter.getColumnRangeFilter());
      case VALUE_RANGE_FILTER -> inValues(filter.getValueRangeFilter());
      case TIMESTAMP_RANGE_FILTER -> {
        TimestampRange range = millis(filter.getTimestampRangeFilter());
        long from = range.getStartTimestampMicros();
        long to = end(range);
        yield cell -> cell.view().timestamp >= from && cell.view().timestamp < to;
      }
      case VALUE_BITMASK_FILTER -> {
        byte[] mask = filter.getValueBitmaskFilter().getMask().toByteArray();
        yield cell -> Stages.hasBits(cell, mask);
      }
      default -> throw new IllegalStateException(filter.getFilterCase() + " is not of cells alone");
    };
  }

  private static Predicate<FilteredCell> inColumns(ColumnRange range) {
    byte[] family = ByteRanges.family(range.getFamilyName());
    ByteRanges.Range qualifiers = ByteRanges.of(range);
    return cell -> {
      CellView view = cell.view();
      return ByteRanges.equal(family, view.familyArray, view.familyOffset, view.familyLength)
          && qualifiers.contains(view.qualifierArray, view.qualifierOffset, view.qualifierLength);
    };
  }

  private static Predicate<FilteredCell> inValues(ValueRange range) {
    ByteRanges.Range values = ByteRanges.of(range);
    return cell ->
        values.contains(cell.view().valueArray, cell.view().valueOffset, cell.valueLength());
  }

  // ---- what filters may say

  static ByteRegex regex(ByteString expression, String field) {
    return ByteRegex.compile(expression.toByteArray(), field);
  }

  static ByteRegex familyRegex(String expression) {
    if (expression.indexOf(':') >= 0) {
      throw new InvalidRequestException(
          "family_name_regex_filter \"" + expression + "\": must not have a colon");
    }
    return ByteRegex.compile(Bytes.utf8(expression).toArray(), "family_name_regex_filter");
  }

  static TimestampRange millis(TimestampRange range) {
    if (range.getStartTimestampMicros() % MILLIS != 0
        || range.getEndTimestampMicros() % MILLIS != 0) {
      throw new InvalidRequestException(
          "timestamp_range_filter from "
              + range.getStartTimestampMicros()
              + " to "
              + range.getEndTimestampMicros()
              + " microseconds: must be whole milliseconds");
    }
    return range;
  }

  /** The first timestamp behind a range. */
  static long end(TimestampRange range) {
    return range.getEndTimestampMicros() == 0 ? Long.MAX_VALUE : range.getEndTimestampMicros();
  }

  private static double share(double share) {
    if (!(share > 0 && share < 1)) {
      throw new InvalidRequestException(
          "row_sample_filter " + share + ": must be above 0 and below 1");
    }
    return share;
  }

  private static int count(int count, int least, String field) {
    if (count < least) {
      throw new InvalidRequestException(field + " " + count + ": must be at least " + least);
    }
    return count;
  }

  private static void atLeastTwo(List<RowFilter> filters, String what) {
    if (filters.size() < 2) {
      throw new InvalidRequestException(
          what + " of " + filters.size() + " filters: must contain at least two");
    }
  }

  private static void mustBeTrue(boolean value, String field) {
    if (!value) {
      throw new InvalidRequestException(field + " is false: must be true if it is set");
    }
  }
}
