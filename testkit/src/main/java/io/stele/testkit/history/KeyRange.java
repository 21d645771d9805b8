package io.stele.testkit.history;

import java.util.Optional;

/** The keys from {@code start} up to and without {@code end}; without an end, all behind it. */
public record KeyRange(String start, Optional<String> end) {
  public static KeyRange of(String start, String end) {
    return new KeyRange(start, Optional.of(end));
  }

  public static KeyRange all() {
    return new KeyRange("", Optional.empty());
  }

  public boolean contains(String key) {
    return key.compareTo(start) >= 0 && end.map(limit -> key.compareTo(limit) < 0).orElse(true);
  }

  @Override
  public String toString() {
    return "[" + start + ", " + end.orElse("...") + ")";
  }
}
