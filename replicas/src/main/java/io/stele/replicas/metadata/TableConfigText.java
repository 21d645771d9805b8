package io.stele.replicas.metadata;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.text.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a table as text, in the coordination service and on the disks of servers. It
 * is JSON, so that people can read it too:
 *
 * <pre>{@code
 * {"id": "5f…", "metadataTxn": "0c…", "metadataServers": ["9a…", "41…"],
 *  "replicas": 3, "erasureGraceMicros": 864000000000, "splitBytes": 536870912,
 *  "groups": [{"name": "default", "families": ["name"], "purge": "none",
 *              "compression": "lz4", "blockSize": 8192, "inMemory": false}]}
 * }</pre>
 */
public final class TableConfigText {
  private static final String WILDCARD = "*";
  private static final long NANOS_PER_MICRO = 1_000;

  private TableConfigText() {}

  /** A configuration as text; its name is not in it. */
  public static String write(TableConfig config) {
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
    object.put("groups", config.schema().groups().stream().map(TableConfigText::group).toList());
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

  /**
   * A configuration from its text.
   *
   * @param where the text was found, for people
   * @param name of the table
   * @throws CorruptDataException if it is not what was written
   */
  public static TableConfig read(String where, String name, String text) {
    return ConfigObject.read(
        where,
        text,
        "the configuration of a table",
        object ->
            new TableConfig(
                name,
                object.text("id"),
                new TableSchema(
                        object.list("groups").stream().map(TableConfigText::groupOf).toList())
                    .withReplication(
                        new Replication(
                            Math.toIntExact(object.number("replicas")),
                            Duration.ofNanos(
                                Math.multiplyExact(
                                    object.number("erasureGraceMicros"), NANOS_PER_MICRO)),
                            object.number("splitBytes"))),
                object.text("metadataTxn"),
                object.texts("metadataServers")));
  }

  private static GroupSchema groupOf(@Nullable Object value) {
    ConfigObject object = ConfigObject.of(value, "groups");
    return GroupSchema.of(object.text("name"), object.texts("families"))
        .withPurge(PurgePolicy.parse(object.text("purge")))
        .withCompression(Compression.parse(object.text("compression")))
        .withBlockSize(Math.toIntExact(object.number("blockSize")))
        .withInMemory(object.flag("inMemory"));
  }
}
