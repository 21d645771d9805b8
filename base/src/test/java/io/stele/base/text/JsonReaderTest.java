package io.stele.base.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonReaderTest {
  @Test
  void whatIsReadIsWrittenAsItWas() {
    for (String text :
        List.of(
            "{\"a\": [1, -2.50, 3e+7, true, false, null], \"b\": {}, \"c\": []}",
            "\"é \\\" \\\\ \\n \\t \\r \\ud83d\\ude00 \\u0001\"",
            "123456789012345678901234567890")) {
      assertThat(Json.writeLine(JsonReader.read(text))).isEqualTo(text);
    }
  }

  @Test
  void everyEscapeAndBlank() {
    assertThat(JsonReader.read(" { \"a\" :\t\"\\b\\f\\/\\u00e9\" }\r\n"))
        .isEqualTo(Map.of("a", "\b\f/é"));
  }

  @Test
  void aWholeNumberIsExact() {
    assertThat(JsonReader.read("9223372036854775807"))
        .isInstanceOfSatisfying(
            Number.class, number -> assertThat(number.longValue()).isEqualTo(Long.MAX_VALUE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          `` :: 1: it ends too early
          {"a" :: 5: it ends too early
          {"a" 1} :: 6: expected ':'
          {a: 1} :: 2: expected a name in quotes
          {"a": 1,} :: 9: expected a name in quotes
          {"a": 1, "a": 2} :: 10: the name "a" again
          [1 2] :: 4: expected ','
          [1,] :: 4: expected a value
          1 2 :: 3: expected the end
          nul :: 1: expected a value
          01 :: 1: '01' is no number
          -x :: 1: '-' is no number
          1.e5 :: 1: '1.e5' is no number
          1e :: 1: '1e' is no number
          "a\\q" :: 4: unknown escape
          "\\u12g4" :: 6: expected four hexadecimal digits behind \\u
          "a :: 3: it ends too early
          """)
  void aMistakeIsNamedByItsCharacter(String text, String message) {
    assertThatThrownBy(() -> JsonReader.read(text))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("JSON, character " + message);
  }

  @Test
  void depthIsBounded() {
    assertThatThrownBy(() -> JsonReader.read("[".repeat(100_000)))
        .hasMessage("JSON, character 202: more than 200 values within each other");
    assertThatThrownBy(() -> JsonReader.read("\"a\tb\""))
        .hasMessage("JSON, character 3: a control character in a text: write it as \\u0009");
  }

  @Test
  void anyTextGivesAValueOrAnInvalidRequest() {
    String pieces = "{}[],:\"\\u0019tfne-.+ a";
    int refused = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(20); i > 0; i--) {
        text.append(pieces.charAt(random.nextInt(pieces.length())));
      }
      try {
        JsonReader.read(text.toString());
      } catch (InvalidRequestException e) {
        assertThat(e).message().startsWith("JSON, character ");
        refused++;
      }
    }
    assertThat(refused).isBetween(10_000, 19_999);
  }
}
