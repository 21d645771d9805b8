package io.stele.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One object of a report's JSON array; a field of another kind than asked for fails the test. */
public record JsonRow(Map<String, @Nullable Object> fields) {
  public static List<JsonRow> rows(@Nullable Object json) {
    assertThat(json).isInstanceOf(List.class);
    List<JsonRow> rows = new ArrayList<>();
    if (json instanceof List<?> items) {
      for (Object item : items) {
        assertThat(item).isInstanceOf(Map.class);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (item instanceof Map<?, ?> map) {
          map.forEach((name, value) -> fields.put(String.valueOf(name), value));
        }
        rows.add(new JsonRow(fields));
      }
    }
    return rows;
  }

  public String name() {
    return text("case");
  }

  public String text(String field) {
    if (fields.get(field) instanceof String text) {
      return text;
    }
    throw new AssertionError(field + " is no text in " + fields);
  }

  public double number(String field) {
    if (fields.get(field) instanceof Number number) {
      return number.doubleValue();
    }
    throw new AssertionError(field + " is no number in " + fields);
  }
}
