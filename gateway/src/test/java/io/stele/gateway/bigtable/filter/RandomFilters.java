package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.ColumnRange;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.RowFilter.FilterCase;
import com.google.bigtable.v2.TimestampRange;
import com.google.bigtable.v2.ValueBitmask;
import com.google.bigtable.v2.ValueRange;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Filters by chance over rows like {@code row3} with families {@code a b c}, qualifiers {@code "" x
 * xy y}, timestamps of few milliseconds and short values of {@code p q}.
 */
public final class RandomFilters {
  private final Random random;
  private final List<FilterCase> kinds;
  private boolean labelled;

  /** Filters of all kinds but those left out; samples of rows are always left out. */
  public RandomFilters(Random random, Set<FilterCase> leftOut) {
    this.random = random;
    EnumSet<FilterCase> all = EnumSet.allOf(FilterCase.class);
    all.removeAll(leftOut);
    all.remove(FilterCase.FILTER_NOT_SET);
    all.remove(FilterCase.ROW_SAMPLE_FILTER);
    this.kinds = List.copyOf(all);
  }

  /** A tree of at most so many levels. */
  public RowFilter tree(int depth) {
    labelled = false;
    return tree(depth, true);
  }

  private RowFilter tree(int depth, boolean sinks) {
    while (true) {
      FilterCase kind = kinds.get(random.nextInt(kinds.size()));
      boolean compound =
          kind == FilterCase.CHAIN || kind == FilterCase.INTERLEAVE || kind == FilterCase.CONDITION;
      if (depth > 1 && !compound && random.nextInt(3) > 0) {
        continue; // or most trees would be leaves
      }
      if (compound) {
        if (depth > 1) {
          return compound(kind, depth, sinks);
        }
      } else if (kind == FilterCase.SINK) {
        if (sinks) {
          return RowFilter.newBuilder().setSink(true).build();
        }
      } else if (kind == FilterCase.APPLY_LABEL_TRANSFORMER) {
        if (!labelled) { // a chain may have one, and any filter may be part of one
          labelled = true;
          return leaf(kind);
        }
      } else {
        return leaf(kind);
      }
    }
  }

  private RowFilter compound(FilterCase kind, int depth, boolean sinks) {
    if (kind == FilterCase.CONDITION) {
      RowFilter.Condition.Builder condition =
          RowFilter.Condition.newBuilder().setPredicateFilter(tree(depth - 1, false));
      if (random.nextInt(4) > 0) {
        condition.setTrueFilter(tree(depth - 1, false));
      }
      if (random.nextInt(4) > 0) {
        condition.setFalseFilter(tree(depth - 1, false));
      }
      return RowFilter.newBuilder().setCondition(condition).build();
    }
    List<RowFilter> parts = new ArrayList<>();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      parts.add(tree(depth - 1, sinks));
    }
    return kind == FilterCase.CHAIN
        ? RowFilter.newBuilder().setChain(RowFilter.Chain.newBuilder().addAllFilters(parts)).build()
        : RowFilter.newBuilder()
            .setInterleave(RowFilter.Interleave.newBuilder().addAllFilters(parts))
            .build();
  }

  /** A filter of a kind that has no parts. */
  public RowFilter leaf(FilterCase kind) {
    RowFilter.Builder filter = RowFilter.newBuilder();
    return switch (kind) {
      case SINK -> filter.setSink(true).build();
      case PASS_ALL_FILTER -> filter.setPassAllFilter(true).build();
      case BLOCK_ALL_FILTER -> filter.setBlockAllFilter(true).build();
      case STRIP_VALUE_TRANSFORMER -> filter.setStripValueTransformer(true).build();
      case APPLY_LABEL_TRANSFORMER -> filter.setApplyLabelTransformer("label-1").build();
      case ROW_KEY_REGEX_FILTER ->
          filter.setRowKeyRegexFilter(any("row1", "row[0-4]", "row.", "row\\C*", ".*5")).build();
      case FAMILY_NAME_REGEX_FILTER ->
          filter.setFamilyNameRegexFilter(word("a", "b", "c", "[ab]", "b|c", ".*", "z")).build();
      case COLUMN_QUALIFIER_REGEX_FILTER ->
          filter
              .setColumnQualifierRegexFilter(any("x", "x.*", "", "y|x", "\\C*", "x.", "z"))
              .build();
      case VALUE_REGEX_FILTER ->
          filter.setValueRegexFilter(any("p", "p.*", "[pq]+", ".*q.*", "", "pp|q")).build();
      case COLUMN_RANGE_FILTER -> filter.setColumnRangeFilter(columns()).build();
      case VALUE_RANGE_FILTER -> filter.setValueRangeFilter(values()).build();
      case TIMESTAMP_RANGE_FILTER -> {
        int from = random.nextInt(5);
        int to = from + 1 + random.nextInt(4);
        yield filter
            .setTimestampRangeFilter(
                TimestampRange.newBuilder()
                    .setStartTimestampMicros(from * 1000L)
                    .setEndTimestampMicros(random.nextInt(3) == 0 ? 0 : to * 1000L))
            .build();
      }
      case VALUE_BITMASK_FILTER ->
          filter
              .setValueBitmaskFilter(ValueBitmask.newBuilder().setMask(any("p", "0", "q1", "")))
              .build();
      case CELLS_PER_ROW_OFFSET_FILTER ->
          filter.setCellsPerRowOffsetFilter(random.nextInt(6)).build();
      case CELLS_PER_ROW_LIMIT_FILTER ->
          filter.setCellsPerRowLimitFilter(1 + random.nextInt(6)).build();
      case CELLS_PER_COLUMN_LIMIT_FILTER ->
          filter.setCellsPerColumnLimitFilter(1 + random.nextInt(3)).build();
      case CHAIN, INTERLEAVE, CONDITION, ROW_SAMPLE_FILTER, FILTER_NOT_SET ->
          throw new IllegalArgumentException(kind + " is not a leaf by chance");
    };
  }

  private ColumnRange columns() {
    ColumnRange.Builder range = ColumnRange.newBuilder().setFamilyName(word("a", "b", "c", "z"));
    switch (random.nextInt(3)) {
      case 0 -> range.setStartQualifierClosed(any("", "x", "xy"));
      case 1 -> range.setStartQualifierOpen(any("", "x"));
      default -> {}
    }
    switch (random.nextInt(3)) {
      case 0 -> range.setEndQualifierClosed(any("xy", "y"));
      case 1 -> range.setEndQualifierOpen(any("xy", "y", "z"));
      default -> {}
    }
    return range.build();
  }

  private ValueRange values() {
    ValueRange.Builder range = ValueRange.newBuilder();
    switch (random.nextInt(3)) {
      case 0 -> range.setStartValueClosed(any("", "p", "pp"));
      case 1 -> range.setStartValueOpen(any("", "p"));
      default -> {}
    }
    switch (random.nextInt(3)) {
      case 0 -> range.setEndValueClosed(any("pq", "q"));
      case 1 -> range.setEndValueOpen(any("pq", "q"));
      default -> {}
    }
    return range.build();
  }

  private String word(String... words) {
    return words[random.nextInt(words.length)];
  }

  private ByteString any(String... words) {
    return ByteString.copyFromUtf8(word(words));
  }

  /** A row's value by chance. */
  public ByteString value() {
    return any("", "p", "pp", "pq", "q", "qp", "qq");
  }
}
