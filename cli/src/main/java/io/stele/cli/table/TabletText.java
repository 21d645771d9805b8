package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletInfo.FileInfo;
import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tablets for people and for programs. */
public final class TabletText {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final String OPEN_END = "-";

  private TabletText() {}

  /** The tablets of one table. */
  static String table(List<TabletInfo> tablets) {
    TextTable table =
        new TextTable("AFTER", "UP TO", "STATE", "SERVER", "MEMORY", "ON DISK", "FILES");
    for (TabletInfo tablet : tablets) {
      table.row(
          first(tablet),
          last(tablet),
          state(tablet),
          server(tablet),
          size(tablet.memoryBytes()),
          size(tablet.fileBytes()),
          Integer.toString(tablet.files().size()));
    }
    return table.toString();
  }

  /** Tablets of any tables. */
  static String tableOfAll(List<TabletInfo> tablets) {
    TextTable table = new TextTable("TABLE", "AFTER", "UP TO", "STATE", "SERVER", "FILES");
    for (TabletInfo tablet : tablets) {
      table.row(
          tablet.table(),
          first(tablet),
          last(tablet),
          state(tablet),
          server(tablet),
          Integer.toString(tablet.files().size()));
    }
    return table.toString();
  }

  static String first(TabletInfo tablet) {
    return tablet.first().isEmpty() ? OPEN_END : CellText.show(tablet.first());
  }

  static String last(TabletInfo tablet) {
    return tablet.last().map(CellText::show).orElse(OPEN_END);
  }

  private static String state(TabletInfo tablet) {
    return tablet.stateName().toLowerCase(Locale.ROOT);
  }

  private static String server(TabletInfo tablet) {
    return tablet.location().isEmpty() ? OPEN_END : tablet.location();
  }

  /** To about three digits, as people compare sizes. */
  public static String size(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1_000 && unit < UNITS.length - 1) {
      value /= 1_024;
      unit++;
    }
    String form = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, value, UNITS[unit]);
  }

  static Map<String, Object> json(TabletInfo tablet) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", tablet.table());
    if (!tablet.first().isEmpty()) {
      ValueText.putJson(object, "after", tablet.first());
    }
    tablet.last().ifPresent((Bytes last) -> ValueText.putJson(object, "upTo", last));
    object.put("state", tablet.state());
    object.put("stateName", tablet.stateName());
    object.put("server", tablet.location());
    object.put("memoryBytes", tablet.memoryBytes());
    object.put("fileBytes", tablet.fileBytes());
    object.put("files", tablet.files().stream().map(TabletText::json).toList());
    return object;
  }

  private static Map<String, Object> json(FileInfo file) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("group", file.group());
    object.put("path", file.path());
    object.put("bytes", file.bytes());
    object.put("families", file.families());
    return object;
  }
}
