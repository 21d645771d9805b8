package io.stele.base.settings;

import io.stele.base.text.NearestName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Every setting that a program knows. A component's settings are a record beside it, with its
 * defaults as a constant; the program names each once:
 *
 * <pre>{@code
 * SettingsSchema schema =
 *     SettingsSchema.builder()
 *         .section("engine", EngineSettings.DEFAULTS)
 *         .section("log", LogSettings.DEFAULTS)
 *         .build();
 * Settings settings =
 *     schema.reader().file(path).environment(System.getenv()).flags(setFlags).merge();
 * EngineSettings engine = settings.bind(EngineSettings.class, "engine");
 * }</pre>
 */
public final class SettingsSchema {
  private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9-]*(\\.[a-z][a-z0-9-]*)*");

  private final List<Section> sections;
  private final Set<String> otherEnvironment;
  private final Map<String, Section.Leaf> byKey = new TreeMap<>();
  private final Map<String, String> keyByVariable = new TreeMap<>();

  private SettingsSchema(List<Section> sections, Set<String> otherEnvironment) {
    this.sections = List.copyOf(sections);
    this.otherEnvironment = Set.copyOf(otherEnvironment);
    for (Section section : sections) {
      section.leaves().forEach(this::add);
    }
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Starts to gather values. */
  public SettingsReader reader() {
    return new SettingsReader(this);
  }

  /** All settings, section by section, in the order of the record's components. */
  public List<KnownSetting> known() {
    return sections.stream()
        .flatMap(section -> section.leaves().stream())
        .map(Section.Leaf::known)
        .toList();
  }

  /** A settings file with every key at its default, commented out. */
  public String sample() {
    StringBuilder text = new StringBuilder();
    for (KnownSetting setting : known()) {
      if (!setting.about().isEmpty()) {
        text.append("# ").append(setting.about()).append('\n');
      }
      text.append("# ").append(setting.form()).append("; ").append(setting.environment());
      text.append('\n');
      text.append('#').append(setting.key()).append(" = ").append(setting.defaultValue());
      text.append("\n\n");
    }
    return text.toString();
  }

  List<Section> sections() {
    return sections;
  }

  Optional<Section.Leaf> leaf(String key) {
    return Optional.ofNullable(byKey.get(key));
  }

  Optional<String> keyOfVariable(String variable) {
    return Optional.ofNullable(keyByVariable.get(variable));
  }

  boolean isOtherEnvironment(String variable) {
    return otherEnvironment.contains(variable);
  }

  /** A misspelt key, or one without its section. */
  Optional<String> nearestKey(String key) {
    return NearestName.of(key, byKey.keySet())
        .or(() -> sameEnding(byKey.keySet(), "." + key.substring(key.lastIndexOf('.') + 1)));
  }

  Optional<String> nearestVariable(String variable) {
    return NearestName.of(variable, keyByVariable.keySet());
  }

  private static Optional<String> sameEnding(Collection<String> names, String ending) {
    return names.stream().filter(name -> name.endsWith(ending)).findFirst();
  }

  private void add(Section.Leaf leaf) {
    KnownSetting known = leaf.known();
    if (byKey.put(known.key(), leaf) != null) {
      throw new IllegalArgumentException("setting " + known.key() + " is in two sections");
    }
    String other = keyByVariable.put(known.environment(), known.key());
    if (other != null) {
      throw new IllegalArgumentException(
          "settings "
              + other
              + " and "
              + known.key()
              + " have one variable, "
              + known.environment());
    }
  }

  /** Names the sections of a {@link SettingsSchema}. */
  public static final class Builder {
    private final Map<String, Section> sections = new LinkedHashMap<>();
    private final Set<String> otherEnvironment = new LinkedHashSet<>();

    private Builder() {}

    /** Adds a record's components as keys under {@code prefix}. */
    public Builder section(String prefix, Record defaults) {
      if (!PREFIX.matcher(prefix).matches()) {
        throw new IllegalArgumentException(
            "settings section \"" + prefix + "\": expected lower-case words, as in engine.cache");
      }
      if (sections.putIfAbsent(prefix, new Section(prefix, defaults)) != null) {
        throw new IllegalArgumentException("settings section " + prefix + " is there twice");
      }
      return this;
    }

    /** Names a variable that starts with {@code STELE_} and is no setting. */
    public Builder otherEnvironment(String variable) {
      otherEnvironment.add(variable);
      return this;
    }

    public SettingsSchema build() {
      return new SettingsSchema(new ArrayList<>(sections.values()), otherEnvironment);
    }
  }
}
