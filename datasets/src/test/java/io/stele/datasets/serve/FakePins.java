package io.stele.datasets.serve;

import io.stele.base.error.UnavailableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pins of a cluster in one JVM. */
final class FakePins implements Pins {
  private final Map<String, String> pins = new HashMap<>();
  private final List<Runnable> watchers = new ArrayList<>();
  private boolean down;

  void down(boolean now) {
    down = now;
  }

  @Override
  public Optional<Map<String, String>> all() {
    return down ? Optional.empty() : Optional.of(Map.copyOf(pins));
  }

  @Override
  public void set(String dataset, Optional<String> version) {
    if (down) {
      throw new UnavailableException("the metastore is down");
    }
    version.ifPresentOrElse(to -> pins.put(dataset, to), () -> pins.remove(dataset));
    watchers.forEach(Runnable::run);
  }

  @Override
  public void watch(Runnable changed) {
    watchers.add(changed);
  }
}
