package io.stele.testkit.history;

import java.util.List;

/**
 * All that one watcher was told, in the order it was told, over all its reconnects.
 *
 * @param watcher its name
 * @param range the keys it asked for
 * @param from the first revision it asked for
 * @param upTo a revision up to which it must have been told everything by now
 * @param deliveries what arrived
 */
public record WatchStream(
    String watcher, KeyRange range, long from, long upTo, List<Delivery> deliveries) {
  public WatchStream {
    deliveries = List.copyOf(deliveries);
  }

  /** One message to a watcher. */
  public sealed interface Delivery {}

  /** Changes, of one revision or of several; each revision in one message and in one piece. */
  public record Events(List<Event> events) implements Delivery {
    public Events {
      events = List.copyOf(events);
    }
  }

  /** One change of one key. */
  public record Event(long revision, Change change) {
    @Override
    public String toString() {
      return revision + ": " + change;
    }
  }

  /** The watcher has been told of everything up to this revision. */
  public record Progress(long revision) implements Delivery {}
}
