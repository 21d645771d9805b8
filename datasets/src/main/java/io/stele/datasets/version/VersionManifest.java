package io.stele.datasets.version;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.input.BrokenInputException;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import io.stele.datasets.shard.ShardManifest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the writer of a version declares of it, in {@code _stele.json} beside its files. It is the
 * only reason to read a file for one shard alone, and whatever it says is checked.
 *
 * <pre>{@code
 * {"format": 1, "hash": "polynomial-31",
 *  "files": [{"name": "part-00000.tsv", "shard": 0, "records": 10, "bytes": 123, "crc32c": "0badcafe"}, …,
 *            {"name": "part-00007.spl", …, "index": {"bytes": 120, "crc32c": "0badcafe"}}]}
 * }</pre>
 */
public record VersionManifest(List<DeclaredFile> files) {
  public static final String FILE_NAME = "_stele.json";
  private static final long FORMAT = 1;
  private static final String HASH = "polynomial-31";

  public VersionManifest {
    files = List.copyOf(files);
  }

  /**
   * A file, which holds one shard and nothing of the others.
   *
   * @param index what the index beside a Sparkey log is; a node that finds it so has no need to
   *     make one
   */
  public record DeclaredFile(
      String name,
      int shard,
      long records,
      ShardManifest.Content content,
      Optional<ShardManifest.Content> index) {}

  byte[] toBytes() {
    List<Object> list = new ArrayList<>();
    for (DeclaredFile file : files) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("name", file.name);
      map.put("shard", file.shard);
      map.put("records", file.records);
      put(map, file.content);
      file.index.ifPresent(index -> map.put("index", put(new LinkedHashMap<>(), index)));
      list.add(map);
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("format", FORMAT);
    map.put("hash", HASH);
    map.put("files", list);
    return (Json.write(map) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, Object> put(Map<String, Object> map, ShardManifest.Content content) {
    map.put("bytes", content.bytes());
    map.put("crc32c", "%08x".formatted(content.crc32c()));
    return map;
  }

  static VersionManifest parse(String path, byte[] content) throws BrokenInputException {
    try {
      Map<?, ?> map = map(JsonReader.read(new String(content, StandardCharsets.UTF_8)));
      if (number(map, "format") != FORMAT || !HASH.equals(map.get("hash"))) {
        throw new IllegalArgumentException(
            "format "
                + map.get("format")
                + " with hash "
                + map.get("hash")
                + ": only format "
                + FORMAT
                + " with hash "
                + HASH
                + " is known");
      }
      List<DeclaredFile> files = new ArrayList<>();
      if (map.get("files") instanceof List<?> list) {
        for (Object item : list) {
          files.add(file(map(item)));
        }
      }
      checkShards(files);
      return new VersionManifest(files);
    } catch (InvalidRequestException | IllegalArgumentException | ArithmeticException e) {
      throw new BrokenInputException(path, 0, "no manifest of a version: " + e.getMessage(), e);
    }
  }

  private static DeclaredFile file(Map<?, ?> map) {
    return new DeclaredFile(
        String.valueOf(map.get("name")),
        Math.toIntExact(number(map, "shard")),
        number(map, "records"),
        content(map),
        map.get("index") == null ? Optional.empty() : Optional.of(content(map(map.get("index")))));
  }

  private static ShardManifest.Content content(Map<?, ?> map) {
    return new ShardManifest.Content(
        number(map, "bytes"), Integer.parseUnsignedInt(String.valueOf(map.get("crc32c")), 16));
  }

  /** Each shard must be in one file. */
  private static void checkShards(List<DeclaredFile> files) {
    boolean[] seen = new boolean[files.size()];
    for (DeclaredFile file : files) {
      if (file.shard < 0 || file.shard >= seen.length || seen[file.shard]) {
        throw new IllegalArgumentException(
            "file "
                + file.name
                + " is declared to be shard "
                + file.shard
                + " of "
                + seen.length
                + ": each from 0 on must be there once");
      }
      seen[file.shard] = true;
    }
  }

  private static Map<?, ?> map(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("an object was expected, not " + value);
  }

  private static long number(Map<?, ?> map, String name) {
    if (map.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("\"" + name + "\" is " + map.get(name) + ", no number");
  }
}
