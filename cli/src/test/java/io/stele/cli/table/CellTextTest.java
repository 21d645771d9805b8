package io.stele.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CellTextTest {
  @Test
  void textIsShownAsItIsAndAllElseEscaped() {
    assertThat(CellText.show(Bytes.utf8("grüße 'x' \"y\""))).isEqualTo("grüße 'x' \"y\"");
    assertThat(CellText.show(Bytes.utf8("a\n\t\r\\\u001b[31m\u0085")))
        .isEqualTo("a\\n\\t\\r\\\\\\x1b[31m\\xc2\\x85");
    assertThat(CellText.show(Bytes.of((byte) 'a', (byte) 0xff, (byte) 0))).isEqualTo("a\\xff\\x00");
    assertThat(CellText.show(new Column(Bytes.utf8("f"), Bytes.of((byte) 0)))).isEqualTo("f:\\x00");
  }

  @Test
  void whatIsShownCanBeTyped() {
    for (int seed = 0; seed < 5_000; seed++) {
      byte[] bytes = new byte[seed % 9];
      new SplittableRandom(seed).nextBytes(bytes);
      Bytes value = Bytes.wrap(bytes);
      assertThat(CellText.unescape("value", CellText.show(value))).isEqualTo(value);
    }
    assertThat(CellText.unescape("value", "é\ud83d\ude00\\\\"))
        .isEqualTo(Bytes.utf8("é\ud83d\ude00\\"));
  }

  @Test
  void argumentsHaveOtherNotations() {
    Bytes bytes = Bytes.of((byte) 0, (byte) 0xff);
    assertThat(CellText.argument("value", "hex:00FF")).isEqualTo(bytes);
    assertThat(CellText.argument("value", "base64:AP8=")).isEqualTo(bytes);
    assertThat(CellText.argument("value", "\\x00\\xff")).isEqualTo(bytes);
    assertThat(CellText.argument("value", "text:hex:\\x")).isEqualTo(Bytes.utf8("hex:\\x"));
    assertThat(CellText.column("f:hex:00ff")).isEqualTo(new Column(Bytes.utf8("f"), bytes));
    assertThat(CellText.column("f:a:b")).isEqualTo(new Column(Bytes.utf8("f"), Bytes.utf8("a:b")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          a\\q :: value 'a\\q' at character 2: there are the escapes \\n \\t \\r \\\\ and \\xHH; put text: in front to take it as it is
          \\x1 :: value '\\x1' at character 1: there are the escapes \\n \\t \\r \\\\ and \\xHH; put text: in front to take it as it is
          ab\\ :: value 'ab\\' at character 3: there are the escapes \\n \\t \\r \\\\ and \\xHH; put text: in front to take it as it is
          hex:0 :: value 'hex:0': behind hex: must be pairs of hexadecimal digits
          base64:* :: value 'base64:*': behind base64: must be base 64
          """)
  void aWrongArgumentIsNamed(String text, String message) {
    assertThatThrownBy(() -> CellText.argument("value", text))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage(message);
  }

  @Test
  void aColumnHasAFamily() {
    assertThatThrownBy(() -> CellText.column("name"))
        .hasMessage("column 'name': must be FAMILY:QUALIFIER, such as name:name");
    assertThatThrownBy(() -> CellText.column(":q"))
        .hasMessage("column ':q': must be FAMILY:QUALIFIER, such as profile:name");
    assertThatThrownBy(() -> CellText.row(""))
        .hasMessage("row '': a row key has at least one byte");
  }
}
