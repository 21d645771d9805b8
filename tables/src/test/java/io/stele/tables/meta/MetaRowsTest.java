package io.stele.tables.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import io.stele.tables.meta.MetaRows.MetaRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetaRowsTest {
  /** As written in META: tables by code points, then the schema, then tablets, endless last. */
  private static final Comparator<MetaRow> ORDER =
      Comparator.comparing((MetaRow row) -> Bytes.utf8(row.table()))
          .thenComparing(row -> row instanceof MetaRow.Tablet)
          .thenComparing(
              (a, b) -> {
                Optional<Bytes> left = a instanceof MetaRow.Tablet t ? t.last() : Optional.empty();
                Optional<Bytes> right = b instanceof MetaRow.Tablet t ? t.last() : Optional.empty();
                return left.isEmpty() || right.isEmpty()
                    ? Boolean.compare(left.isEmpty(), right.isEmpty())
                    : left.get().compareTo(right.get());
              });

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theByteOrderOfMetaRowsIsTheOrderOfTablets(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    List<MetaRow> rows = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      rows.add(randomRow(random));
    }
    for (int i = 1; i < rows.size(); i++) {
      MetaRow a = rows.get(i - 1);
      MetaRow b = rows.get(i);
      assertThat(Integer.signum(key(a).compareTo(key(b))))
          .as("%s beside %s, seed %d", a, b, seed)
          .isEqualTo(Integer.signum(ORDER.compare(a, b)));
      assertThat(MetaRows.parse(key(a))).isEqualTo(a);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {6, 7})
  void theRowsOfATableAreNeighboursAndItsRangesHoldThemAll(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    for (int i = 0; i < 5_000; i++) {
      MetaRow a = randomRow(random);
      MetaRow b = randomRow(random);
      boolean same = a.table().equals(b.table());
      assertThat(MetaRows.ofTable(a.table()).contains(key(b))).isEqualTo(same);
      assertThat(MetaRows.tablets(a.table()).contains(key(b)))
          .isEqualTo(same && b instanceof MetaRow.Tablet);
    }
  }

  @Test
  void theFirstRowAtOrBehindARowIsTheTabletThatHoldsIt() {
    List<Bytes> keys = new ArrayList<>();
    for (String last : List.of("b", "d", "d\0", "f")) {
      keys.add(MetaRows.tablet("t", Optional.of(Bytes.utf8(last))));
    }
    keys.add(MetaRows.tablet("t", Optional.empty()));
    keys.add(MetaRows.schema("t\0"));
    for (String[] each :
        new String[][] {
          {"", "b"}, {"b", "b"}, {"b\0", "d"}, {"d", "d"}, {"d\0", "d\0"}, {"e", "f"}
        }) {
      var range = MetaRows.tabletsFrom("t", Bytes.utf8(each[0]));
      assertThat(keys.stream().filter(range::contains).findFirst().map(MetaRows::parse))
          .contains(new MetaRow.Tablet("t", Optional.of(Bytes.utf8(each[1]))));
    }
    var behind = MetaRows.tabletsFrom("t", Bytes.utf8("g"));
    assertThat(keys.stream().filter(behind::contains).map(MetaRows::parse))
        .containsExactly(new MetaRow.Tablet("t", Optional.empty()));
  }

  /**
   * The seed: row="(table) (last-row)" for tablets with a finite upper bound, row="(table)!" for
   * those with an infinite one, row="(table)" for the schema. Each pair is the same text there.
   */
  @Test
  void rowsThatAreOneAndTheSameInTextDiffer() {
    assertDistinct(new MetaRow.Schema("a b"), tablet("a", "b"), "a b");
    assertDistinct(new MetaRow.Schema("a!"), endless("a"), "a!");
    assertDistinct(endless("a "), tablet("a", "!"), "a !");
    assertDistinct(tablet("a b", "c"), tablet("a", "b c"), "a b c");
  }

  /** In text the rows of one table come among those of another; here they do not. */
  @Test
  void rowsThatAreMixedUpInTextAreApart() {
    List<MetaRow> rows =
        new ArrayList<>(
            List.of(
                new MetaRow.Schema("a"),
                tablet("a", "a"),
                tablet("a", "z"),
                endless("a"),
                new MetaRow.Schema("a\u0001"),
                tablet("a\u0001", "m"),
                endless("a\u0001"),
                new MetaRow.Schema("a k"),
                tablet("a k", "m"),
                endless("a k"),
                new MetaRow.Schema("a!"),
                endless("a!")));
    List<MetaRow> asText = new ArrayList<>(rows);
    asText.sort(Comparator.comparing(row -> Bytes.utf8(text(row))));
    assertThat(asText).as("the text form").isNotEqualTo(rows);
    List<MetaRow> expected = List.copyOf(rows);
    Collections.shuffle(rows, new java.util.Random(1));
    rows.sort(Comparator.comparing(MetaRowsTest::key));
    assertThat(rows).isEqualTo(expected);
  }

  @Test
  void theLongestRowsOfBothLevelsFitARowKey() {
    String name = "n".repeat(TableNames.LONGEST);
    Bytes longest = Bytes.wrap(new byte[MetaRows.longestLast(name)]);
    Bytes inMeta1 = MetaRows.tablet(name, Optional.of(longest));
    Bytes inMeta0 = MetaRows.tablet(TableNames.META1, Optional.of(inMeta1));
    assertThat(inMeta0.length()).isLessThanOrEqualTo(Cell.MAX_ROW);
    assertThat(MetaRows.canBeLast(name, longest)).isTrue();
    assertThat(MetaRows.canBeLast(name, longest.successor())).isFalse();
    assertThat(MetaRows.canBeLast(name, Bytes.EMPTY)).isFalse();
    assertThatThrownBy(() -> MetaRows.tablet("t", Optional.of(longest.successor())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("table \"t\"")
        .hasMessageContaining("must be 1 to " + longest.length());
  }

  @Test
  void bytesThatAreNoMetaRowAreNamed() {
    for (Bytes bad :
        List.of(
            Bytes.utf8("plain"),
            Bytes.EMPTY,
            MetaRows.schema("t").concat(Bytes.utf8("x")),
            MetaRows.tablet("t", Optional.empty()).concat(Bytes.utf8("x")),
            MetaRows.tablets("t").from(),
            Bytes.of((byte) 0xff, (byte) 0, (byte) 1, (byte) 1))) {
      assertThatThrownBy(() -> MetaRows.parse(bad))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining(bad.toString());
      assertThat(MetaRows.describe(bad)).isEqualTo(bad.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"META0, ROOT", "META1, META0", "META2, META1", "users, META1", "meta0, META1"})
  void tablesAreDescribedOneLevelUp(String table, MetaLevel level) {
    assertThat(MetaLevel.of(table)).isEqualTo(level);
  }

  @Test
  void namesAreChecked() {
    TableNames.checkNew("users-of-2026,\u00e4\u00f6\u00fc\ud83d\ude00!");
    TableNames.check("a name of an older version");
    TableNames.check(TableNames.META0);
    assertRefused("META0", "reserved");
    assertRefused("META1", "reserved");
    assertRefused("bad name", "at character 4: must have no white space");
    assertRefused("", "must be 1 to 255");
    assertRefused("\u00e4".repeat(128), "256 bytes");
    assertRefused("a\nb", "at character 2");
    assertRefused("a\ud83d", "at character 2");
  }

  private static void assertRefused(String name, String why) {
    assertThatThrownBy(() -> TableNames.checkNew(name))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(why);
  }

  private static void assertDistinct(MetaRow a, MetaRow b, String inText) {
    assertThat(text(a)).isEqualTo(inText).isEqualTo(text(b));
    assertThat(key(a)).isNotEqualTo(key(b));
    assertThat(MetaRows.parse(key(a))).isEqualTo(a);
    assertThat(MetaRows.parse(key(b))).isEqualTo(b);
  }

  private static MetaRow tablet(String table, String last) {
    return new MetaRow.Tablet(table, Optional.of(Bytes.utf8(last)));
  }

  private static MetaRow endless(String table) {
    return new MetaRow.Tablet(table, Optional.empty());
  }

  private static String text(MetaRow row) {
    return switch (row) {
      case MetaRow.Schema(String table) -> table;
      case MetaRow.Tablet(String table, Optional<Bytes> last) ->
          last.map(end -> table + " " + end.toUtf8()).orElse(table + "!");
    };
  }

  private static Bytes key(MetaRow row) {
    return switch (row) {
      case MetaRow.Schema(String table) -> MetaRows.schema(table);
      case MetaRow.Tablet(String table, Optional<Bytes> last) -> MetaRows.tablet(table, last);
    };
  }

  /** From few and dangerous bytes, so that prefixes and equal parts are common. */
  private static MetaRow randomRow(RandomGenerator random) {
    String[] letters = {
      "\0", "\u0001", "\u0002", "\u0003", " ", "!", "a", "\u00ff", "\ud83d\ude00"
    };
    StringBuilder name = new StringBuilder("a");
    for (int i = random.nextInt(3); i > 0; i--) {
      name.append(letters[random.nextInt(letters.length)]);
    }
    int kind = random.nextInt(6);
    if (kind == 0) {
      return new MetaRow.Schema(name.toString());
    }
    if (kind == 1) {
      return endless(name.toString());
    }
    byte[] bytes = {0, 1, 2, 3, ' ', '!', 'a', (byte) 0xfe, (byte) 0xff};
    byte[] last = new byte[1 + random.nextInt(4)];
    for (int i = 0; i < last.length; i++) {
      last[i] = bytes[random.nextInt(bytes.length)];
    }
    return new MetaRow.Tablet(name.toString(), Optional.of(Bytes.wrap(last)));
  }
}
