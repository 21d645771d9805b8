package io.stele.base.settings;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Gathers values for the settings of a {@link SettingsSchema}. A flag wins over the environment,
 * the environment over the file, and the file over the default, whatever the order of the calls.
 *
 * <p>The file has a line {@code section.key = value} for each setting; empty lines and lines that
 * start with {@code #} are skipped. The variable of {@code engine.block-size} is {@code
 * STELE_ENGINE_BLOCK_SIZE}.
 *
 * <p>{@link #merge} refuses unknown keys and bad values, all of them at once, each with the place
 * where it was found.
 */
public final class SettingsReader {
  private final SettingsSchema schema;
  private final Map<String, Setting> fromFile = new TreeMap<>();
  private final Map<String, Setting> fromEnvironment = new TreeMap<>();
  private final Map<String, Setting> fromFlags = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();

  SettingsReader(SettingsSchema schema) {
    this.schema = schema;
  }

  /** Takes the lines of a file, which must exist. */
  public SettingsReader file(Path path) throws IOException {
    return file(path.toString(), Files.readString(path));
  }

  /** Takes the lines of a file that was read already; {@code name} is for errors. */
  public SettingsReader file(String name, String text) {
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      Origin origin = new Origin.FileLine(name, i + 1);
      int equals = line.indexOf('=');
      if (equals < 1) {
        problems.add(origin + ": \"" + line + "\": expected section.key = value");
        continue;
      }
      put(fromFile, setting(line, equals, origin), true);
    }
    return this;
  }

  /** Takes the variables that start with {@code STELE_}. */
  public SettingsReader environment(Map<String, String> variables) {
    for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith("STELE_") || schema.isOtherEnvironment(name)) {
        continue;
      }
      Optional<String> key = schema.keyOfVariable(name);
      if (key.isEmpty()) {
        problems.add("unknown variable " + name + meant(schema.nearestVariable(name)));
        continue;
      }
      Origin origin = new Origin.Environment(name);
      put(fromEnvironment, new Setting(key.get(), variable.getValue().strip(), origin), false);
    }
    return this;
  }

  /** Takes {@code section.key=value} from the command line; of two for one key the later counts. */
  public SettingsReader flags(List<String> flags) {
    for (String flag : flags) {
      int equals = flag.indexOf('=');
      if (equals < 1) {
        problems.add("flag --set \"" + flag + "\": expected section.key=value");
        continue;
      }
      put(fromFlags, setting(flag, equals, new Origin.Flag()), false);
    }
    return this;
  }

  /**
   * Puts everything together.
   *
   * @throws InvalidRequestException that lists every unknown key and every bad value
   */
  public Settings merge() {
    Map<String, Setting> merged = new TreeMap<>();
    for (KnownSetting known : schema.known()) {
      merged.put(known.key(), new Setting(known.key(), known.defaultValue(), new Origin.Default()));
    }
    merged.putAll(fromFile);
    merged.putAll(fromEnvironment);
    merged.putAll(fromFlags);
    List<String> found = new ArrayList<>(problems);
    Map<String, Object> values = parse(merged, found);
    Map<String, Record> bound = found.isEmpty() ? bind(merged, values, found) : Map.of();
    if (!found.isEmpty()) {
      String title = found.size() == 1 ? "" : found.size() + " problems with settings:\n  ";
      throw new InvalidRequestException(title + String.join("\n  ", found));
    }
    return new Settings(merged, bound);
  }

  private Map<String, Object> parse(Map<String, Setting> merged, List<String> found) {
    Map<String, Object> values = new HashMap<>();
    for (Setting setting : merged.values()) {
      if (setting.origin() instanceof Origin.Default) {
        continue; // the value in code, which need not take the way through text
      }
      Optional<Section.Leaf> leaf = schema.leaf(setting.key());
      if (leaf.isEmpty()) {
        String meant = meant(schema.nearestKey(setting.key()));
        found.add("unknown setting " + setting.key() + " (" + setting.origin() + ")" + meant);
        continue;
      }
      try {
        values.put(setting.key(), leaf.get().form().parse().apply(setting.value()));
      } catch (IllegalArgumentException e) {
        found.add(setting + ": expected " + leaf.get().known().form());
      }
    }
    return values;
  }

  private Map<String, Record> bind(
      Map<String, Setting> merged, Map<String, Object> values, List<String> found) {
    Map<String, Record> bound = new TreeMap<>();
    for (Section section : schema.sections()) {
      try {
        bound.put(section.prefix(), section.bind(values));
      } catch (RuntimeException e) {
        // The record refuses the values together: name all that were not its own defaults.
        List<String> culprits =
            section.leaves().stream()
                .map(leaf -> leaf.known().key())
                .filter(values::containsKey)
                .map(key -> String.valueOf(merged.get(key)))
                .toList();
        found.add(String.join(", ", culprits) + ": " + e.getMessage());
      }
    }
    return bound;
  }

  private void put(Map<String, Setting> layer, Setting setting, boolean once) {
    Setting before = layer.put(setting.key(), setting);
    if (once && before != null) {
      problems.add(
          setting.key() + " is set twice: " + before.origin() + " and " + setting.origin());
    }
  }

  private static Setting setting(String line, int equals, Origin origin) {
    String key = line.substring(0, equals).strip();
    return new Setting(key, line.substring(equals + 1).strip(), origin);
  }

  private static String meant(Optional<String> nearest) {
    return nearest.map(name -> ": did you mean " + name + "?").orElse("");
  }
}
