package io.stele.gateway.bigtable.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Expressions over raw bytes, which a test writes as the Latin-1 characters of the same numbers.
 */
class ByteRegexTest {
  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static ByteRegex regex(String expression) {
    return ByteRegex.compile(latin1(expression), "value_regex_filter");
  }

  private static boolean matches(String expression, String bytes) {
    byte[] padded = latin1("<" + bytes + ">"); // a slice, as cells are
    return regex(expression).matches(padded, 1, padded.length - 2);
  }

  @Test
  void allBytesMustMatch() {
    assertThat(matches("ab", "ab")).isTrue();
    assertThat(matches("ab", "abc")).isFalse();
    assertThat(matches("b", "ab")).isFalse();
    assertThat(matches("a|ab", "ab")).isTrue();
    assertThat(matches("^ab$", "ab")).isTrue();
    assertThat(matches("", "")).isTrue();
    assertThat(matches("", "a")).isFalse();
  }

  @Test
  void aDotIsAnyByteButTheNewLine() {
    for (int b = 0; b < 256; b++) {
      String one = String.valueOf((char) b);
      assertThat(matches(".", one)).as("byte %s", b).isEqualTo(b != '\n');
      assertThat(matches("\\C", one)).as("byte %s", b).isTrue();
      assertThat(matches("[^a]", one)).as("byte %s", b).isEqualTo(b != 'a');
    }
    assertThat(matches(".", "ab")).isFalse();
    assertThat(matches("\\C*", "a\nb\u0000\u00ff")).isTrue();
    assertThat(matches(".*", "a\nb")).isFalse();
    assertThat(matches("a\\C+b", "a\n\nb")).isTrue();
    assertThat(matches("(a\\C){2}", "a\na\u0080")).isTrue();
  }

  @Test
  void everyByteCanBeWrittenAsItselfOrByItsNumber() {
    for (int b = 0; b < 256; b++) {
      String one = String.valueOf((char) b);
      String number = "\\x%02x".formatted(b);
      assertThat(matches(number, one)).as(number).isTrue();
      assertThat(matches(number + number, one)).as(number).isFalse();
      assertThat(matches("[" + number + "]", one)).as(number).isTrue();
      assertThat(matches("x*" + number, one)).as(number).isTrue(); // not a literal
      if (".*+?()[]{}|^$\\".indexOf(one) < 0) {
        assertThat(matches(one, one)).as(one).isTrue();
        assertThat(matches("(" + one + ")", one)).as(one).isTrue();
      }
    }
  }

  @Test
  void textBeyondAsciiIsItsBytes() {
    String e = new String("é".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    assertThat(e).hasSize(2);
    assertThat(matches(e, e)).isTrue();
    assertThat(matches("..", e)).isTrue();
    assertThat(matches(".", e)).isFalse();
    assertThat(matches("caf" + e + "s?", "caf" + e)).isTrue();
    assertThat(matches("[" + e + "]", e)).isFalse(); // a class of two bytes matches one of them
    assertThat(matches("[" + e + "]{2}", e)).isTrue();
  }

  @Test
  void anAnyByteInQuotedTextIsItself() {
    assertThat(matches("\\Qa\\C\\E.", "a\\Cx")).isTrue();
    assertThat(matches("\\Qa\\C\\E.", "abbb")).isFalse();
    assertThat(matches("\\\\C", "\\C")).isTrue();
    assertThat(matches("\\\\C", "\\x")).isFalse();
    assertThat(matches("\\Q\\C", "\\C")).isTrue();
  }

  @Test
  void flagsAndClassesAreThoseOfRe2() {
    assertThat(matches("(?i)abc", "aBC")).isTrue();
    assertThat(matches("\\d+", "123")).isTrue();
    assertThat(matches("[[:alpha:]]+", "abc")).isTrue();
    assertThat(matches("\\w", "\u00e9")).isFalse();
    assertThat(matches("(?s).", "\n")).isTrue();
    assertThat(matches("a{2,3}", "aaaa")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "abc, abc, abc",
    "a\\.b, a.b, a.b",
    "a\\x2eb, a.b, a.b",
    "ab.*, -, ab",
    "ab+, -, a",
    "abc?d, -, ab",
    "ab{2}, -, a",
    "ab|cd, -, ''",
    "(ab), -, ''",
    "(?i)ab, -, ''",
    "\\Qab\\E, -, ''",
    "ab\\d, -, ab",
  })
  void whatIsPlainToSeeIsKnown(String expression, String literal, String prefix) {
    ByteRegex regex = regex(expression);
    assertThat(regex.literal().map(Bytes::toUtf8).orElse("-")).isEqualTo(literal);
    assertThat(regex.prefix().toUtf8()).isEqualTo(prefix);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "a)", "[", "*", "a**", "\\", "(?<n", "x{2000}"})
  void whatIsNoExpressionIsRefusedByItsField(String expression) {
    assertThatThrownBy(() -> regex(expression))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("value_regex_filter");
  }

  @Test
  void anExpressionThatWouldTakeForeverElsewhereEnds() {
    assertThat(matches("(a*)*b", "a".repeat(2_000))).isFalse();
  }
}
