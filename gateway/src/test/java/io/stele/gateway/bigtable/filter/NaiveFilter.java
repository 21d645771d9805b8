package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.ColumnRange;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.ValueRange;
import com.google.protobuf.ByteString;
import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What a filter makes of a row, as simple as can be: lists in, lists out. It knows expressions as
 * the JDK does, so those must mean the same there, and no samples of rows.
 */
public final class NaiveFilter {
  private static final Comparator<ByteString> BYTES =
      ByteString.unsignedLexicographicalComparator();

  /** The order of cells in a row; copies of one cell stay as they were. */
  private static final Comparator<ReadCell> ORDER =
      Comparator.comparing((ReadCell cell) -> ByteString.copyFromUtf8(cell.family()), BYTES)
          .thenComparing(ReadCell::qualifier, BYTES)
          .thenComparing(Comparator.comparingLong(ReadCell::timestamp).reversed());

  private final List<ReadCell> sunk = new ArrayList<>();

  private NaiveFilter() {}

  /** The cells of one row that a filter lets through. */
  public static List<ReadCell> apply(RowFilter filter, List<ReadCell> row) {
    NaiveFilter naive = new NaiveFilter();
    List<ReadCell> out = new ArrayList<>(naive.run(filter, row));
    out.addAll(naive.sunk);
    out.sort(ORDER);
    return out;
  }

  private List<ReadCell> run(RowFilter filter, List<ReadCell> in) {
    return switch (filter.getFilterCase()) {
      case CHAIN -> {
        List<ReadCell> cells = in;
        for (RowFilter part : filter.getChain().getFiltersList()) {
          cells = run(part, cells);
        }
        yield cells;
      }
      case INTERLEAVE -> {
        List<ReadCell> pooled = new ArrayList<>();
        filter.getInterleave().getFiltersList().forEach(part -> pooled.addAll(run(part, in)));
        pooled.sort(ORDER);
        yield pooled;
      }
      case CONDITION -> {
        RowFilter.Condition condition = filter.getCondition();
        boolean met = !run(condition.getPredicateFilter(), in).isEmpty();
        yield met
            ? condition.hasTrueFilter() ? run(condition.getTrueFilter(), in) : List.of()
            : condition.hasFalseFilter() ? run(condition.getFalseFilter(), in) : List.of();
      }
      case SINK -> {
        sunk.addAll(in);
        yield List.of();
      }
      case PASS_ALL_FILTER, FILTER_NOT_SET -> in;
      case BLOCK_ALL_FILTER -> List.of();
      case ROW_KEY_REGEX_FILTER ->
          kept(in, cell -> matches(filter.getRowKeyRegexFilter(), cell.row()));
      case FAMILY_NAME_REGEX_FILTER ->
          kept(
              in,
              cell ->
                  matches(
                      ByteString.copyFromUtf8(filter.getFamilyNameRegexFilter()),
                      ByteString.copyFromUtf8(cell.family())));
      case COLUMN_QUALIFIER_REGEX_FILTER ->
          kept(in, cell -> matches(filter.getColumnQualifierRegexFilter(), cell.qualifier()));
      case VALUE_REGEX_FILTER ->
          kept(in, cell -> matches(filter.getValueRegexFilter(), cell.value()));
      case COLUMN_RANGE_FILTER -> kept(in, cell -> inRange(filter.getColumnRangeFilter(), cell));
      case VALUE_RANGE_FILTER ->
          kept(in, cell -> inRange(filter.getValueRangeFilter(), cell.value()));
      case TIMESTAMP_RANGE_FILTER -> {
        long from = filter.getTimestampRangeFilter().getStartTimestampMicros();
        long to = filter.getTimestampRangeFilter().getEndTimestampMicros();
        yield kept(in, cell -> cell.timestamp() >= from && (to == 0 || cell.timestamp() < to));
      }
      case VALUE_BITMASK_FILTER ->
          kept(in, cell -> hasBits(filter.getValueBitmaskFilter().getMask(), cell.value()));
      case CELLS_PER_ROW_OFFSET_FILTER ->
          in.subList(Math.min(in.size(), filter.getCellsPerRowOffsetFilter()), in.size());
      case CELLS_PER_ROW_LIMIT_FILTER ->
          in.subList(0, Math.min(in.size(), filter.getCellsPerRowLimitFilter()));
      case CELLS_PER_COLUMN_LIMIT_FILTER -> {
        Map<List<Object>, Integer> seen = new HashMap<>();
        yield kept(
            in,
            cell ->
                seen.merge(List.of(cell.family(), cell.qualifier()), 1, Integer::sum)
                    <= filter.getCellsPerColumnLimitFilter());
      }
      case STRIP_VALUE_TRANSFORMER ->
          in.stream().map(cell -> with(cell, ByteString.EMPTY, cell.labels())).toList();
      case APPLY_LABEL_TRANSFORMER ->
          in.stream()
              .map(cell -> with(cell, cell.value(), List.of(filter.getApplyLabelTransformer())))
              .toList();
      case ROW_SAMPLE_FILTER -> throw new IllegalArgumentException("by chance");
    };
  }

  private static List<ReadCell> kept(List<ReadCell> in, Predicate<ReadCell> wanted) {
    return in.stream().filter(wanted).toList();
  }

  private static ReadCell with(ReadCell cell, ByteString value, List<String> labels) {
    return new ReadCell(
        cell.row(), cell.family(), cell.qualifier(), cell.timestamp(), value, labels);
  }

  private static boolean matches(ByteString expression, ByteString bytes) {
    String latin1 = expression.toString(StandardCharsets.ISO_8859_1).replace("\\C", "(?s:.)");
    return Pattern.compile(latin1, Pattern.UNIX_LINES)
        .matcher(bytes.toString(StandardCharsets.ISO_8859_1))
        .matches();
  }

  private static boolean hasBits(ByteString mask, ByteString value) {
    if (mask.size() != value.size()) {
      return false;
    }
    for (int i = 0; i < mask.size(); i++) {
      if ((mask.byteAt(i) & value.byteAt(i)) != mask.byteAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean inRange(ColumnRange range, ReadCell cell) {
    boolean from =
        switch (range.getStartQualifierCase()) {
          case START_QUALIFIER_CLOSED ->
              BYTES.compare(range.getStartQualifierClosed(), cell.qualifier()) <= 0;
          case START_QUALIFIER_OPEN ->
              BYTES.compare(range.getStartQualifierOpen(), cell.qualifier()) < 0;
          case STARTQUALIFIER_NOT_SET -> true;
        };
    boolean to =
        switch (range.getEndQualifierCase()) {
          case END_QUALIFIER_CLOSED ->
              BYTES.compare(cell.qualifier(), range.getEndQualifierClosed()) <= 0;
          case END_QUALIFIER_OPEN ->
              BYTES.compare(cell.qualifier(), range.getEndQualifierOpen()) < 0;
          case ENDQUALIFIER_NOT_SET -> true;
        };
    return range.getFamilyName().equals(cell.family()) && from && to;
  }

  private static boolean inRange(ValueRange range, ByteString value) {
    boolean from =
        switch (range.getStartValueCase()) {
          case START_VALUE_CLOSED -> BYTES.compare(range.getStartValueClosed(), value) <= 0;
          case START_VALUE_OPEN -> BYTES.compare(range.getStartValueOpen(), value) < 0;
          case STARTVALUE_NOT_SET -> true;
        };
    boolean to =
        switch (range.getEndValueCase()) {
          case END_VALUE_CLOSED -> BYTES.compare(value, range.getEndValueClosed()) <= 0;
          case END_VALUE_OPEN -> BYTES.compare(value, range.getEndValueOpen()) < 0;
          case ENDVALUE_NOT_SET -> true;
        };
    return from && to;
  }
}
