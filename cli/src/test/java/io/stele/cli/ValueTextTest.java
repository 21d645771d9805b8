package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValueTextTest {

  private static final Bytes NO_TEXT = Bytes.of((byte) 'a', (byte) 0xFF, (byte) 0);

  private final InputStream input =
      new ByteArrayInputStream("typed\n".getBytes(StandardCharsets.UTF_8));

  @TempDir Path folder;

  @Test
  void textStaysAsItIsAndAllElseFitsOnALine() {
    assertThat(ValueText.onOneLine(Bytes.utf8("grüße \\ \"x\""))).isEqualTo("grüße \\ \"x\"");
    assertThat(ValueText.onOneLine(Bytes.utf8("a\nb\t\\c\r"))).isEqualTo("a\\nb\\t\\\\c\\r");
    assertThat(ValueText.onOneLine(NO_TEXT)).isEqualTo("a\\xff\\x00");
  }

  @Test
  void jsonHasTextOrBase64() {
    Map<String, Object> object = new LinkedHashMap<>();
    ValueText.putJson(object, "value", Bytes.utf8("x\n"));
    ValueText.putJson(object, "previous", NO_TEXT);

    assertThat(object).isEqualTo(Map.of("value", "x\n", "previousBase64", "Yf8A"));
  }

  @Test
  void aValueIsGivenByItselfByAFileOrByStandardInput() throws Exception {
    Path file = Files.writeString(folder.resolve("v"), "of a file");

    assertThat(ValueText.read("itself", input)).isEqualTo(Bytes.utf8("itself"));
    assertThat(ValueText.read("@" + file, input)).isEqualTo(Bytes.utf8("of a file"));
    assertThat(ValueText.read("-", input)).isEqualTo(Bytes.utf8("typed\n"));
    assertThatThrownBy(() -> ValueText.read("@" + folder.resolve("none"), input))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("there is no file '" + folder.resolve("none") + "'");
  }
}
