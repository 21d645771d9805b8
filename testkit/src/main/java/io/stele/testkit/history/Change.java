package io.stele.testkit.history;

import java.util.Optional;

/** A key's new value; empty if it was deleted. */
public record Change(String key, Optional<String> value) {
  public static Change put(String key, String value) {
    return new Change(key, Optional.of(value));
  }

  public static Change delete(String key) {
    return new Change(key, Optional.empty());
  }

  @Override
  public String toString() {
    return value.map(text -> key + " = " + text).orElse("delete " + key);
  }
}
