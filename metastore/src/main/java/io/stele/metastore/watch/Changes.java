package io.stele.metastore.watch;

import java.util.List;

/** All changes of one revision, in the order of their keys; none if they are outside of a range. */
public record Changes(long revision, List<KeyEvent> events) {
  // What a change costs beside its bytes: objects and references. A guess on the safe side.
  private static final int OVERHEAD = 160;

  public Changes {
    events = List.copyOf(events);
  }

  /** About how much memory they take. */
  long bytes() {
    long bytes = 0;
    for (KeyEvent event : events) {
      bytes += OVERHEAD + event.now().key().length() + event.now().value().length();
      if (event.before().isPresent()) {
        bytes += OVERHEAD + event.before().get().value().length();
      }
    }
    return bytes;
  }
}
