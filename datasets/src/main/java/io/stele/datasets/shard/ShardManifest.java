package io.stele.datasets.shard;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the files of a shard must be. Its presence says that they are durable.
 *
 * <pre>{@code
 * {"format": 1, "shard": 3, "shards": 20, "records": 1000,
 *  "log": {"bytes": 123456, "crc32c": "0badcafe"}, "index": {"bytes": 8304, "crc32c": "…"}}
 * }</pre>
 *
 * @param records how many different keys
 */
public record ShardManifest(int shard, int shards, long records, Content log, Content index) {
  private static final long FORMAT = 1;

  /** A file's length and checksum. */
  public record Content(long bytes, int crc32c) {
    private Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("bytes", bytes);
      map.put("crc32c", "%08x".formatted(crc32c));
      return map;
    }

    private static Content of(@Nullable Object value) {
      if (value instanceof Map<?, ?> map && map.get("crc32c") instanceof String text) {
        return new Content(number(map.get("bytes")), Integer.parseUnsignedInt(text, 16));
      }
      throw new IllegalArgumentException("no length and checksum");
    }
  }

  byte[] toBytes() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("format", FORMAT);
    map.put("shard", shard);
    map.put("shards", shards);
    map.put("records", records);
    map.put("log", log.toMap());
    map.put("index", index.toMap());
    return Json.write(map).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a manifest.
   *
   * @param file for the message if it is none
   */
  static ShardManifest parse(String file, byte[] content) {
    try {
      if (JsonReader.read(new String(content, StandardCharsets.UTF_8)) instanceof Map<?, ?> map
          && number(map.get("format")) == FORMAT) {
        return new ShardManifest(
            Math.toIntExact(number(map.get("shard"))),
            Math.toIntExact(number(map.get("shards"))),
            number(map.get("records")),
            Content.of(map.get("log")),
            Content.of(map.get("index")));
      }
    } catch (InvalidRequestException | IllegalArgumentException | ArithmeticException e) {
      throw corrupt(file, e.getMessage());
    }
    throw corrupt(file, "something else");
  }

  private static CorruptDataException corrupt(String file, @Nullable String found) {
    return new CorruptDataException(
        file, 0, "the manifest of a shard in format " + FORMAT, String.valueOf(found));
  }

  private static long number(@Nullable Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("no number where one should be");
  }
}
