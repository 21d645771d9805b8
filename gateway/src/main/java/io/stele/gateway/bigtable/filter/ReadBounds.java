package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.TimestampRange;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a read can leave out because a filter would: so that blocks, files and whole groups of
 * families that it cannot want are never read. The filter still gets all that is read, and its
 * answer must be the same as over everything; what that allows is said at each kind below.
 *
 * <p>Only the way that every cell must take is looked at: the filter itself or, if it is a chain,
 * its parts one after the other, as long as those before them do not count cells or choose by them.
 */
public final class ReadBounds {
  private @Nullable List<ColumnRange> columns; // null for all
  private @Nullable Bytes qualifier; // in any family; null for all
  private TimeRange times = TimeRange.ALL;
  private int history = ReadPredicate.ALL_VERSIONS;
  private Bytes rowPrefix = Bytes.EMPTY;
  private boolean nothing;

  /** What has been bounded so far is all that the parts passed so far do to a row's cells. */
  private boolean exact = true;

  /** Versions have been counted, so what bounds times would change what is counted. */
  private boolean counted;

  private ReadBounds() {}

  /** The bounds that a valid filter gives. */
  public static ReadBounds of(RowFilter filter) {
    ReadBounds bounds = new ReadBounds();
    bounds.follow(filter.hasChain() ? filter.getChain().getFiltersList() : List.of(filter));
    return bounds;
  }

  /** The predicate for rows; none if the filter lets nothing of them through. */
  public Optional<ReadPredicate> over(List<RowRange> rows) {
    List<ColumnRange> wanted = new ArrayList<>();
    if (columns != null) {
      for (ColumnRange range : columns) {
        ofQualifier(range).ifPresent(wanted::add);
      }
    }
    List<RowRange> inPrefix = new ArrayList<>();
    RowRange prefixed = RowRange.prefix(rowPrefix);
    rows.forEach(range -> range.intersect(prefixed).ifPresent(inPrefix::add));
    return nothing || inPrefix.isEmpty() || (columns != null && wanted.isEmpty())
        ? Optional.empty()
        : Optional.of(new ReadPredicate(inPrefix, wanted, List.of(times), history));
  }

  private Optional<ColumnRange> ofQualifier(ColumnRange range) {
    return qualifier == null
        ? Optional.of(range)
        : intersect(range, ColumnRange.column(range.from().family(), qualifier));
  }

  private void follow(List<RowFilter> parts) {
    for (RowFilter part : parts) {
      if (!pass(part)) {
        return;
      }
    }
  }

  /** Takes one part into account; false if nothing behind it can be. */
  private boolean pass(RowFilter part) {
    return switch (part.getFilterCase()) {
      case CHAIN -> {
        // A part of its own; whether it ended at something that counts is all that matters.
        for (RowFilter inner : part.getChain().getFiltersList()) {
          if (!pass(inner)) {
            yield false;
          }
        }
        yield true;
      }
      case PASS_ALL_FILTER,
          FILTER_NOT_SET,
          STRIP_VALUE_TRANSFORMER,
          APPLY_LABEL_TRANSFORMER,
          ROW_SAMPLE_FILTER ->
          true; // all cells of a row pass, or none
      case ROW_KEY_REGEX_FILTER -> {
        narrowRows(RowEvaluator.regex(part.getRowKeyRegexFilter(), "row_key_regex_filter"));
        yield true;
      }
      case BLOCK_ALL_FILTER -> {
        nothing = true;
        yield false;
      }
      case FAMILY_NAME_REGEX_FILTER -> {
        Optional<Bytes> family =
            RowEvaluator.familyRegex(part.getFamilyNameRegexFilter()).literal();
        exact &= family.isPresent();
        family.ifPresent(name -> narrow(name.isEmpty() ? null : ColumnRange.family(name)));
        yield true;
      }
      case COLUMN_QUALIFIER_REGEX_FILTER -> {
        narrowQualifier(
            RowEvaluator.regex(
                part.getColumnQualifierRegexFilter(), "column_qualifier_regex_filter"));
        yield true;
      }
      case COLUMN_RANGE_FILTER -> {
        narrow(range(part.getColumnRangeFilter()));
        yield true;
      }
      case TIMESTAMP_RANGE_FILTER -> {
        narrow(RowEvaluator.millis(part.getTimestampRangeFilter()));
        yield true;
      }
      case VALUE_REGEX_FILTER, VALUE_RANGE_FILTER, VALUE_BITMASK_FILTER -> {
        exact = false; // they drop cells that a read cannot tell
        yield true;
      }
      case CELLS_PER_COLUMN_LIMIT_FILTER -> {
        limit(part.getCellsPerColumnLimitFilter());
        counted = true; // but columns may still be left out: each is counted for itself
        exact = false;
        yield true;
      }
      case CELLS_PER_ROW_LIMIT_FILTER -> {
        limit(part.getCellsPerRowLimitFilter()); // that many of a row are no more of a column
        yield false;
      }
      case INTERLEAVE, CONDITION, SINK, CELLS_PER_ROW_OFFSET_FILTER -> false;
    };
  }

  private void limit(int most) {
    if (exact && !counted && most > 0) {
      history = Math.min(history, most);
    }
  }

  private void narrowRows(ByteRegex regex) {
    Bytes prefix = regex.prefix();
    if (prefix.startsWith(rowPrefix)) {
      rowPrefix = prefix;
    } else if (!rowPrefix.startsWith(prefix)) {
      nothing = true;
    }
  }

  /** Only where its families are known by then can a read look for a qualifier. */
  private void narrowQualifier(ByteRegex regex) {
    Optional<Bytes> literal = regex.literal();
    if (literal.isEmpty() || (qualifier != null && !qualifier.equals(literal.get()))) {
      exact = false;
      return;
    }
    qualifier = literal.get();
    exact &= columns != null;
  }

  private void narrow(@Nullable ColumnRange range) {
    if (range == null) {
      nothing = true;
      return;
    }
    List<ColumnRange> narrowed = new ArrayList<>();
    if (columns == null) {
      narrowed.add(range);
    } else {
      columns.forEach(known -> intersect(known, range).ifPresent(narrowed::add));
    }
    columns = narrowed;
    nothing |= narrowed.isEmpty();
  }

  private void narrow(TimestampRange range) {
    long from = Math.max(times.from(), range.getStartTimestampMicros());
    long to = Math.min(times.to(), RowEvaluator.end(range));
    if (from >= to) {
      nothing = true;
    } else if (counted) {
      exact = false;
    } else {
      times = new TimeRange(from, to);
    }
  }

  private static @Nullable ColumnRange range(com.google.bigtable.v2.ColumnRange range) {
    Bytes family = Bytes.wrap(ByteRanges.family(range.getFamilyName()));
    ByteRanges.Range qualifiers = ByteRanges.of(range);
    return qualifiers.isEmpty() ? null : ColumnRange.of(family, qualifiers.from(), qualifiers.to());
  }

  private static Optional<ColumnRange> intersect(ColumnRange a, ColumnRange b) {
    Column from = a.from().compareTo(b.from()) >= 0 ? a.from() : b.from();
    Column to =
        a.to() == null || (b.to() != null && b.to().compareTo(a.to()) < 0) ? b.to() : a.to();
    return to != null && from.compareTo(to) >= 0
        ? Optional.empty()
        : Optional.of(new ColumnRange(from, to));
  }
}
