package io.stele.base.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredicateTextTest {
  private static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  private static ReadPredicate rows(RowRange... ranges) {
    return ReadPredicate.rows(ranges);
  }

  @Test
  void nothingWantsEverything() {
    assertThat(PredicateText.parse("")).isEqualTo(ReadPredicate.ALL);
    assertThat(PredicateText.parse(" \n ")).isEqualTo(ReadPredicate.ALL);
    assertThat(PredicateText.print(ReadPredicate.ALL)).isEmpty();
  }

  @Test
  void everyOperatorOnRows() {
    Bytes a = bytes("a");
    assertThat(PredicateText.parse("row < 'a'")).isEqualTo(rows(new RowRange(Bytes.EMPTY, a)));
    assertThat(PredicateText.parse("row <= 'a'"))
        .isEqualTo(rows(new RowRange(Bytes.EMPTY, a.successor())));
    assertThat(PredicateText.parse("row > 'a'")).isEqualTo(rows(new RowRange(a.successor(), null)));
    assertThat(PredicateText.parse("row >= 'a'")).isEqualTo(rows(new RowRange(a, null)));
    assertThat(PredicateText.parse("row='a'")).isEqualTo(rows(RowRange.row(a)));
    assertThat(PredicateText.parse("row~='a'")).isEqualTo(rows(RowRange.prefix(a)));
  }

  @Test
  void bothEndsInEitherDirectionAndEitherSide() {
    ReadPredicate between = rows(new RowRange(bytes("a").successor(), bytes("b").successor()));
    assertThat(PredicateText.parse("'a' < row <= 'b'")).isEqualTo(between);
    assertThat(PredicateText.parse("\"b\" >= row > \"a\"")).isEqualTo(between);
    assertThat(PredicateText.parse("'a' < row")).isEqualTo(PredicateText.parse("row > 'a'"));
    assertThat(PredicateText.parse("'a' = row")).isEqualTo(PredicateText.parse("row = 'a'"));
  }

  @Test
  void orJoinsIntervalsOfAFieldAndAndJoinsFields() {
    ReadPredicate all =
        PredicateText.parse(
            "row = 'a' or row ~= 'b' AND column = 'f:q' or column ~= 'g:' and time = @7 or time >="
                + " @9 and history=-2");
    assertThat(all.rows()).containsExactly(RowRange.row(bytes("a")), RowRange.prefix(bytes("b")));
    assertThat(all.columns())
        .containsExactly(
            ColumnRange.column(bytes("f"), bytes("q")), ColumnRange.family(bytes("g")));
    assertThat(all.times()).containsExactly(new TimeRange(7, 8), new TimeRange(9, Long.MAX_VALUE));
    assertThat(all.history()).isEqualTo(-2);
  }

  @Test
  void columnsCompareByFamilyAndThenByQualifier() {
    assertThat(PredicateText.parse("column ~= 'fa'").columns())
        .containsExactly(
            new ColumnRange(
                new Column(bytes("fa"), Bytes.EMPTY), new Column(bytes("fb"), Bytes.EMPTY)));
    assertThat(PredicateText.parse("column ~= 'f:pre'").columns())
        .containsExactly(ColumnRange.prefix(bytes("f"), bytes("pre")));
    // As texts "a!:x" stands before "a:b"; as columns family a comes before family a!.
    assertThat(PredicateText.parse("'a:b' <= column < 'a!:x'").columns())
        .containsExactly(
            new ColumnRange(
                new Column(bytes("a"), bytes("b")), new Column(bytes("a!"), bytes("x"))));
    assertThat(PredicateText.parse("column = 'a\\x3ab:c:d'").columns())
        .containsExactly(ColumnRange.column(bytes("a:b"), bytes("c:d")));
  }

  @Test
  void timesAreDatesOrMicroseconds() {
    assertThat(PredicateText.parse("time >= 1999-01-02T03:04:05Z").timeFrom())
        .isEqualTo(915_246_245_000_000L);
    assertThat(PredicateText.parse("time < 1999-01-02T04:04:05.000001+01:00").timeTo())
        .isEqualTo(915_246_245_000_001L);
    assertThat(PredicateText.parse("@-5 < time <= @5").times())
        .containsExactly(new TimeRange(-4, 6));
    assertThat(PredicateText.parse("time <= @9223372036854775807").times())
        .containsExactly(TimeRange.ALL);
  }

  @Test
  void aTextMayHoldAnyBytes() {
    assertThat(PredicateText.parse("row = 'é\\x00\\xfF\\n\\t\\r\\\\\\'\\\"'").rows())
        .containsExactly(
            RowRange.row(
                bytes("é").concat(Bytes.of((byte) 0, (byte) 0xff)).concat(bytes("\n\t\r\\'\""))));
  }

  @Test
  void printedInTheShortestForm() {
    for (String text :
        List.of(
            "row = 'a'",
            "row ~= 'a'",
            "'a' <= row < 'c'",
            "'a' < row <= 'c'",
            "'a' <= row",
            "row <= 'c'",
            "row = 'it\\'s \\\\ \\x00\\xff'",
            "row = 'é'",
            "column = 'f:q'",
            "column ~= 'f:'",
            "column ~= 'f'",
            "column ~= ''",
            "column = 'a\\x3ab:c:d'",
            "'a:b' < column <= 'c:d'",
            "time = @7",
            "time >= 1999-01-02T03:04:05Z",
            "time < @5",
            "@1 <= time < @3 or time >= @9",
            "row ~= 'a' or row ~= 'c' and column ~= 'f:' and time < @5 and history = -1")) {
      assertThat(PredicateText.print(PredicateText.parse(text))).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          rwo = 'a' :: 1 :: expected row, column, time, history or a literal, found 'rwo'; did you mean 'row'?
          = 'a' :: 1 :: expected row, column, time, history or a literal, found '='
          row :: 4 :: expected one of < <= > >= = ~=, found the end
          row == 'a' :: 5 :: expected one of < <= > >= = ~=, found '=='
          row != 'a' :: 5 :: expected one of < <= > >= = ~=, found '!='
          row = a :: 7 :: expected a text in quotes, found 'a'
          row = :: 6 :: expected a text in quotes, found the end
          row = @5 :: 7 :: expected a text in quotes, as a row is, found the time @5
          row = 'a :: 7 :: this quote is not closed
          row = 'a\\q' :: 9 :: unknown escape: there are \\n \\t \\r \\\\ \\' \\" and \\xHH
          row = '\\x1' :: 8 :: \\x must be followed by two hexadecimal digits
          row = '\\x :: 8 :: \\x must be followed by two hexadecimal digits
          row = 'a' and :: 14 :: expected row, column, time, history or a literal, found the end
          row = 'a' row = 'b' :: 11 :: expected 'and', 'or' or the end, found 'row'
          row = 'a' , :: 11 :: unexpected character ','
          (row = 'a') :: 1 :: unexpected character '('
          row > 'a' and row < 'b' :: 15 :: row stands in two parts: join its intervals by 'or', and give both ends of one as in 'a' <= row < 'b'
          time > @1 and time < @2 :: 15 :: time stands in two parts: join its intervals by 'or', and give both ends of one as in @1 <= time < @2
          row = 'a' or column = 'f:q' :: 14 :: column behind 'or': it joins intervals of one field, here row; use 'and' between fields
          row = 'a' or history = 1 :: 14 :: history behind 'or': it joins intervals of one field, here row; use 'and' between fields
          'a' < row > 'b' :: 11 :: two ends must be as in 'a' <= row < 'b', in either direction
          'a' = row < 'b' :: 11 :: two ends must be as in 'a' <= row < 'b', in either direction
          'a' < :: 6 :: expected row, column or time, found the end
          'b' < row < 'a' :: 1 :: this interval is empty: no row is in it; its lower end must be below its upper end
          row < '' :: 1 :: this interval is empty: no row is in it; its lower end must be below its upper end
          row = 'c' or 'a' <= row < 'a' :: 14 :: this interval is empty: no row is in it; its lower end must be below its upper end
          'b:' < column < 'a:' :: 1 :: this interval is empty: no column is in it; its lower end must be below its upper end
          @5 <= time < @5 :: 1 :: this interval is empty: no time is in it; its lower end must be below its upper end
          time > @9223372036854775807 :: 1 :: this interval is empty: no time is in it; its lower end must be below its upper end
          time = @9223372036854775807 :: 1 :: this interval is empty: no time is in it; its lower end must be below its upper end
          column = 'name' :: 10 :: a column must be 'family:qualifier', with a colon; all of a family are column ~= 'family:'
          column = ':q' :: 10 :: a column must have a family before its colon
          column ~= ':q' :: 11 :: a column must have a family before its colon
          time ~= @1 :: 6 :: a time begins with nothing: ~= is for row and column
          time > 'a' :: 8 :: expected a time such as 1999-01-02T03:04:05Z, or @ and microseconds, found a text in quotes
          time > 5 :: 8 :: expected a time such as 1999-01-02T03:04:05Z, or @ and microseconds, found '5'
          time > @x :: 8 :: time '@x': must be a time such as 1999-01-02T03:04:05Z, or @ and microseconds
          time > 1999-13-02T03:04:05Z :: 8 :: time '1999-13-02T03:04:05Z': must be a time such as 1999-01-02T03:04:05Z, or @ and microseconds
          time > 1999-01-02 :: 8 :: time '1999-01-02': must be a time such as 1999-01-02T03:04:05Z, or @ and microseconds
          time > 1999-01-02T03:04:05.0000001Z :: 8 :: time '1999-01-02T03:04:05.0000001Z' is finer than a microsecond: must have at most 6 decimals
          history = 0 :: 11 :: history of 0 versions: must be 1 or more, or negative for all but the newest
          history > 1 :: 9 :: expected '=' and a number behind history, found '>'
          history = 'a' :: 11 :: expected a whole number, found a text in quotes
          history = many :: 11 :: expected a whole number of at most 9 digits, found 'many'
          history = 99999999999 :: 11 :: expected a whole number of at most 9 digits, found '99999999999'
          history = 1 and history = 2 :: 17 :: history stands twice: it has one number
          history = 1 or history = 2 :: 13 :: 'or' behind history: it has one number
          'a' < history :: 1 :: history must be written history=NUMBER
          """)
  void aMistakeIsNamedAndPointedAt(String text, int character, String message) {
    assertThatThrownBy(() -> PredicateText.parse(text))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage(
            "predicate, character %d: %s\n  %s\n  %s^"
                .formatted(character, message, text, " ".repeat(character - 1)));
  }

  @Test
  void aLongTextIsShownAroundTheMistake() {
    String text = "row = '" + "x".repeat(200) + "' oder\nrow = '" + "y".repeat(200) + "'";
    assertThatThrownBy(() -> PredicateText.parse(text))
        .hasMessage(
            "predicate, character 210: expected 'and', 'or' or the end, found 'oder'\n  ..."
                + "x".repeat(58)
                + "' oder row = '"
                + "y".repeat(48)
                + "...\n  "
                + " ".repeat(63)
                + "^");
  }

  @Test
  void halfACharacterHasNoBytes() {
    assertThatThrownBy(() -> PredicateText.parse("row = '\ud800'"))
        .hasMessageStartingWith("predicate, character 8: half a character, which has no UTF-8\n");
  }

  @Test
  void whatIsPrintedReadsAsTheSame() {
    for (int seed = 0; seed < 20_000; seed++) {
      ReadPredicate predicate = new Chance(new SplittableRandom(seed)).predicate();
      String text = PredicateText.print(predicate);
      assertThat(PredicateText.parse(text)).as("seed %d: %s", seed, text).isEqualTo(predicate);
    }
  }

  @Test
  void anyTextGivesAPredicateOrAnInvalidRequest() {
    String[] pieces = {
      "row",
      "column",
      "time",
      "history",
      "and",
      "or",
      "<",
      "<=",
      ">",
      ">=",
      "=",
      "~=",
      "'",
      "\"",
      "'a'",
      "'f:q'",
      "'f'",
      "''",
      "@",
      "@5",
      "@-9223372036854775808",
      "1999-01-02T03:04:05Z",
      "-3",
      "0",
      "1",
      " ",
      " ",
      " ",
      "\\",
      "\\x",
      "00",
      "\n",
      "\0",
      "é",
      "\ud83d\ude00",
      "\ud83d",
      "(",
      ":"
    };
    for (int seed = 0; seed < 50_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(14); i > 0; i--) {
        text.append(pieces[random.nextInt(pieces.length)]);
        text.append(random.nextBoolean() ? " " : "");
      }
      try {
        ReadPredicate read = PredicateText.parse(text.toString());
        assertThat(PredicateText.parse(PredicateText.print(read))).isEqualTo(read);
      } catch (InvalidRequestException e) {
        assertThat(e)
            .as("seed %d", seed)
            .message()
            .startsWith("predicate, character ")
            .endsWith("^");
      }
    }
  }

  /** Predicates of few different bytes, so that ranges touch, nest, and look like each other. */
  private record Chance(SplittableRandom random) {
    private static final byte[] BYTES = {'a', 'b', ':', 0, (byte) 0xff, '\'', '\\', (byte) 0xc3};

    ReadPredicate predicate() {
      int history = random.nextInt(-3, 4);
      return new ReadPredicate(
          random.nextInt(3) == 0 ? List.of(RowRange.ALL) : some(this::rowRange),
          random.nextInt(3) == 0 ? List.of() : some(this::columnRange),
          random.nextInt(3) == 0 ? List.of(TimeRange.ALL) : some(this::timeRange),
          history == 0 ? ReadPredicate.ALL_VERSIONS : history);
    }

    private <R> List<R> some(Supplier<R> one) {
      List<R> list = new ArrayList<>();
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        list.add(one.get());
      }
      return list;
    }

    private Bytes bytes() {
      byte[] array = new byte[random.nextInt(4)];
      for (int i = 0; i < array.length; i++) {
        array[i] = BYTES[random.nextInt(BYTES.length)];
      }
      return Bytes.wrap(array);
    }

    private RowRange rowRange() {
      Bytes a = bytes();
      Bytes b = bytes();
      return switch (random.nextInt(4)) {
        case 0 -> RowRange.row(a);
        case 1 -> RowRange.prefix(a);
        case 2 -> new RowRange(a, null);
        default -> a.compareTo(b) < 0 ? new RowRange(a, b) : new RowRange(b, a.successor());
      };
    }

    private ColumnRange columnRange() {
      Bytes family = bytes().concat(Bytes.utf8("f"));
      Column a = new Column(bytes(), bytes());
      Column b = new Column(bytes(), bytes());
      return switch (random.nextInt(5)) {
        case 0 -> ColumnRange.family(family);
        case 1 -> ColumnRange.prefix(family, bytes());
        case 2 -> ColumnRange.column(family, bytes());
        case 3 -> new ColumnRange(a, null);
        default ->
            a.compareTo(b) < 0
                ? new ColumnRange(a, b)
                : new ColumnRange(b, new Column(a.family(), a.qualifier().successor()));
      };
    }

    private TimeRange timeRange() {
      long[] ends = {
        Long.MIN_VALUE, -1, 0, 5, 6, 915_246_245_000_000L, 915_246_245_000_001L, Long.MAX_VALUE
      };
      int from = random.nextInt(ends.length - 1);
      return new TimeRange(ends[from], ends[random.nextInt(from + 1, ends.length)]);
    }
  }
}
