package io.stele.datasets.serve;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The map of a node that has no cluster: it sees itself. */
public final class SoloMap implements SharedMap {
  private final Map<String, String> keys = new TreeMap<>(); // guarded by itself

  @Override
  public Published publish(String key, String value) {
    put(key, value);
    return new Published() {
      @Override
      public void set(String next) {
        put(key, next);
      }

      @Override
      public void close() {
        synchronized (keys) {
          keys.remove(key);
        }
      }
    };
  }

  private void put(String key, String value) {
    synchronized (keys) {
      keys.put(key, value);
    }
  }

  @Override
  public Children watch(String directory, Runnable changed) {
    return new Children() {
      @Override
      public Optional<Map<String, String>> entries() {
        Map<String, String> entries = new TreeMap<>();
        synchronized (keys) {
          keys.forEach(
              (key, value) -> {
                int slash = key.lastIndexOf('/');
                if (key.substring(0, slash).equals(directory)) {
                  entries.put(key.substring(slash + 1), value);
                }
              });
        }
        return Optional.of(entries);
      }

      @Override
      public void close() {}
    };
  }
}
