package io.stele.tables.load;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.tables.meta.TabletConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which fixed tables have files here, loaded or not: META does not know of them, and what they name
 * must not be taken for superfluous before somebody asks for them again.
 *
 * <pre>
 *   FIXED := (configFile TAB table LF)*
 * </pre>
 */
final class FixedTables {
  private static final FilePath FILE = FilePath.of("FIXED");

  private final FileStore files;

  FixedTables(FileStore files) {
    this.files = files;
  }

  /** Adds a table; tables whose configuration was deleted are forgotten. */
  void add(String table, FilePath configFile) {
    try {
      Map<FilePath, String> known = read();
      if (table.equals(known.get(configFile))) {
        return;
      }
      StringBuilder text = new StringBuilder();
      for (Map.Entry<FilePath, String> each : known.entrySet()) {
        if (!each.getKey().equals(configFile) && files.stat(each.getKey()).isPresent()) {
          text.append(each.getKey()).append('\t').append(each.getValue()).append('\n');
        }
      }
      text.append(configFile).append('\t').append(table).append('\n');
      files.replace(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UnavailableException("the list of fixed tables cannot be saved: " + e, e);
    }
  }

  /** The configurations of all of them. */
  List<TabletConfig> configs() {
    try {
      List<TabletConfig> configs = new ArrayList<>();
      read()
          .forEach(
              (path, table) ->
                  FixedTable.load(files, path, table)
                      .ifPresent(found -> configs.add(found.tablet())));
      return configs;
    } catch (IOException e) {
      throw new UnavailableException("the list of fixed tables cannot be read: " + e, e);
    }
  }

  private Map<FilePath, String> read() throws IOException {
    Map<FilePath, String> known = new TreeMap<>();
    if (files.stat(FILE).isEmpty()) {
      return known;
    }
    byte[] bytes;
    try (ReadableFile file = files.open(FILE)) {
      bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    for (String line : text.lines().toList()) {
      int tab = line.indexOf('\t');
      if (tab < 1) {
        throw new CorruptDataException(FILE.toString(), 0, "CONFIG TAB TABLE", line);
      }
      known.put(FilePath.of(line.substring(0, tab)), line.substring(tab + 1));
    }
    return known;
  }
}
