package io.stele.base.settings;

/** One value, as it was written, and where. */
public record Setting(String key, String value, Origin origin) {
  @Override
  public String toString() {
    return key + " = " + value + " (" + origin + ")";
  }
}
