package io.stele.base.settings;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A record of settings under a prefix: component {@code blockSize} of section {@code engine} is the
 * key {@code engine.block-size}; a component that is itself a record is a section of its own.
 */
final class Section {
  private final String prefix;
  private final Record defaults;
  private final List<Leaf> leaves = new ArrayList<>();

  /** One key and how its values are written. */
  record Leaf(KnownSetting known, ValueForm form) {}

  Section(String prefix, Record defaults) {
    this.prefix = prefix;
    this.defaults = defaults;
    collect(prefix, defaults);
  }

  String prefix() {
    return prefix;
  }

  Class<? extends Record> type() {
    return defaults.getClass();
  }

  List<Leaf> leaves() {
    return leaves;
  }

  /**
   * The record with the given values in place of defaults.
   *
   * @throws IllegalArgumentException or another runtime exception of the record's own constructor
   */
  Record bind(Map<String, Object> values) {
    return bind(prefix, defaults, values);
  }

  private void collect(String at, Record record) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String key = at + "." + kebab(component.getName());
      Object value = get(component, record);
      Optional<ValueForm> form = ValueForm.of(component.getGenericType());
      if (form.isPresent()) {
        About about = component.getAnnotation(About.class);
        leaves.add(
            new Leaf(
                new KnownSetting(
                    key,
                    form.get().format().apply(value),
                    form.get().form(),
                    environmentOf(key),
                    about == null ? "" : about.value(),
                    component.isAnnotationPresent(Secret.class)),
                form.get()));
      } else if (value instanceof Record nested) {
        collect(key, nested);
      } else {
        throw new IllegalArgumentException(
            "setting " + key + ": no form for values of type " + component.getGenericType());
      }
    }
  }

  private static Record bind(String at, Record record, Map<String, Object> values) {
    List<Object> arguments = new ArrayList<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String key = at + "." + kebab(component.getName());
      Object value = get(component, record);
      boolean nested =
          value instanceof Record && ValueForm.of(component.getGenericType()).isEmpty();
      arguments.add(nested ? bind(key, (Record) value, values) : values.getOrDefault(key, value));
    }
    return construct(record.getClass(), arguments);
  }

  private static Record construct(Class<? extends Record> type, List<Object> arguments) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(arguments.toArray());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new IllegalStateException("settings record " + type.getName(), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("settings record " + type.getName(), e);
    }
  }

  private static Object get(RecordComponent component, Record record) {
    try {
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("settings record " + record.getClass().getName(), e);
    }
  }

  static String environmentOf(String key) {
    return "STELE_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  private static String kebab(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }
}
