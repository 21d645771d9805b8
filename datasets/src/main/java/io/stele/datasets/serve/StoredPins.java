package io.stele.datasets.serve;

import io.stele.base.error.UnavailableException;
import io.stele.datasets.version.VersionStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The pins of a node that has no cluster: on its own disk. */
final class StoredPins implements Pins {
  private final VersionStore store;
  private Map<String, String> pins;

  StoredPins(VersionStore store) throws IOException {
    this.store = store;
    this.pins = store.pins();
  }

  @Override
  public synchronized Optional<Map<String, String>> all() {
    return Optional.of(pins);
  }

  @Override
  public synchronized void set(String dataset, Optional<String> version) {
    Map<String, String> changed = new HashMap<>(pins);
    version.ifPresentOrElse(to -> changed.put(dataset, to), () -> changed.remove(dataset));
    try {
      store.pins(changed);
    } catch (IOException e) {
      throw new UnavailableException("the pin cannot be stored: " + e.getMessage(), e);
    }
    pins = Map.copyOf(changed);
  }

  @Override
  public void watch(Runnable changed) {}
}
