package io.stele.datasets.version;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node has decided about a version, kept in {@code version.json} in its directory, so that a
 * restart neither asks the source nor chooses other shards.
 *
 * <pre>{@code
 * {"format": 1, "shards": 20, "assigned": [0, 3, 7], "createdMicros": 1750000000000000}
 * }</pre>
 */
public record VersionRecord(int shards, List<Integer> assigned, long createdMicros) {
  private static final long FORMAT = 1;

  public VersionRecord {
    assigned = List.copyOf(assigned);
  }

  byte[] toBytes() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("format", FORMAT);
    map.put("shards", shards);
    map.put("assigned", assigned);
    map.put("createdMicros", createdMicros);
    return Json.write(map).getBytes(StandardCharsets.UTF_8);
  }

  static VersionRecord parse(String file, byte[] content) {
    try {
      if (JsonReader.read(new String(content, StandardCharsets.UTF_8)) instanceof Map<?, ?> map
          && number(map.get("format")) == FORMAT
          && map.get("assigned") instanceof List<?> list) {
        List<Integer> assigned = new ArrayList<>();
        for (Object item : list) {
          assigned.add(Math.toIntExact(number(item)));
        }
        return new VersionRecord(
            Math.toIntExact(number(map.get("shards"))), assigned, number(map.get("createdMicros")));
      }
    } catch (InvalidRequestException | IllegalArgumentException | ArithmeticException e) {
      throw corrupt(file, e.getMessage());
    }
    throw corrupt(file, "something else");
  }

  private static CorruptDataException corrupt(String file, @Nullable String found) {
    return new CorruptDataException(
        file, 0, "the record of a version in format " + FORMAT, String.valueOf(found));
  }

  private static long number(@Nullable Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("no number where one should be");
  }
}
