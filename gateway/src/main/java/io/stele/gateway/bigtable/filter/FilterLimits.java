package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.RowFilter;
import io.stele.base.error.InvalidRequestException;
import java.util.List;
import java.util.regex.Pattern;

/** What a filter may be as a whole; what each kind may say is checked where it is understood. */
final class FilterLimits {
  static final int MAX_BYTES = 20_480;
  static final int MAX_DEPTH = 20;

  private static final int MAX_LABEL = 15;
  private static final Pattern LABEL = Pattern.compile("[a-z0-9\\-]+");

  private FilterLimits() {}

  static void check(RowFilter filter) {
    int bytes = filter.getSerializedSize();
    if (bytes > MAX_BYTES) {
      throw new InvalidRequestException(
          "a filter of " + bytes + " bytes: must be at most " + MAX_BYTES);
    }
    checkDepth(filter, 1);
    countLabels(filter);
    checkSinks(filter, false);
  }

  private static void checkDepth(RowFilter filter, int depth) {
    if (depth > MAX_DEPTH) {
      throw new InvalidRequestException(
          "a filter nested deeper than " + MAX_DEPTH + ": must be at most so deep");
    }
    parts(filter).forEach(part -> checkDepth(part, depth + 1));
  }

  /** The filters that a filter consists of. */
  static List<RowFilter> parts(RowFilter filter) {
    return switch (filter.getFilterCase()) {
      case CHAIN -> filter.getChain().getFiltersList();
      case INTERLEAVE -> filter.getInterleave().getFiltersList();
      case CONDITION ->
          List.of(
              filter.getCondition().getPredicateFilter(),
              filter.getCondition().getTrueFilter(),
              filter.getCondition().getFalseFilter());
      default -> List.of();
    };
  }

  /** True if a filter labels cells; a chain must not do so twice. */
  private static boolean countLabels(RowFilter filter) {
    if (filter.hasApplyLabelTransformer()) {
      checkLabel(filter.getApplyLabelTransformer());
      return true;
    }
    long labelling = parts(filter).stream().filter(FilterLimits::countLabels).count();
    if (filter.hasChain() && labelling > 1) {
      throw new InvalidRequestException(
          "a chain with "
              + labelling
              + " parts that apply a label: a cell has one, so at most one part may");
    }
    return labelling > 0;
  }

  private static void checkLabel(String label) {
    if (label.length() > MAX_LABEL || !LABEL.matcher(label).matches()) {
      throw new InvalidRequestException(
          "apply_label_transformer \""
              + label
              + "\": must be 1 to "
              + MAX_LABEL
              + " characters of a-z, 0-9 and -");
    }
  }

  private static void checkSinks(RowFilter filter, boolean conditional) {
    if (filter.hasSink() && conditional) {
      throw new InvalidRequestException("sink within a condition: may stand only outside of one");
    }
    parts(filter).forEach(part -> checkSinks(part, conditional || filter.hasCondition()));
  }

  /** True if a filter may hold cells back that others would let through at once. */
  static boolean isDelayed(RowFilter filter) {
    return filter.hasCondition() || parts(filter).stream().anyMatch(FilterLimits::isDelayed);
  }
}
