package io.stele.server.replicas;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.text.JsonReader;
import io.stele.cli.Json;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.TableConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tables and servers as values of keys. Both are JSON, for those who look at them with {@code stele
 * metastore get}:
 *
 * <pre>{@code
 * {"id": "5f…", "metadataTxn": "0c…", "metadataServers": ["9a…", "41…"],
 *  "replicas": 3, "erasureGraceMicros": 864000000000, "splitBytes": 536870912,
 *  "groups": [{"name": "default", "families": ["name"], "purge": "none",
 *              "compression": "lz4", "blockSize": 8192, "inMemory": false}]}
 *
 * {"address": "10.0.0.7:7835", "freeBytes": 70368744177, "totalBytes": 107374182400}
 * }</pre>
 */
final class ConfigText {
  private static final String WILDCARD = "*";
  private static final long NANOS_PER_MICRO = 1_000;

  private ConfigText() {}

  // ---- tables

  static String write(TableConfig config) {
    Replication replication =
        config
            .schema()
            .replication()
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        "schema of replicated table \""
                            + config.name()
                            + "\" does not say how it is replicated"));
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("id", config.id());
    object.put("metadataTxn", config.metadataTxn());
    object.put("metadataServers", config.metadataServers());
    object.put("replicas", replication.replicas());
    object.put("erasureGraceMicros", replication.erasureGrace().toNanos() / NANOS_PER_MICRO);
    object.put("splitBytes", replication.splitBytes());
    object.put("groups", config.schema().groups().stream().map(ConfigText::group).toList());
    return Json.writeLine(object);
  }

  private static Map<String, Object> group(GroupSchema group) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", group.name());
    object.put("families", group.wildcard() ? List.of(WILDCARD) : group.families());
    object.put("purge", group.purge().toString());
    object.put("compression", group.compression().toString());
    object.put("blockSize", group.blockSize());
    object.put("inMemory", group.inMemory());
    return object;
  }

  static TableConfig table(String key, String text) {
    return read(
        key,
        text,
        "the configuration of a table",
        object ->
            new TableConfig(
                ReplicaKeys.nameOf(key),
                text(object, "id"),
                new TableSchema(list(object, "groups").stream().map(ConfigText::groupOf).toList())
                    .withReplication(
                        new Replication(
                            Math.toIntExact(number(object, "replicas")),
                            Duration.ofNanos(
                                Math.multiplyExact(
                                    number(object, "erasureGraceMicros"), NANOS_PER_MICRO)),
                            number(object, "splitBytes"))),
                text(object, "metadataTxn"),
                texts(object, "metadataServers")));
  }

  private static GroupSchema groupOf(@Nullable Object value) {
    Map<?, ?> object = (Map<?, ?>) require(value, "groups");
    return GroupSchema.of(text(object, "name"), texts(object, "families"))
        .withPurge(PurgePolicy.parse(text(object, "purge")))
        .withCompression(Compression.parse(text(object, "compression")))
        .withBlockSize(Math.toIntExact(number(object, "blockSize")))
        .withInMemory((Boolean) require(object.get("inMemory"), "inMemory"));
  }

  // ---- servers

  static String write(LiveServer server) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("address", server.address());
    object.put("freeBytes", server.freeBytes());
    object.put("totalBytes", server.totalBytes());
    return Json.writeLine(object);
  }

  static LiveServer server(String key, String text) {
    return read(
        key,
        text,
        "the address and disk of a server",
        object ->
            new LiveServer(
                key.substring(ReplicaKeys.SERVERS.length()),
                text(object, "address"),
                number(object, "freeBytes"),
                number(object, "totalBytes")));
  }

  // ---- reading

  private static <T> T read(String key, String text, String what, Function<Map<?, ?>, T> reading) {
    try {
      return reading.apply((Map<?, ?>) require(JsonReader.read(text), what));
    } catch (InvalidRequestException | ClassCastException | ArithmeticException e) {
      throw new CorruptDataException(
          "key " + key + " of the metastore", 0, what + " (" + e.getMessage() + ")", text);
    } catch (NumberFormatException e) {
      throw new CorruptDataException(
          "key " + key + " of the metastore", 0, what + " with whole numbers", text);
    }
  }

  private static Object require(@Nullable Object value, String what) {
    if (value == null) {
      throw new InvalidRequestException("without " + what);
    }
    return value;
  }

  private static String text(Map<?, ?> object, String name) {
    return (String) require(object.get(name), name);
  }

  private static long number(Map<?, ?> object, String name) {
    return ((Number) require(object.get(name), name)).longValue();
  }

  private static List<?> list(Map<?, ?> object, String name) {
    return (List<?>) require(object.get(name), name);
  }

  private static List<String> texts(Map<?, ?> object, String name) {
    return list(object, name).stream().map(each -> (String) require(each, name)).toList();
  }
}
