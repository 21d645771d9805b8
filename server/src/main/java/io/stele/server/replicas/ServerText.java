package io.stele.server.replicas;

import io.stele.base.text.Json;
import io.stele.replicas.metadata.ConfigObject;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A live server as the value of its key. It is JSON, for those who look at it with {@code stele
 * metastore get}:
 *
 * <pre>{@code
 * {"address": "10.0.0.7:7835", "freeBytes": 70368744177, "totalBytes": 107374182400, "rack": "b"}
 * }</pre>
 *
 * One that is on no rack says nothing of it.
 */
final class ServerText {
  private ServerText() {}

  static String write(LiveServer server) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("address", server.address());
    object.put("freeBytes", server.freeBytes());
    object.put("totalBytes", server.totalBytes());
    server.rack().ifPresent(rack -> object.put("rack", rack));
    return Json.writeLine(object);
  }

  static LiveServer server(String key, String text) {
    return ConfigObject.read(
        "key " + key + " of the metastore",
        text,
        "the address and disk of a server",
        object ->
            new LiveServer(
                key.substring(ReplicaKeys.SERVERS.length()),
                object.text("address"),
                object.number("freeBytes"),
                object.number("totalBytes"),
                object.optionalText("rack")));
  }
}
