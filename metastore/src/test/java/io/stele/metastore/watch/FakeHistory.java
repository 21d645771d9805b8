package io.stele.metastore.watch;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All changes since revision 2, in memory. */
final class FakeHistory implements ChangeHistory {
  private final List<Changes> all = new ArrayList<>();
  private final Map<Bytes, KeyValue> keys = new HashMap<>();
  private long compacted;
  private Runnable whileReading = () -> {};

  /** Changes keys in one revision; a value of null deletes. */
  synchronized Changes change(Map<String, Optional<String>> values) {
    long revision = all.size() + 2L;
    List<KeyEvent> events = new ArrayList<>();
    values.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            e -> {
              Bytes key = Bytes.utf8(e.getKey());
              Optional<KeyValue> before = Optional.ofNullable(keys.get(key));
              Bytes value = Bytes.utf8(e.getValue().orElse(""));
              KeyValue now = new KeyValue(key, value, revision, revision, 1, 0);
              keys.put(key, now);
              events.add(new KeyEvent(e.getValue().isEmpty(), now, before));
            });
    Changes changes = new Changes(revision, events);
    all.add(changes);
    return changes;
  }

  Changes put(String key, String value) {
    return change(Map.of(key, Optional.of(value)));
  }

  synchronized void compact(long revision) {
    compacted = revision;
  }

  synchronized void whileReading(Runnable action) {
    whileReading = action;
  }

  @Override
  public synchronized long revision() {
    return all.size() + 1L;
  }

  @Override
  public synchronized long oldest() {
    return compacted;
  }

  @Override
  public List<Changes> changes(KeyRange range, long from, int maxBytes, boolean previous) {
    List<Changes> found = new ArrayList<>();
    Runnable action;
    synchronized (this) {
      long bytes = 0;
      for (long r = Math.max(from, compacted); r <= revision() && bytes < maxBytes; r++) {
        found.add(all.get((int) r - 2));
        bytes += found.getLast().bytes();
      }
      action = whileReading;
    }
    action.run();
    return found;
  }
}
