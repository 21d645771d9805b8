package io.stele.base.predicate;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes the grammar of {@link PredicateText}, in the shortest of the ways to say a thing. */
final class PredicatePrinter {
  private PredicatePrinter() {}

  static String print(ReadPredicate predicate) {
    List<String> parts = new ArrayList<>();
    if (!predicate.rows().equals(List.of(RowRange.ALL))) {
      parts.add(joined(predicate.rows(), PredicatePrinter::row));
    }
    if (!predicate.columns().isEmpty()) {
      parts.add(joined(predicate.columns(), PredicatePrinter::column));
    }
    if (!predicate.times().equals(List.of(TimeRange.ALL))) {
      parts.add(joined(predicate.times(), PredicatePrinter::time));
    }
    if (predicate.history() != ReadPredicate.ALL_VERSIONS) {
      parts.add("history = " + predicate.history());
    }
    return String.join(" and ", parts);
  }

  private static <R> String joined(List<R> ranges, Function<R, String> form) {
    return ranges.stream().map(form).collect(Collectors.joining(" or "));
  }

  private static String row(RowRange range) {
    Bytes from = range.from();
    Bytes to = range.to();
    if (from.successor().equals(to)) {
      return "row = " + quoted(from);
    }
    if (!from.isEmpty() && RowRange.prefix(from).equals(range)) {
      return "row ~= " + quoted(from);
    }
    Optional<String> lower = from.isEmpty() ? Optional.empty() : Optional.of(lower(from));
    return interval("row", lower, to == null ? Optional.empty() : Optional.of(upper(to)));
  }

  /** Both ends without the field: {@code 'a' <} and {@code <= 'b'}. */
  private static String lower(Bytes from) {
    return withoutZero(from).map(key -> quoted(key) + " <").orElseGet(() -> quoted(from) + " <=");
  }

  private static String upper(Bytes to) {
    return withoutZero(to).map(key -> "<= " + quoted(key)).orElseGet(() -> "< " + quoted(to));
  }

  private static String interval(String field, Optional<String> lower, Optional<String> upper) {
    return lower.map(end -> end + " ").orElse("")
        + field
        + upper.map(end -> " " + end).orElse("")
        + (lower.isEmpty() && upper.isEmpty() ? " ~= ''" : "");
  }

  /** What the bytes are the successor of. */
  private static Optional<Bytes> withoutZero(Bytes bytes) {
    int last = bytes.length() - 1;
    return last >= 0 && bytes.at(last) == 0
        ? Optional.of(Bytes.copyOf(bytes.sharedArray(), 0, last))
        : Optional.empty();
  }

  private static String column(ColumnRange range) {
    Column from = range.from();
    Column to = range.to();
    Bytes family = from.family();
    if (to != null && to.equals(new Column(family, from.qualifier().successor()))) {
      if (!family.isEmpty()) {
        return "column = " + quoted(from);
      }
    } else if (!family.isEmpty() && ColumnRange.prefix(family, from.qualifier()).equals(range)) {
      return "column ~= " + quoted(from);
    }
    if (from.qualifier().isEmpty() && isFamilyPrefix(family, to)) {
      return "column ~= " + quoted(escaped(family, true));
    }
    Optional<String> lower =
        from.equals(Column.FIRST) ? Optional.empty() : Optional.of(lower(from));
    return interval("column", lower, to == null ? Optional.empty() : Optional.of(upper(to)));
  }

  private static boolean isFamilyPrefix(Bytes family, @Nullable Column to) {
    Bytes end = family.prefixEnd();
    return end == null ? to == null : new Column(end, Bytes.EMPTY).equals(to);
  }

  private static String lower(Column from) {
    return withoutZero(from.qualifier())
        .map(qualifier -> quoted(new Column(from.family(), qualifier)) + " <")
        .orElseGet(() -> quoted(from) + " <=");
  }

  private static String upper(Column to) {
    return withoutZero(to.qualifier())
        .map(qualifier -> "<= " + quoted(new Column(to.family(), qualifier)))
        .orElseGet(() -> "< " + quoted(to));
  }

  private static String time(TimeRange range) {
    if (range.from() + 1 == range.to()) {
      return "time = " + TimeText.print(range.from());
    }
    boolean fromStart = range.from() == Long.MIN_VALUE;
    boolean toEnd = range.to() == Long.MAX_VALUE;
    if (fromStart || toEnd) {
      return fromStart
          ? "time < " + TimeText.print(range.to())
          : "time >= " + TimeText.print(range.from());
    }
    return TimeText.print(range.from()) + " <= time < " + TimeText.print(range.to());
  }

  private static String quoted(Bytes bytes) {
    return quoted(escaped(bytes, false));
  }

  /** The family's own colons are escaped: the first that is not parts it from the qualifier. */
  private static String quoted(Column column) {
    return quoted(escaped(column.family(), true) + ":" + escaped(column.qualifier(), false));
  }

  private static String quoted(String escaped) {
    return "'" + escaped + "'";
  }

  private static String escaped(Bytes bytes, boolean colons) {
    StringBuilder text = new StringBuilder();
    try {
      String decoded =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toArray())).toString();
      decoded.chars().forEach(c -> appendCharacter(text, (char) c, colons));
    } catch (CharacterCodingException e) {
      for (int i = 0; i < bytes.length(); i++) {
        int b = bytes.at(i) & 0xff;
        if (b < 0x80) {
          appendCharacter(text, (char) b, colons);
        } else {
          appendByte(text, b);
        }
      }
    }
    return text.toString();
  }

  private static void appendCharacter(StringBuilder text, char c, boolean colons) {
    if (c == '\'' || c == '\\') {
      text.append('\\').append(c);
    } else if (c < ' ' || c == 0x7f || (c == ':' && colons)) {
      appendByte(text, c);
    } else {
      text.append(c);
    }
  }

  private static void appendByte(StringBuilder text, int b) {
    text.append("\\x")
        .append(Character.forDigit(b >> 4, 16))
        .append(Character.forDigit(b & 0xf, 16));
  }
}
