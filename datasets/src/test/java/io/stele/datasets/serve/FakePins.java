package io.stele.datasets.serve;

import io.stele.base.error.UnavailableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pins of a cluster in one JVM. */
final class FakePins implements Pins {
  private final Map<String, Pin> pins = new HashMap<>();
  private final List<Runnable> watchers = new ArrayList<>();
  private boolean down;

  void down(boolean now) {
    down = now;
  }

  @Override
  public Optional<Map<String, Pin>> all() {
    return down ? Optional.empty() : Optional.of(Map.copyOf(pins));
  }

  /** As a metastore that has lost all it knew. */
  void wipe() {
    pins.clear();
    watchers.forEach(Runnable::run);
  }

  @Override
  public void set(String dataset, Optional<String> version, Pin known) {
    restore(dataset, Pin.later(known, pins.getOrDefault(dataset, Pin.NONE)).next(version));
  }

  @Override
  public void restore(String dataset, Pin pin) {
    if (down) {
      throw new UnavailableException("the metastore is down");
    }
    pins.merge(dataset, pin, Pin::later);
    watchers.forEach(Runnable::run);
  }

  @Override
  public void watch(Runnable changed) {
    watchers.add(changed);
  }
}
