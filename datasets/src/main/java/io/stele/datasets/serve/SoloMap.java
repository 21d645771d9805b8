package io.stele.datasets.serve;

import io.stele.base.event.Subscription;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The map of a node that has no cluster: it sees itself. */
public final class SoloMap implements SharedMap {
  private final Set<String> keys = new TreeSet<>();

  @Override
  public Subscription publish(String key) {
    synchronized (keys) {
      keys.add(key);
    }
    return () -> {
      synchronized (keys) {
        keys.remove(key);
      }
    };
  }

  @Override
  public Children watch(String directory, Runnable changed) {
    return new Children() {
      @Override
      public Optional<Set<String>> names() {
        Set<String> names = new TreeSet<>();
        synchronized (keys) {
          for (String key : keys) {
            int slash = key.lastIndexOf('/');
            if (key.substring(0, slash).equals(directory)) {
              names.add(key.substring(slash + 1));
            }
          }
        }
        return Optional.of(names);
      }

      @Override
      public void close() {}
    };
  }
}
