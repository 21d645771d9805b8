package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void objectsKeepTheOrderOfTheirKeys() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("unit", "ops/s");
    map.put("case", 1);
    map.put("met", true);

    assertThat(Json.write(map))
        .isEqualTo(
            """
            {
              "unit": "ops/s",
              "case": 1,
              "met": true
            }\
            """);
  }

  @Test
  void nestingIsIndented() {
    assertThat(Json.write(List.of(Map.of("a", List.of(1, 2.5)), Map.of(), List.of())))
        .isEqualTo(
            """
            [
              {
                "a": [
                  1,
                  2.5
                ]
              },
              {},
              []
            ]\
            """);
  }

  @Test
  void nullIsNull() {
    assertThat(Json.write(Arrays.asList("a", null))).isEqualTo("[\n  \"a\",\n  null\n]");
  }

  @Test
  void numbersThatJsonLacksBecomeStrings() {
    assertThat(Json.write(Double.NaN)).isEqualTo("\"NaN\"");
    assertThat(Json.write(Float.NEGATIVE_INFINITY)).isEqualTo("\"-Infinity\"");
    assertThat(Json.write(1e300)).isEqualTo("1.0E300");
  }

  @Test
  void otherValuesAreWrittenAsText() {
    assertThat(Json.write(Duration.ofSeconds(90))).isEqualTo("\"PT1M30S\"");
  }

  @Test
  void stringsAreEscaped() {
    assertThat(Json.write("q\" b\\ n\n r\r t\t 0\0 é"))
        .isEqualTo("\"q\\\" b\\\\ n\\n r\\r t\\t 0\\u0000 é\"");
    assertThat(Json.write("\uD83D\uDDFF")).isEqualTo("\"\\ud83d\\uddff\"");
  }
}
