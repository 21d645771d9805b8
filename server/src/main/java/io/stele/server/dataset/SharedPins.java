package io.stele.server.dataset;

import io.stele.client.metastore.Condition;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.datasets.serve.Pin;
import io.stele.datasets.serve.Pins;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The pins of a cluster in the metastore, each the {@linkplain Pin#text text} of a key that stays.
 * They are read from what {@link SharedState} mirrors, and written only over what was seen.
 */
final class SharedPins implements Pins {
  private static final String PINS = "pins";

  private final MetastoreClient metastore;
  private final Mirror mirror;
  private final String root;

  SharedPins(MetastoreClient metastore, Mirror mirror, String root) {
    this.metastore = metastore;
    this.mirror = mirror;
    this.root = root;
  }

  /** Only what the metastore really has: what it has lost is to be recorded again. */
  @Override
  public Optional<Map<String, Pin>> all() {
    return mirror
        .children(PINS)
        .map(
            children -> {
              Map<String, Pin> pins = new HashMap<>();
              children.forEach(
                  (dataset, text) -> {
                    if (mirror.has(PINS + "/" + dataset)) {
                      Pin.parse(text).ifPresent(pin -> pins.put(dataset, pin));
                    }
                  });
              return pins;
            });
  }

  @Override
  public void set(String dataset, Optional<String> version, Pin known) {
    boolean done = false;
    while (!done) {
      Optional<KeyValue> seen = metastore.get(pinKey(dataset));
      done = write(dataset, seen, Pin.later(known, recorded(seen)).next(version));
    }
  }

  @Override
  public void restore(String dataset, Pin pin) {
    boolean done = false;
    while (!done) {
      Optional<KeyValue> seen = metastore.get(pinKey(dataset));
      done = recorded(seen).number() >= pin.number() || write(dataset, seen, pin);
    }
  }

  private String pinKey(String dataset) {
    return root + PINS + "/" + dataset;
  }

  private static Pin recorded(Optional<KeyValue> seen) {
    return seen.flatMap(found -> Pin.parse(found.text())).orElse(Pin.NONE);
  }

  /** Fails if the key is not what was seen of it any more. */
  private boolean write(String dataset, Optional<KeyValue> seen, Pin pin) {
    String key = pinKey(dataset);
    boolean written =
        metastore
            .transaction()
            .when(seen.map(Condition::unchanged).orElseGet(() -> Condition.absent(key)))
            .then(Step.put(key, pin.text()))
            .commit()
            .succeeded();
    if (written) {
      mirror.put(PINS + "/" + dataset, pin.text()); // who set it sees it at once
    }
    return written;
  }

  @Override
  public void watch(Runnable told) {
    var _ = mirror.listen(PINS, told);
  }
}
