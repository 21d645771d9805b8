package io.stele.cli.metastore;

import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import io.stele.client.metastore.KeyValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys with what the store keeps of them, for people and for programs. */
final class KeyText {

  private KeyText() {}

  static Map<String, Object> json(KeyValue found) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("key", found.key());
    ValueText.putJson(object, "value", found.value());
    object.put("created", found.created());
    object.put("modified", found.modified());
    object.put("version", found.version());
    object.put("session", found.session());
    return object;
  }

  static List<Map<String, Object>> json(List<KeyValue> found) {
    return found.stream().map(KeyText::json).toList();
  }

  static String table(List<KeyValue> found) {
    TextTable table = new TextTable("KEY", "VALUE", "CREATED", "MODIFIED", "VERSION", "SESSION");
    for (KeyValue key : found) {
      table.row(
          key.key(),
          ValueText.onOneLine(key.value()),
          Long.toString(key.created()),
          Long.toString(key.modified()),
          Long.toString(key.version()),
          key.session() == 0 ? "-" : Long.toString(key.session()));
    }
    return table.toString();
  }
}
