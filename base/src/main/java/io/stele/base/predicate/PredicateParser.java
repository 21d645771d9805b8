package io.stele.base.predicate;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.PredicateTokens.Token;
import io.stele.base.text.NearestName;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the grammar of {@link PredicateText} from left to right, one word ahead. */
final class PredicateParser {
  private static final List<String> OPERATORS = List.of("<", "<=", ">", ">=", "=", "~=");
  private static final String OPERATOR_FORM = "one of < <= > >= = ~=";

  private enum Field {
    ROW,
    COLUMN,
    TIME,
    HISTORY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One comparison, as if the field stood on its left. */
  private record Bound(String operator, int operatorAt, Token literal) {
    boolean isLower() {
      return operator.startsWith(">");
    }

    boolean isUpper() {
      return operator.startsWith("<");
    }

    boolean isStrict() {
      return !operator.endsWith("=");
    }
  }

  /** One or two comparisons of a field, and where they begin. */
  private record Interval(int at, Field field, Bound bound, @Nullable Bound second) {}

  private final PredicateTokens tokens;
  private final Set<Field> seen = EnumSet.noneOf(Field.class);
  private final List<RowRange> rows = new ArrayList<>();
  private final List<ColumnRange> columns = new ArrayList<>();
  private final List<TimeRange> times = new ArrayList<>();
  private int history = ReadPredicate.ALL_VERSIONS;

  PredicateParser(String text) {
    this.tokens = new PredicateTokens(text);
  }

  ReadPredicate predicate() {
    if (!(tokens.peek() instanceof Token.End)) {
      part();
      while (tokens.peek() instanceof Token.Word word && isWord(word, "and")) {
        tokens.take();
        part();
      }
      if (!(tokens.peek() instanceof Token.End)) {
        throw expected("'and', 'or' or the end");
      }
    }
    return new ReadPredicate(
        rows.isEmpty() ? List.of(RowRange.ALL) : rows,
        columns,
        times.isEmpty() ? List.of(TimeRange.ALL) : times,
        history);
  }

  private void part() {
    Token first = tokens.peek();
    Field field = interval(null);
    if (!seen.add(field)) {
      throw tokens.wrong(
          first.at(),
          field == Field.HISTORY
              ? "history stands twice: it has one number"
              : "%s stands in two parts: join its intervals by 'or', and give both ends of one as in %s"
                  .formatted(field, twoSided(field)));
    }
    while (tokens.peek() instanceof Token.Word word && isWord(word, "or")) {
      tokens.take();
      if (field == Field.HISTORY) {
        throw tokens.wrong(word.at(), "'or' behind history: it has one number");
      }
      interval(field);
    }
  }

  private static String twoSided(Field field) {
    return field == Field.TIME ? "@1 <= time < @2" : "'a' <= " + field + " < 'b'";
  }

  /** Reads one interval, which must be of the same field as those that it is joined to. */
  private Field interval(@Nullable Field joined) {
    int start = tokens.peek().at();
    Bound bound = null;
    if (isLiteral(tokens.peek())) {
      Token literal = tokens.take();
      Token.Operator operator = operator();
      bound = new Bound(mirrored(operator), operator.at(), literal);
    }
    int fieldAt = tokens.peek().at();
    Field field = field(bound == null);
    if (joined != null && joined != field) {
      throw tokens.wrong(
          fieldAt,
          "%s behind 'or': it joins intervals of one field, here %s; use 'and' between fields"
              .formatted(field, joined));
    }
    if (field == Field.HISTORY) {
      if (bound != null) {
        throw tokens.wrong(start, "history must be written history=NUMBER");
      }
      history();
      return field;
    }
    Bound second = null;
    if (bound == null) {
      bound = bound(field);
    } else if (tokens.peek() instanceof Token.Operator) {
      second = bound(field);
    }
    add(new Interval(start, field, bound, second));
    return field;
  }

  private Bound bound(Field field) {
    Token.Operator operator = operator();
    if (!isLiteral(tokens.peek())) {
      throw expected(field == Field.TIME ? TimeText.FORM : "a text in quotes");
    }
    return new Bound(operator.text(), operator.at(), tokens.take());
  }

  private Field field(boolean first) {
    String form = first ? "row, column, time, history or a literal" : "row, column or time";
    if (!(tokens.peek() instanceof Token.Word word)) {
      throw expected(form);
    }
    List<String> names = new ArrayList<>();
    for (Field field : Field.values()) {
      if (isWord(word, field.toString())) {
        tokens.take();
        return field;
      }
      names.add(field.toString());
    }
    Optional<String> near = NearestName.of(word.text(), names);
    throw tokens.wrong(
        word.at(),
        "expected %s, found '%s'%s"
            .formatted(form, word.text(), near.map("; did you mean '%s'?"::formatted).orElse("")));
  }

  private Token.Operator operator() {
    if (!(tokens.peek() instanceof Token.Operator operator)
        || !OPERATORS.contains(operator.text())) {
      throw expected(OPERATOR_FORM);
    }
    tokens.take();
    return operator;
  }

  private void history() {
    if (!(tokens.peek() instanceof Token.Operator operator) || !operator.text().equals("=")) {
      throw expected("'=' and a number behind history");
    }
    tokens.take();
    if (!(tokens.peek() instanceof Token.Word word)) {
      throw expected("a whole number");
    }
    try {
      history = Integer.parseInt(word.text());
    } catch (NumberFormatException e) {
      throw expected("a whole number of at most 9 digits");
    }
    if (history == 0) {
      throw tokens.wrong(
          word.at(),
          "history of 0 versions: must be 1 or more, or negative for all but the newest");
    }
    tokens.take();
  }

  // ---- what an interval means

  private void add(Interval interval) {
    check(interval);
    switch (interval.field()) {
      case ROW -> rows.add(rowRange(interval));
      case COLUMN -> columns.add(columnRange(interval));
      case TIME -> times.add(timeRange(interval));
      case HISTORY -> throw new IllegalStateException("history has no intervals");
    }
  }

  private void check(Interval interval) {
    Bound second = interval.second();
    if (second == null) {
      return;
    }
    boolean opposite =
        (interval.bound().isLower() && second.isUpper())
            || (interval.bound().isUpper() && second.isLower());
    if (!opposite) {
      throw tokens.wrong(
          second.operatorAt(),
          "two ends must be as in " + twoSided(interval.field()) + ", in either direction");
    }
  }

  private static @Nullable Bound lower(Interval interval) {
    Bound second = interval.second();
    return interval.bound().isLower() ? interval.bound() : isLower(second) ? second : null;
  }

  private static @Nullable Bound upper(Interval interval) {
    Bound second = interval.second();
    return interval.bound().isUpper()
        ? interval.bound()
        : second != null && second.isUpper() ? second : null;
  }

  private static boolean isLower(@Nullable Bound bound) {
    return bound != null && bound.isLower();
  }

  private RowRange rowRange(Interval interval) {
    Bound bound = interval.bound();
    return switch (bound.operator()) {
      case "=" -> RowRange.row(text(interval, bound).bytes());
      case "~=" -> RowRange.prefix(text(interval, bound).bytes());
      default -> rowsBetween(interval, lower(interval), upper(interval));
    };
  }

  private RowRange rowsBetween(Interval interval, @Nullable Bound lower, @Nullable Bound upper) {
    Bytes from = lower == null ? Bytes.EMPTY : text(interval, lower).bytes();
    Bytes to = upper == null ? null : text(interval, upper).bytes();
    from = lower != null && lower.isStrict() ? from.successor() : from;
    to = to != null && upper != null && !upper.isStrict() ? to.successor() : to;
    if (to != null && from.compareTo(to) >= 0) {
      throw empty(interval);
    }
    return new RowRange(from, to);
  }

  private ColumnRange columnRange(Interval interval) {
    Bound bound = interval.bound();
    return switch (bound.operator()) {
      case "=" -> {
        Column column = column(interval, bound);
        requireFamily(column, bound);
        yield ColumnRange.column(column.family(), column.qualifier());
      }
      case "~=" -> columnPrefix(interval, bound);
      default -> columnsBetween(interval, lower(interval), upper(interval));
    };
  }

  private ColumnRange columnsBetween(
      Interval interval, @Nullable Bound lower, @Nullable Bound upper) {
    Column from = lower == null ? Column.FIRST : column(interval, lower);
    Column to = upper == null ? null : column(interval, upper);
    from = lower != null && lower.isStrict() ? successor(from) : from;
    to = to != null && upper != null && !upper.isStrict() ? successor(to) : to;
    if (to != null && from.compareTo(to) >= 0) {
      throw empty(interval);
    }
    return new ColumnRange(from, to);
  }

  private ColumnRange columnPrefix(Interval interval, Bound bound) {
    Token.Text text = text(interval, bound);
    if (text.colon() < 0) { // of families
      Bytes end = text.bytes().prefixEnd();
      return new ColumnRange(
          new Column(text.bytes(), Bytes.EMPTY), end == null ? null : new Column(end, Bytes.EMPTY));
    }
    Column column = column(interval, bound);
    requireFamily(column, bound);
    return ColumnRange.prefix(column.family(), column.qualifier());
  }

  private static Column successor(Column column) {
    return new Column(column.family(), column.qualifier().successor());
  }

  private Column column(Interval interval, Bound bound) {
    Token.Text text = text(interval, bound);
    if (text.colon() < 0) {
      throw tokens.wrong(
          text.at(),
          "a column must be 'family:qualifier', with a colon; all of a family are column ~="
              + " 'family:'");
    }
    byte[] bytes = text.bytes().toArray();
    int behind = text.colon() + 1;
    return new Column(
        Bytes.copyOf(bytes, 0, text.colon()), Bytes.copyOf(bytes, behind, bytes.length - behind));
  }

  private void requireFamily(Column column, Bound bound) {
    if (column.family().isEmpty()) {
      throw tokens.wrong(bound.literal().at(), "a column must have a family before its colon");
    }
  }

  private TimeRange timeRange(Interval interval) {
    Bound bound = interval.bound();
    if (bound.operator().equals("~=")) {
      throw tokens.wrong(
          bound.operatorAt(), "a time begins with nothing: ~= is for row and column");
    }
    if (bound.operator().equals("=")) {
      long time = time(bound);
      if (time == Long.MAX_VALUE) {
        throw empty(interval);
      }
      return new TimeRange(time, time + 1);
    }
    Bound lower = lower(interval);
    Bound upper = upper(interval);
    long from = lower == null ? Long.MIN_VALUE : time(lower);
    long to = upper == null ? Long.MAX_VALUE : time(upper);
    from += lower != null && lower.isStrict() && from != Long.MAX_VALUE ? 1 : 0;
    to += upper != null && !upper.isStrict() && to != Long.MAX_VALUE ? 1 : 0;
    if (from >= to) {
      throw empty(interval);
    }
    return new TimeRange(from, to);
  }

  private long time(Bound bound) {
    if (bound.literal() instanceof Token.Time time) {
      return time.micros();
    }
    throw tokens.wrong(
        bound.literal().at(),
        "expected " + TimeText.FORM + ", found " + tokens.shown(bound.literal()));
  }

  private Token.Text text(Interval interval, Bound bound) {
    if (bound.literal() instanceof Token.Text text) {
      return text;
    }
    throw tokens.wrong(
        bound.literal().at(),
        "expected a text in quotes, as a %s is, found %s"
            .formatted(interval.field(), tokens.shown(bound.literal())));
  }

  // ---- words

  private static boolean isLiteral(Token token) {
    return token instanceof Token.Text || token instanceof Token.Time;
  }

  private static boolean isWord(Token.Word word, String text) {
    return word.text().equalsIgnoreCase(text);
  }

  private static String mirrored(Token.Operator operator) {
    return switch (operator.text()) {
      case "<" -> ">";
      case "<=" -> ">=";
      case ">" -> "<";
      case ">=" -> "<=";
      default -> operator.text();
    };
  }

  private InvalidRequestException empty(Interval interval) {
    return tokens.wrong(
        interval.at(),
        "this interval is empty: no %s is in it; its lower end must be below its upper end"
            .formatted(interval.field()));
  }

  private InvalidRequestException expected(String what) {
    Token found = tokens.peek();
    return tokens.wrong(found.at(), "expected " + what + ", found " + tokens.shown(found));
  }
}
