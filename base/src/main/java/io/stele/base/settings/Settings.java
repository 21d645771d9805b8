package io.stele.base.settings;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Merged, checked settings: the value of every known key, and where it came from. */
public final class Settings {
  private final SortedMap<String, Setting> values;
  private final Map<String, Record> sections;

  Settings(Map<String, Setting> values, Map<String, Record> sections) {
    this.values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    this.sections = Map.copyOf(sections);
  }

  /** The settings of one component. */
  public <R extends Record> R bind(Class<R> type, String prefix) {
    Record section = sections.get(prefix);
    if (!type.isInstance(section)) {
      throw new IllegalArgumentException(
          "no settings section \""
              + prefix
              + "\" of "
              + type.getSimpleName()
              + "; there are "
              + new TreeMap<>(sections).keySet());
    }
    return type.cast(section);
  }

  /** Every known key, by name, with the value that counts as it was written. */
  public SortedMap<String, Setting> values() {
    return values;
  }
}
