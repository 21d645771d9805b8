package io.stele.server.dataset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the metastore has below a cluster's key, as last heard of. Keys are relative.
 *
 * <p>Keys of holders of shards that vanish are still shown for a while: if somebody wiped the
 * directory, or the whole metastore, nodes publish them again at once, and lookups never find them
 * gone. Of a holder that is really gone the next one is asked, as of any that does not answer.
 *
 * <pre>
 *   there ──deleted, or not in a new list──► doomed ──until its time──► gone
 *     ▲                                         │
 *     └───────────────── put again ◄────────────┘
 * </pre>
 */
final class Mirror {
  /** Somebody who is told of changes of a directory. */
  private record Listener(String directory, Runnable changed) {}

  private final String lingering; // the directory below which deleted keys are shown for a while
  private final long lingerNanos;

  // All guarded by this.
  private final NavigableMap<String, String> shown = new TreeMap<>();
  private final Set<String> there = new HashSet<>();
  private final Map<String, Long> doomed = new HashMap<>(); // a part of shown; when each goes
  private final List<Listener> listeners = new ArrayList<>();
  private boolean listed;

  Mirror(String lingering, long lingerNanos) {
    this.lingering = lingering;
    this.lingerNanos = lingerNanos;
  }

  /**
   * Takes a whole list in place of what was known.
   *
   * @param grace how long what it does not have is still shown: where a session was lost others may
   *     have lost theirs too, and are about to publish again
   */
  void replace(Map<String, String> all, long now, long grace) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      boolean first = !listed;
      listed = true;
      there.clear();
      for (String key : List.copyOf(shown.keySet())) {
        if (!all.containsKey(key)) {
          doom(key, now + grace, grace, changed);
        }
      }
      all.forEach((key, value) -> show(key, value, changed));
      if (first) {
        listeners.forEach(listener -> changed.add(listener.directory));
      }
    }
    tell(changed);
  }

  void put(String key, String value) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      show(key, value, changed);
    }
    tell(changed);
  }

  void delete(String key, long now) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      there.remove(key);
      if (shown.containsKey(key)) {
        long linger = key.startsWith(lingering) ? lingerNanos : 0;
        doom(key, now + linger, linger, changed);
      }
    }
    tell(changed);
  }

  /** Shows no more what is over. */
  void pass(long now) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      for (Map.Entry<String, Long> entry : List.copyOf(doomed.entrySet())) {
        if (now - entry.getValue() >= 0) {
          doomed.remove(entry.getKey());
          shown.remove(entry.getKey());
          changed.add(directory(entry.getKey()));
        }
      }
    }
    tell(changed);
  }

  private void show(String key, String value, Set<String> changed) {
    there.add(key);
    doomed.remove(key);
    if (!value.equals(shown.put(key, value))) {
      changed.add(directory(key));
    }
  }

  private void doom(String key, long when, long linger, Set<String> changed) {
    if (linger == 0) {
      shown.remove(key);
      doomed.remove(key);
      changed.add(directory(key));
    } else {
      doomed.putIfAbsent(key, when);
    }
  }

  /** Whether the metastore has it, whatever is shown. */
  synchronized boolean has(String key) {
    return there.contains(key);
  }

  /** A directory's direct children and their values; nothing as long as no list was seen. */
  synchronized Optional<Map<String, String>> children(String directory) {
    if (!listed) {
      return Optional.empty();
    }
    String prefix = directory + "/";
    Map<String, String> children = new TreeMap<>();
    for (Map.Entry<String, String> entry : shown.tailMap(prefix, true).entrySet()) {
      if (!entry.getKey().startsWith(prefix)) {
        break;
      }
      String name = entry.getKey().substring(prefix.length());
      if (name.indexOf('/') < 0) {
        children.put(name, entry.getValue());
      }
    }
    return Optional.of(children);
  }

  private static String directory(String key) {
    int slash = key.lastIndexOf('/');
    return slash < 0 ? "" : key.substring(0, slash);
  }

  /** Has {@code changed} called after each change of a directory, until what it returns is run. */
  synchronized Runnable listen(String directory, Runnable changed) {
    Listener listener = new Listener(directory, changed);
    listeners.add(listener);
    return () -> {
      synchronized (this) {
        listeners.remove(listener);
      }
    };
  }

  private void tell(Set<String> directories) {
    if (directories.isEmpty()) {
      return;
    }
    List<Listener> told;
    synchronized (this) {
      told =
          listeners.stream().filter(listener -> directories.contains(listener.directory)).toList();
    }
    told.forEach(listener -> listener.changed.run());
  }
}
