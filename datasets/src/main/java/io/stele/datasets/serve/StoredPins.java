package io.stele.datasets.serve;

import io.stele.base.error.UnavailableException;
import io.stele.datasets.version.VersionStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Pins on a node's own disk: all there are for a node that has no cluster, and what was last heard
 * of for one that has.
 */
final class StoredPins implements Pins {
  private final VersionStore store;
  private Map<String, Pin> pins;

  StoredPins(VersionStore store) throws IOException {
    this.store = store;
    this.pins = read(store);
  }

  /** What is on disk; what is not a pin there was not written by us, and is left out. */
  private static Map<String, Pin> read(VersionStore store) throws IOException {
    Map<String, Pin> pins = new HashMap<>();
    store
        .pins()
        .forEach((dataset, text) -> Pin.parse(text).ifPresent(pin -> pins.put(dataset, pin)));
    return Map.copyOf(pins);
  }

  synchronized Map<String, Pin> known() {
    return pins;
  }

  /** Keeps what was heard of, but for what is known to be older. */
  synchronized void keep(Map<String, Pin> heard) throws IOException {
    Map<String, Pin> both = Pin.later(pins, heard);
    Map<String, String> texts = new TreeMap<>();
    both.forEach((dataset, pin) -> texts.put(dataset, pin.text()));
    store.pins(texts);
    pins = Map.copyOf(both);
  }

  @Override
  public Optional<Map<String, Pin>> all() {
    return Optional.of(known());
  }

  @Override
  public synchronized void set(String dataset, Optional<String> version, Pin known) {
    Pin last = Pin.later(pins.getOrDefault(dataset, Pin.NONE), known);
    restore(dataset, last.next(version));
  }

  @Override
  public void restore(String dataset, Pin pin) {
    try {
      keep(Map.of(dataset, pin));
    } catch (IOException e) {
      throw new UnavailableException("the pin cannot be stored: " + e.getMessage(), e);
    }
  }

  @Override
  public void watch(Runnable changed) {}
}
